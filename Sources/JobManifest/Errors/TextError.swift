/// The reason why a text cannot be used as what it is given for.
public struct TextError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problem and its remedy, one sentence that continues the name of what has the text.
    public let message: String

    /// The message.
    public var description: String { message }

    package init(_ message: String) {
        self.message = message
    }
}
