/// A value of a manifest with its position: reads it as a type, or reports an error.
///
/// Every reader returns nil after it has reported an error, so that reading continues and all errors are reported at
/// once.
package struct ManifestNode {
    let value: JSONValue
    let path: JSONPath
    let reading: ManifestReading

    /// Creates a node from its parts.
    package init(value: JSONValue, path: JSONPath, reading: ManifestReading) {
        self.value = value
        self.path = path
        self.reading = reading
    }

    func report(_ message: String) {
        reading.report(message, at: value.offset, path: path)
    }

    /// Returns what `read` makes of the value's text; its error is reported.
    func reporting<Value>(_ read: () throws(TextError) -> Value) -> Value? {
        do throws(TextError) {
            return try read()
        } catch {
            report(error.message)
            return nil
        }
    }

    /// Reports that the value is not of the type that `expected` names.
    func wrongType(_ expected: String) {
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
        guard let object = reading.shared.objectWithKey(plural) else {
            return ": write one value, without brackets"
        }
        return "; for several, use \"\(plural)\" of \(object)"
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
    func report(_ word: String, isNoneOf known: some Collection<String>, synonyms: [String: String] = [:]) {
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
