package import JobManifest
package import JobStorage

/// The columns and `vars` of an item, as the state and the lines of partitions have them: one object of JSON.
package struct ItemColumns: Sendable, Equatable {
    /// The columns and variables that are texts.
    package let texts: [String: String]
    /// The others, as JSON.
    package let typed: [String: String]

    /// The columns of a planned item.
    package init(_ item: PlannedItem) {
        typed = item.typedColumns
        texts = typed.isEmpty ? item.variables : item.variables.filter { item.typedColumns[$0.key] == nil }
    }

    /// Reads the object in a state; empty if there is none.
    package init(json: String?) {
        guard let json, json != "{}" else {
            self.init([:], typed: [:])
            return
        }
        // Most have texts alone, without escapes.
        if let texts = [String: String](plainJSON: json) {
            self.init(texts, typed: [:])
            return
        }
        var text = json
        let root = text.withUTF8 { try? JSONParser.parse($0).root }
        guard case .object(let members) = root?.kind else {
            self.init([])
            return
        }
        self.init(members)
    }

    /// Creates the columns from the members of an object.
    init(_ members: [JSONMember]) {
        var (texts, typed) = ([String: String](), [String: String]())
        for member in members {
            if case .string(let text) = member.value.kind {
                texts[member.key] = text
            } else {
                typed[member.key] = member.value.text
            }
        }
        self.init(texts, typed: typed)
    }

    private init(_ texts: [String: String], typed: [String: String]) {
        (self.texts, self.typed) = (texts, typed)
    }

    /// The object, with sorted keys; nil without columns.
    package var json: String? {
        guard typed.isEmpty else { return object.text }
        // Every item of a list has columns, and JSONEncoder would take more time than all other work with them.
        return texts.isEmpty ? nil : texts.plainJSON ?? JSONLine.text(texts)
    }

    /// The object.
    package var object: CanonicalJSON {
        .object(texts.mapValues(CanonicalJSON.string).merging(typed.mapValues(CanonicalJSON.written)) { $1 })
    }

    /// The text of a column in a table: that of a text, and the JSON of other values; nil for null, and where it is missing.
    package func text(of name: String) -> String? {
        texts[name] ?? typed[name].flatMap { $0 == "null" ? nil : $0 }
    }

    /// The types of the values by their columns, as `JobReader.listColumns` finds them; those of nulls are empty.
    package var contents: [String: ListColumn.Contents] {
        texts.mapValues { _ in .texts }.merging(typed.mapValues(Self.contents)) { $1 }
    }

    private static func contents(of json: String) -> ListColumn.Contents {
        switch json.utf8.first {
        case UInt8(ascii: "n"): return []
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .booleans
        case UInt8(ascii: "["), UInt8(ascii: "{"): return .texts
        default: break
        }
        if json.utf8.contains(where: { ".eE".utf8.contains($0) }) {
            return Double(json)?.isFinite == true ? .reals : [.reals, .hugeNumbers]
        }
        guard let number = Int64(json) else { return [.integers, .longIntegers, .hugeNumbers] }
        // Where floating-point numbers of 64 bits begin to skip whole ones.
        return number.magnitude <= 1 << 53 ? .integers : [.integers, .longIntegers]
    }

    /// The path variables of an item of `source`: the texts of all but nulls.
    package func variables(of source: Source?) -> [String: String] {
        if typed.isEmpty { return texts }
        return texts.merging(
            typed.compactMapValues { $0 == "null" ? nil : RowCell.pathText($0, of: source) }
        ) { $1 }
    }
}
