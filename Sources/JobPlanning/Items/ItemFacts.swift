import Foundation
package import JobManifest

/// The facts about an item's original: a JSON object with a key for each fact, null if unknown.
public struct ItemFacts: Sendable, Encodable {
    private let values: [Fact: CanonicalJSON]

    /// The facts with these values.
    package init(_ values: [Fact: CanonicalJSON]) {
        self.values = values
    }

    /// The facts that the state has as this text; names that this release does not know are left out.
    ///
    /// Nil where there are none, or what is there is no such object.
    package init?(json: String?) {
        guard let json,
            let members = try? JSONDecoder().decode([String: CanonicalJSON].self, from: Data(json.utf8))
        else { return nil }
        let known = members.compactMap { name, value in Fact(rawValue: name).map { ($0, value) } }
        values = Dictionary(known) { first, _ in first }
    }

    /// The facts with another value for one of them.
    package func setting(_ fact: Fact, to value: CanonicalJSON) -> ItemFacts {
        ItemFacts(values.merging([fact: value]) { $1 })
    }

    /// The text for the state.
    package var json: String { object.text }

    package subscript(fact: Fact) -> CanonicalJSON? { values[fact] }

    /// The value for a table's column, one of `Fact.columns`; empty where nothing is known.
    public func text(ofColumn column: String) -> String {
        var value = object
        for name in column.split(separator: ".") {
            guard case .object(let members) = value else { return "" }
            value = members[String(name)] ?? .null
        }
        return switch value {
        case .null: ""
        case .string(let text): text
        default: value.text
        }
    }

    /// Writes the object.
    public func encode(to encoder: any Encoder) throws {
        try object.encode(to: encoder)
    }

    private var object: CanonicalJSON {
        .object(Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value) }))
    }
}
