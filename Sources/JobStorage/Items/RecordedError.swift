/// The error of a row or of an output.
public struct RecordedError: Hashable, Sendable {
    /// The error's name, such as `bad_url` or `scheme`.
    public let code: String
    /// One sentence about it.
    public let message: String

    /// Describes an error.
    public init(code: String, message: String) {
        (self.code, self.message) = (code, message)
    }
}
