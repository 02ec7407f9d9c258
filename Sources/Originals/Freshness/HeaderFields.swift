import Foundation
package import FoundationNetworking

/// The header fields of a message, whose names are the same in any case (RFC 9110, section 5.1).
package struct HeaderFields: Sendable, Hashable, Codable {
    private struct Field: Sendable, Hashable, Codable {
        let name: String
        let value: String
    }

    private var fields: [String: Field] = [:]

    /// The fields of a dictionary.
    package init(_ fields: [String: String] = [:]) {
        for (name, value) in fields { self[name] = value }
    }

    package init(_ response: HTTPURLResponse) {
        for case (let name as String, let value as String) in response.allHeaderFields { self[name] = value }
    }

    package init(_ request: URLRequest) {
        self.init(request.allHTTPHeaderFields ?? [:])
    }

    /// The value of a field; setting nil removes it.
    package subscript(name: String) -> String? {
        get { fields[name.lowercased()]?.value }
        set { fields[name.lowercased()] = newValue.map { Field(name: name, value: $0) } }
    }

    /// All fields, by their names as they came.
    package var dictionary: [String: String] { Dictionary(fields.values.map { ($0.name, $0.value) }) { $1 } }

    /// The members of a field that is a list of names, in lower case.
    package func names(in field: String) -> [String] {
        (self[field] ?? "").split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }.filter { !$0.isEmpty }
    }

    /// Removes the fields of these names.
    package mutating func remove(_ names: some Sequence<String>) {
        for name in names { self[name] = nil }
    }

    /// Merges the fields of `other`, replacing those of the same names.
    package mutating func merge(_ other: HeaderFields) {
        fields.merge(other.fields) { $1 }
    }

    /// Removes what belongs to one connection alone and is never stored (RFC 9111, section 3.1).
    package mutating func removeConnectionFields() {
        remove(names(in: "Connection"))
        remove([
            "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info",
            "Proxy-Authorization", "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
        ])
    }
}

extension HeaderFields {
    /// Returns the fields as one text, one per line; nil if there are none.
    var lines: String? {
        let lines = fields.values.sorted { $0.name < $1.name }.map { "\($0.name): \($0.value)" }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// Reads what ``lines`` gave.
    init(lines: String) {
        self.init()
        for line in lines.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            self[String(line[..<colon])] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces
            )
        }
    }
}
