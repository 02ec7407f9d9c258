import Foundation

/// The differences of a run's manifest from that of the run before.
///
/// Header fields and credentials are not compared, and queries of URLs are hidden: they may hold secrets.
public struct ManifestChanges: Sendable, Codable {
    /// The most differences that are kept.
    private static let limit = 20

    /// The number of differences.
    public let count: Int
    /// The first of them.
    public let first: [ManifestChange]

    private init(_ changes: [ManifestChange]) {
        count = changes.count
        first = changes.prefix(Self.limit).map(\.withoutQueries)
    }

    /// Reads the differences from the text of a state; nil if it is not such an object.
    package init?(json: String?) {
        guard let json, let read = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else {
            return nil
        }
        self = read
    }

    /// Compares the manifests that two runs have kept; nil if one of them is none.
    package init?(from old: ManifestSnapshot, to new: ManifestSnapshot) {
        guard let old = old.members, let new = new.members else { return nil }
        self.init(ManifestChange.between(old, new))
    }
}

/// The keys of a manifest with their values, as a run keeps them for the next one: those of included manifests too.
package struct ManifestSnapshot {
    /// The most bytes that are kept: enough for any manifest but one that lists its URLs itself.
    private static let limit = 256_000

    /// The object as canonical JSON.
    package let json: String

    /// Takes the keys of `manifest`, without secrets; nil if its file, or they, are longer than 256,000 bytes.
    package init?(_ manifest: Manifest) {
        // A manifest of millions of URLs is not read once more.
        guard let text = manifest.ownText, text.count <= Self.limit else { return nil }
        let members = Dictionary(manifest.written.map { ($0.key, CanonicalJSON($0.value)) }) { first, _ in
            first
        }
        json = CanonicalJSON.object(members).withoutSecrets.text
        guard json.utf8.count <= Self.limit else { return nil }
    }

    /// Takes the text that an earlier run has kept.
    package init(json: String) {
        self.json = json
    }

    /// The keys; nil if the text is no object.
    fileprivate var members: [JSONMember]? {
        var json = json
        let kind = json.withUTF8 { text in try? JSONParser.parse(text).root.kind }
        guard case .object(let members) = kind else { return nil }
        return members
    }
}

extension ManifestChange {
    /// The change with a part of each URL in place of its query.
    fileprivate var withoutQueries: ManifestChange {
        ManifestChange(path: path, old: old?.withoutQueries, new: new?.withoutQueries)
    }
}

extension CanonicalJSON {
    fileprivate var withoutQueries: CanonicalJSON {
        switch self {
        case .string(let text): .string(text.withoutQueries)
        case .array(let elements): .array(elements.map(\.withoutQueries))
        case .object(let members): .object(members.mapValues(\.withoutQueries))
        case .null, .bool, .integer, .number, .written: self
        }
    }
}

extension String {
    /// The text with `?…` in place of the query of each URL in it.
    package var withoutQueries: String { replacing(/(:\/\/[^?\s]*)\?\S*/) { "\($0.1)?…" } }
}
