import Files
package import Foundation
package import JobManifest
package import JobStorage

/// An item of a fleet's partition, as a line of JSON with sorted keys.
package struct PartitionLine: Sendable, Codable, Equatable {
    /// The reason why a row cannot be loaded.
    package struct Problem: Sendable, Codable, Equatable {
        package let error: String
        package let message: String
    }

    /// An output that is not made, because an earlier row has its path.
    package struct Blocked: Sendable, Codable, Equatable {
        package let output: String
        package let path: String
        package let skipped: Bool
    }

    /// The position in the whole manifest, from 1.
    package var ordinal: Int
    package let url: String
    package let id: String?
    package let headers: [String: String]?
    package let vars: [String: String]?
    package let priority: String
    package let source: Int
    /// The item's identity: equal rows have equal keys.
    package let key: String
    package let problem: Problem?
    package let validator: String?
    package let blocked: [Blocked]?

    package init(_ item: PlannedItem, blocked: [BlockedOutput] = []) {
        ordinal = item.index
        url = item.url
        id = item.id
        headers = item.headers.isEmpty ? nil : item.headers
        vars = item.variables.isEmpty ? nil : item.variables
        priority = item.priority.rawValue
        source = item.source
        key = Self.key(
            url: item.url,
            headersJSON: item.headers.isEmpty ? nil : JSONLine.text(item.headers),
            id: item.id
        )
        problem = item.problem.map { Problem(error: $0.code.rawValue, message: $0.message) }
        validator = item.validator
        self.blocked =
            blocked.isEmpty
            ? nil : blocked.map { Blocked(output: $0.output, path: $0.path, skipped: $0.isSkipped) }
    }

    package init(parsing line: Data, name: String, number: Int) throws(SourceError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: line)
        } catch {
            throw SourceError(file: "\(name):\(number)", message: "is no item of a partition: \(error)")
        }
    }

    package var text: String { JSONLine.text(self) }

    package func item(of manifest: Manifest, name: String, number: Int) -> PlannedItem {
        PlannedItem(
            index: ordinal,
            url: url,
            target: manifest.target(of: url),
            id: id,
            headers: headers ?? [:],
            priority: ItemPriority(rawValue: priority) ?? .normal,
            variables: vars ?? [:],
            source: source,
            problem: problem.map {
                ItemProblem(code: ErrorCode(rawValue: $0.error) ?? .badURL, message: $0.message)
            },
            validator: validator,
            base: manifest.sources.indices.contains(source) ? manifest.sources[source].base : nil,
            position: .line(file: name, number: number)
        )
    }

    package static func key(url: String, headersJSON: String?, id: String?) -> String {
        let text = url + "\0" + (headersJSON ?? "") + "\0" + (id ?? "")
        return String(Digest.sha256.hex(of: text).prefix(32))
    }
}
