/// A setting of a manifest that can make items fail.
public struct FailureSetting: Hashable, Sendable {
    /// The name under which its value is stored.
    public var name: String
    /// The names of the errors that it can cause.
    public var errors: Set<String>
    /// A text that changes when the setting does.
    public var value: String

    /// Describes a setting.
    public init(name: String, errors: Set<String>, value: String) {
        self.name = name
        self.errors = errors
        self.value = value
    }
}
