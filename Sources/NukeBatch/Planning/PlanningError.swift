import Glibc

/// Why a list or a folder cannot be read any further; what is wrong with one row is an `ItemProblem`.
public struct PlanningError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The list or folder, as the manifest names it.
    public let file: String
    /// The line, from 1, where one can be named.
    public let line: Int?
    /// What is wrong and the remedy, one sentence.
    public let message: String

    /// The place and the sentence: `products.csv:17: …`.
    public var description: String {
        line.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
    }

    init(file: String, line: Int? = nil, message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    /// The error of a call of the system that has just failed with `code`.
    static func system(_ code: Int32, file: String, doing action: String) -> PlanningError {
        let remedy =
            switch code {
            case ENOENT: "there is no such file: check its name, which starts from the manifest's folder"
            case EACCES: "it may not be read: check its permissions"
            default: "\(action) failed: \(String(cString: strerror(code)))"
            }
        return PlanningError(file: file, message: remedy)
    }
}
