import Glibc

/// The reason why a list or a folder cannot be read; the problem of a single row is an `ItemProblem`.
public struct SourceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The list or folder, as the manifest names it.
    public let file: String
    /// The line, from 1, where one can be named.
    public let line: Int?
    /// The problem and its remedy, one sentence.
    public let message: String
    /// True if another run may succeed, since the trouble is none of the source itself, such as a store that does not answer.
    public let isTemporary: Bool

    /// True if the source is not on this machine, so that it may be another tomorrow.
    public let isRemote: Bool

    /// The position and the message: `products.csv:17: …`.
    public var description: String {
        line.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
    }

    package init(
        _ file: String,
        line: Int? = nil,
        _ message: String,
        isTemporary: Bool = false,
        isRemote: Bool = false
    ) {
        self.file = file
        self.line = line
        self.message = message
        self.isTemporary = isTemporary
        self.isRemote = isRemote || file.contains("://")
    }

    /// The error of a call of the system that has just failed with `code`.
    package static func system(_ code: Int32, file: String, doing action: String) -> SourceError {
        let remedy =
            switch code {
            case ENOENT: "there is no such file: check its name, which starts from the manifest's folder"
            case EACCES: "permission denied: check its permissions"
            default: "\(action) failed: \(String(cString: strerror(code)))"
            }
        return SourceError(file, remedy)
    }
}
