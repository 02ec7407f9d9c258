import Files
package import Foundation
package import JobManifest

extension PartitionLine {
    /// Reads a line that `text` has written; `name` and `number` are its file and line, for errors.
    /// - Throws: `SourceError` for anything else.
    package init(parsing line: Data, name: String, number: Int) throws(SourceError) {
        let root: JSONValue
        do throws(JSONParser.SyntaxError) {
            root = try Self.parse(line)
        } catch {
            throw SourceError("\(name):\(number)", "is no item of a partition: \(error.message)")
        }
        guard case .object(let members) = root.kind, let item = PartitionLine(members) else {
            throw SourceError("\(name):\(number)", "is no item of a partition: it lacks values")
        }
        self = item
    }

    /// Reads the lines of a file that is called `name` in messages.
    /// - Throws: `SourceError` for the first line that is no item.
    package static func all(in text: Data, name: String) throws(SourceError) -> [PartitionLine] {
        var lines: [PartitionLine] = []
        for (index, line) in text.lines.enumerated() {
            lines.append(try PartitionLine(parsing: line, name: name, number: index + 1))
        }
        return lines
    }

    private static func parse(_ line: Data) throws(JSONParser.SyntaxError) -> JSONValue {
        let result = line.withUnsafeBytes { bytes in
            Result { () throws(JSONParser.SyntaxError) in
                try JSONParser.parse(bytes.bindMemory(to: UInt8.self)).root
            }
        }
        return try result.get()
    }

    private init?(_ members: [JSONMember]) {
        var values: [String: JSONValue] = [:]
        for member in members { values[member.key] = member.value }
        guard let ordinal = values["ordinal"]?.number, let key = values["key"]?.string,
            let url = values["url"]?.string, let source = values["source"]?.number,
            let priority = values["priority"]?.string.flatMap(ItemPriority.init)
        else { return nil }
        self.ordinal = ordinal
        self.key = key
        self.url = url
        self.source = source
        self.priority = priority
        id = values["id"]?.string
        validator = values["validator"]?.string
        headers = values["headers"]?.strings ?? [:]
        if case .object(let members) = values["vars"]?.kind {
            columns = ItemColumns(members)
        } else {
            columns = ItemColumns([])
        }
        problem = values["problem"]?.strings.map { strings in
            ItemProblem(
                code: ErrorCode(rawValue: strings["error"] ?? "") ?? .badURL,
                message: strings["message"] ?? ""
            )
        }
        guard case .array(let elements) = values["blocked"]?.kind else {
            blocked = []
            return
        }
        blocked = elements.compactMap { element in
            guard case .object(let members) = element.kind else { return nil }
            let strings = element.strings
            let isSkipped = members.contains { member in
                if case .bool(true) = member.value.kind { member.key == "skipped" } else { false }
            }
            return Blocked(
                output: strings?["output"] ?? "",
                path: strings?["path"] ?? "",
                isSkipped: isSkipped
            )
        }
    }
}

extension JSONValue {
    fileprivate var string: String? { if case .string(let text) = kind { text } else { nil } }

    fileprivate var number: Int? { if case .number(let text) = kind { Int(text) } else { nil } }

    /// The members that are strings; nil for another value than an object.
    fileprivate var strings: [String: String]? {
        guard case .object(let members) = kind else { return nil }
        return Dictionary(members.compactMap { member in member.value.string.map { (member.key, $0) } }) {
            $1
        }
    }
}
