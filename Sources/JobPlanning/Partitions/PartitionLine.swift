import Files
import Foundation
package import JobManifest
package import JobStorage

/// An item of a fleet's partition, as a line of JSON with sorted keys.
///
/// The text depends on nothing but the item: the digests of partitions are compared wherever they were made. Values that are
/// usual (no id, no headers, no variables) are left out.
package struct PartitionLine: Sendable, Equatable {
    /// An output that is not made, because an earlier row has its path.
    package struct Blocked: Sendable, Equatable {
        package let output: String
        let path: String
        let isSkipped: Bool

        /// Describes an output of an item.
        package init(output: String, path: String, isSkipped: Bool) {
            (self.output, self.path, self.isSkipped) = (output, path, isSkipped)
        }
    }

    /// The position in the whole manifest, from 1.
    package var ordinal: Int
    /// The item's identity, 32 hexadecimal digits: equal rows have equal keys.
    package let key: String
    let url: String
    let id: String?
    let headers: [String: String]
    package let columns: ItemColumns
    let priority: ItemPriority
    let source: Int
    /// The reason why the item cannot be loaded.
    package let problem: ItemProblem?
    let validator: String?
    /// The outputs that are not made, by name.
    package var blocked: [Blocked]

    /// Creates the line of an item, and of its outputs that are not made.
    package init(_ item: PlannedItem, blocked: [BlockedOutput] = []) {
        ordinal = item.index
        url = item.url
        id = item.id
        headers = item.headers
        columns = ItemColumns(item)
        priority = item.priority
        source = item.source
        let headersJSON = item.headers.isEmpty ? nil : JSONLine.text(item.headers)
        key = Self.key(url: item.url, headersJSON: headersJSON, id: item.id)
        problem = item.problem
        validator = item.validator
        self.blocked = blocked.map { Blocked(output: $0.output, path: $0.path, isSkipped: $0.isSkipped) }
    }

    /// Returns the identity of an item: the first 128 bits of SHA-256 over its URL, headers and ID, joined by zero bytes.
    ///
    /// `NewItem.key` is the first half of it.
    package static func key(url: String, headersJSON: String?, id: String?) -> String {
        let digest = Digest.sha256.hex(of: "\(url)\0\(headersJSON ?? "")\0\(id ?? "")")
        return String(decoding: digest.utf8.prefix(32), as: UTF8.self)
    }

    /// The planned item, for a manifest on any machine; `name` and `number` are the line's place, for errors.
    package func item(of manifest: Manifest, name: String, number: Int) -> PlannedItem {
        let source = manifest.sources.indices.contains(source) ? manifest.sources[source] : nil
        return PlannedItem(
            index: ordinal,
            url: url,
            target: manifest.target(of: url),
            id: id,
            headers: headers,
            priority: priority,
            variables: columns.variables(of: source),
            typedColumns: columns.typed,
            source: self.source,
            problem: problem,
            validator: validator,
            base: source?.base,
            position: .line(file: name, number: number)
        )
    }
}
