package import JobStorage

/// Makes an output named `name` in the given state.
package func output(
    _ name: String,
    _ state: OutputRecord.State = .done,
    reason: String? = nil,
    failure: (code: String, message: String)? = nil,
    path: String? = nil,
    sha256: String = String(repeating: "a1", count: 32)
) -> OutputRecord {
    var output = OutputRecord(name: name, recipe: "r-\(name)", state: state, reason: reason)
    if let failure {
        output.failure = RecordedError(code: failure.code, message: failure.message)
        output.reason = "\(failure.code): \(failure.message)"
    }
    if state == .done {
        (output.path, output.bytes, output.sha256) = (path ?? "\(name).jpg", 4, sha256)
        (output.width, output.height) = (3, 2)
    }
    return output
}
