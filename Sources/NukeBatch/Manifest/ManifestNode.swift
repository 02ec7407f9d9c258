/// A value of a manifest on its way to become a setting: reads it as what it should be, or reports why it is not.
///
/// Every reader returns nil after it has reported, so that reading goes on and all errors come at once.
struct ManifestNode {
    let value: JSONValue
    let path: JSONPath
    let reading: ManifestReading

    func report(_ message: String) {
        reading.report(message, at: value.offset, path: path)
    }

    func notSupported(_ what: String) {
        report(NotSupportedYet.sentence(what))
    }

    private func wrongType(_ expected: String) {
        report("should be \(expected), not \(value.kindName)")
    }

    /// The values of an object by key, after unknown keys are reported.
    ///
    /// Duplicates have been, by the parser.
    func fields(_ section: ManifestSection) -> Fields? {
        guard case .object(let members) = value.kind else {
            wrongType("an object")
            return nil
        }
        let known = section.keys
        let later = NotSupportedYet.keys(of: section)
        var nodes: [String: ManifestNode] = [:]
        for member in members {
            let memberPath = JSONPath.key(path, member.key)
            if known.contains(member.key) {
                nodes[member.key] = ManifestNode(value: member.value, path: memberPath, reading: reading)
            } else if later.contains(member.key) {
                let sentence = NotSupportedYet.sentence("\"\(member.key)\"")
                reading.report(sentence, at: member.offset, path: memberPath)
            } else {
                reading.report(
                    "unknown key" + Self.remedy(for: member.key, among: known.union(later)),
                    at: member.offset,
                    path: memberPath
                )
            }
        }
        return Fields(owner: self, nodes: nodes, keys: members.map(\.key))
    }

    private static func remedy(for name: String, among known: Set<String>) -> String {
        let hint = NearestName.hint(for: name, among: known)
        if !hint.isEmpty { return hint }
        return known.isEmpty ? ": remove it" : "; known are \(known.sorted().joined(separator: ", "))"
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

    /// A string, or a number as it is written: ids and variables often are numbers.
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
        guard case .bool(let value) = value.kind else {
            wrongType("true or false")
            return nil
        }
        return value
    }

    func integer(_ range: ClosedRange<Int>) -> Int? {
        guard case .number(let text) = value.kind else {
            wrongType("a number")
            return nil
        }
        guard let integer = Self.integer(text) else {
            report("should be a whole number from \(range.lowerBound) to \(range.upperBound), not \(text)")
            return nil
        }
        return inside(range, integer)
    }

    func number(_ range: ClosedRange<Double>) -> Double? {
        guard case .number(let text) = value.kind else {
            wrongType("a number")
            return nil
        }
        guard let number = Double(text), range.contains(number) else {
            report("should be from \(range.lowerBound) to \(range.upperBound), not \(text)")
            return nil
        }
        return number
    }

    /// The element of `T` with this raw value.
    func choice<T>(_ type: T.Type, later: Set<String> = []) -> T?
    where T: CaseIterable & RawRepresentable, T.RawValue == String {
        guard let text = string() else { return nil }
        if let choice = T(rawValue: text) { return choice }
        report(noneOf: T.allCases.map(\.rawValue), later: later, text)
        return nil
    }

    /// Reports a word that is none of those that may stand here.
    func report(noneOf known: some Collection<String>, later: Set<String>, _ word: String) {
        guard !later.contains(word) else { return notSupported("\"\(word)\"") }
        let names = known.map { "\"\($0)\"" }.sorted().joined(separator: ", ")
        let hint = NearestName.hint(for: word, among: later.union(known))
        report("\(Self.quoted(word)) is none of \(names)\(hint)")
    }

    func inside(_ range: ClosedRange<Int>, _ integer: Int) -> Int? {
        guard range.contains(integer) else {
            report("should be from \(range.lowerBound) to \(range.upperBound), not \(integer)")
            return nil
        }
        return integer
    }

    /// `text` in quotes, shortened, with no character that a terminal would obey.
    static func quoted(_ text: String) -> String {
        let short = text.unicodeScalars.count > 80 ? String(text.unicodeScalars.prefix(80)) + "…" : text
        return CanonicalJSON.string(short).text
    }

    /// The whole number that `text` is, also where it is written as `1e3` or `5.0`.
    static func integer(_ text: String) -> Int? {
        Int(text) ?? Double(text).flatMap { abs($0) < 9e15 ? Int(exactly: $0) : nil }
    }
}

/// The known keys of one object.
struct Fields {
    let owner: ManifestNode
    let nodes: [String: ManifestNode]
    /// All keys of the object, the unknown ones too.
    let keys: [String]

    subscript(_ key: String) -> ManifestNode? { nodes[key] }

    /// Reports the object if none of `names` is in it.
    func require(_ names: String...) {
        guard nodes.keys.allSatisfy({ !names.contains($0) }) else { return }
        let list = names.map { "\"\($0)\"" }.joined(separator: " or ")
        owner.report("\(list) is missing: add it")
    }
}
