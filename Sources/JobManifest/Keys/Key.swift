/// A key of a manifest's object whose value the reader of the object takes.
struct Key<Value>: ManifestKey {
    let kind: KeyKind<Value>
    let description: KeyDescription

    /// The value that holds where the manifest does not have the key.
    ///
    /// Only for keys whose default is a value; it is read as a manifest's own value is.
    var standard: Value {
        guard case .value(let json) = description.default, let value = kind.value(of: json) else {
            preconditionFailure("the key \(name) has no default that can be read")
        }
        return value
    }
}

/// A key of any type.
protocol ManifestKey: Sendable {
    var description: KeyDescription { get }
}

extension ManifestKey {
    var name: String { description.name }
}

/// The documentation of a key, and the schema of its value.
package struct KeyDescription: Sendable {
    package let name: String
    /// The type and range of the value in Markdown, such as `integer, 1 to 1024`.
    package let type: String
    package let `default`: KeyDefault
    /// One sentence in Markdown.
    package let summary: String
    package let example: CanonicalJSON
    /// Other names that people write for it.
    package let synonyms: [String]
    /// True for a key that the schema and the documentation leave out.
    let isHidden: Bool
    /// The schema of the value alone.
    let schema: CanonicalJSON
}

/// The value of a key that the manifest does not have.
package enum KeyDefault: Sendable {
    /// A value, as the manifest would write it.
    case value(CanonicalJSON)
    /// A value that depends on the machine or on other keys, in Markdown.
    case described(String)
    /// Nothing: the key can be left out, and no value means the same.
    case none
    /// Nothing: the key must be there.
    case required

    /// A default that another module defines.
    static func integer(_ value: Int) -> KeyDefault { .value(.integer(value)) }

    /// A default that another module defines.
    static func word(_ value: some RawRepresentable<String>) -> KeyDefault { .value(.string(value.rawValue)) }
}

/// Defaults written as Swift's own literals.
extension KeyDefault: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral text: String) { self = .value(.string(text)) }

    package init(integerLiteral number: Int) { self = .value(.integer(number)) }

    package init(booleanLiteral value: Bool) { self = .value(.bool(value)) }

    package init(arrayLiteral elements: CanonicalJSON...) { self = .value(.array(elements)) }

    package init(dictionaryLiteral members: (String, CanonicalJSON)...) {
        self = .value(.object(Dictionary(members) { $1 }))
    }
}
