/// A value of a manifest with its position: reads it as a type, or reports an error.
///
/// Every reader returns nil after it has reported an error, so that reading continues and all errors are reported at
/// once.
package struct ManifestNode {
    let value: JSONValue
    let path: JSONPath
    let reading: ManifestReading

    /// Creates a node from its parts.
    package init(
        value: JSONValue,
        path: JSONPath,
        reading: ManifestReading
    ) {
        self.value = value
        self.path = path
        self.reading = reading
    }

    func report(_ message: String) {
        reading.report(message, at: value.offset, path: path)
    }

    private func wrongType(_ expected: String) {
        report("should be \(expected), not \(value.kindName)\(hintAtNumber(expected))")
    }

    /// The end of an error about one value in the place of several, or several in the place of one.
    private func hintAtNumber(_ expected: String) -> String {
        guard case .key(_, let name) = path else { return "" }
        if expected == "an array" {
            switch value.kind {
            case .null: return ""
            default: return ": write it in brackets, \"\(name)\": [ … ]"
            }
        }
        guard case .array = value.kind else { return "" }
        let plural = name + "s"
        // A key of the same name may belong to an object around this one, as `widths` of an output does.
        guard let section = ManifestSection.all.first(where: { $0.contains(plural) }) else {
            return ": write one value, without brackets"
        }
        return "; for several, use \"\(plural)\" of \(section.article)"
    }

    /// The values of an object by key; reports unknown keys, and required ones that are missing.
    ///
    /// The parser has reported duplicates.
    func fields(_ section: ManifestSection) -> Fields? {
        guard case .object(let members) = value.kind else {
            wrongType("an object")
            return nil
        }
        var nodes: [String: ManifestNode] = [:]
        for member in members {
            let memberPath = JSONPath.key(path, member.key)
            if section.contains(member.key) {
                nodes[member.key] = ManifestNode(value: member.value, path: memberPath, reading: reading)
            } else {
                let isSeveral = if case .array = member.value.kind { true } else { false }
                reading.report(
                    "unknown key" + section.remedy(for: member.key, isSeveral: isSeveral),
                    at: member.offset,
                    path: memberPath
                )
            }
        }
        let fields = Fields(section: section, owner: self, nodes: nodes, count: members.count)
        for name in section.required { fields.require(anyOf: name) }
        if !section.anyOf.isEmpty { fields.require(section.anyOf) }
        return fields
    }

    /// The values of an object whose keys are the manifest's own: headers, vars, hosts.
    func members() -> [(key: String, node: ManifestNode)]? {
        guard case .object(let members) = value.kind else {
            wrongType("an object")
            return nil
        }
        return members.map { member in
            (member.key, ManifestNode(value: member.value, path: .key(path, member.key), reading: reading))
        }
    }

    func elements() -> [ManifestNode]? {
        guard case .array(let elements) = value.kind else {
            wrongType("an array")
            return nil
        }
        return elements.enumerated().map { index, element in
            ManifestNode(value: element, path: .index(path, index), reading: reading)
        }
    }

    func string() -> String? {
        guard case .string(let text) = value.kind else {
            wrongType("a string")
            return nil
        }
        return checked(text)
    }

    /// A string, or a number as written, because ids and variables are often numbers.
    func text() -> String? {
        switch value.kind {
        case .string(let text): return checked(text)
        case .number(let text): return text
        default:
            wrongType("a string")
            return nil
        }
    }

    private func checked(_ text: String) -> String? {
        if text.utf8.contains(0) {
            report("holds a NUL character: remove it")
            return nil
        }
        return text
    }

    func bool() -> Bool? {
        switch value.kind {
        case .bool(let value): return value
        case .string(let text):
            let word = Self.truthWords[text.lowercased()].map { ": write \($0)" } ?? ""
            report("should be true or false, not the text \(CanonicalJSON.quoted(text))\(word)")
        default: wrongType("true or false")
        }
        return nil
    }

    /// Words that YAML 1.1, or people, take for a truth value.
    private static let truthWords = [
        "yes": true, "y": true, "on": true, "true": true, "no": false, "n": false, "off": false,
        "false": false,
    ]

    func integer(_ range: ClosedRange<Int>) -> Int? {
        guard let text = numberText() else { return nil }
        guard let integer = Self.integer(text) else {
            report("should be a whole number from \(range.lowerBound) to \(range.upperBound), not \(text)")
            return nil
        }
        return inside(range, integer)
    }

    private func numberText() -> String? {
        switch value.kind {
        case .number(let text): return text
        case .string(let text): report("should be a number, not the text \(CanonicalJSON.quoted(text))")
        default: wrongType("a number")
        }
        return nil
    }

    func number(_ range: ClosedRange<Double>) -> Double? {
        guard let text = numberText() else { return nil }
        guard let number = Double(text), range.contains(number) else {
            report("should be from \(range.lowerBound) to \(range.upperBound), not \(text)")
            return nil
        }
        return number
    }

    /// The element of `T` with this raw value; `synonyms` are other words that people write for one.
    func choice<T>(_ type: T.Type, synonyms: [String: T] = [:]) -> T?
    where T: CaseIterable & RawRepresentable<String> {
        guard let text = string() else { return nil }
        if let choice = T(rawValue: text) { return choice }
        report(text, isNoneOf: T.allCases.map(\.rawValue), synonyms: synonyms.mapValues(\.rawValue))
        return nil
    }

    /// Reports a word that is not one of `known`.
    func report(
        _ word: String,
        isNoneOf known: some Collection<String>,
        synonyms: [String: String] = [:]
    ) {
        let names = known.map { "\"\($0)\"" }.sorted().joined(separator: ", ")
        let hint = NearestName.hint(for: word, among: known, synonyms: synonyms)
        report("\(CanonicalJSON.quoted(word)) is none of \(names)\(hint)")
    }

    func inside(_ range: ClosedRange<Int>, _ integer: Int) -> Int? {
        guard range.contains(integer) else {
            report("should be from \(range.lowerBound) to \(range.upperBound), not \(integer)")
            return nil
        }
        return integer
    }

    /// Returns the whole number that `text` is, also if it is written as `1e3` or `5.0`.
    static func integer(_ text: String) -> Int? {
        Int(text) ?? Double(text).flatMap { abs($0) < 9e15 ? Int(exactly: $0) : nil }
    }
}

/// The known keys of one object.
struct Fields {
    let section: ManifestSection
    let owner: ManifestNode
    /// The values by key, without unknown keys.
    let nodes: [String: ManifestNode]
    /// The number of members in the text, unknown keys included.
    let count: Int

    /// Reads the value of a key; nil if it is missing, or after an error.
    subscript<Value>(_ key: Key<Value>) -> Value? { node(key).flatMap(key.kind.read) }

    /// Reads the value of the one of `keys` that the object has.
    func alternative<Value>(of keys: [Key<Value>]) -> Value? {
        keys.first { nodes[$0.name] != nil }.flatMap { self[$0] }
    }

    /// The value of a key before it is read.
    func node(_ key: some ManifestKey) -> ManifestNode? { node(key.name) }

    /// The value of a key before it is read, by the key's name.
    func node(_ name: String) -> ManifestNode? {
        assert(section.contains(name), "\(name) is not among the keys of \(section.name)")
        return nodes[name]
    }

    /// Reports the object if none of the keys with these names is in it.
    func require(anyOf names: String...) { require(names) }

    fileprivate func require(_ names: [String]) {
        guard names.allSatisfy({ nodes[$0] == nil }) else { return }
        let list = names.map { "\"\($0)\"" }.joined(separator: " or ")
        owner.report("\(list) is missing: add it")
    }
}
