import JobManifest

/// A wrong command line, in a sentence that says what to type instead.
struct UsageError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    /// Returns `; did you mean run?`, or a reference to the help if no known word is near.
    static func hint(for word: String, among known: [String]) -> String {
        NearestName.nearest(to: word, among: known).map { "; did you mean \($0)?" }
            ?? "; see nuke-batch --help"
    }
}
