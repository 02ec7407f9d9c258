import Files

/// URLs made of a template, such as `https://cdn.example.com/{sku}/{n}.jpg`: one for each choice of its variables' values.
public struct URLTemplate: Sendable, Equatable {
    /// A part of the template's text.
    enum Part: Sendable, Equatable {
        case text(String)
        /// The value of a variable, by its place among `variables`.
        case variable(Int)
    }

    /// A variable with the values that it takes, one after the other.
    package struct Variable: Sendable, Equatable {
        package let name: String
        package let values: Values
    }

    /// The values of a variable; ranges are not expanded in memory.
    package enum Values: Sendable, Equatable {
        case listed([String])
        /// A range of numbers, written with at least `width` digits.
        case range(ClosedRange<Int>, width: Int)

        package var count: Int {
            switch self {
            case .listed(let texts): texts.count
            case .range(let range, _): range.count
            }
        }

        package subscript(_ index: Int) -> String {
            switch self {
            case .listed(let texts): texts[index]
            case .range(let range, let width):
                String(range.lowerBound + index).leftPadded(to: width, with: "0")
            }
        }
    }

    let parts: [Part]
    /// The variables in the manifest's order; the last one changes fastest.
    package let variables: [Variable]
    /// The number of URLs.
    package let count: Int
    /// True if its text names variables of the environment.
    package let usesEnvironment: Bool

    /// The URL for the values of `variables`, in their order.
    package func url(_ values: [String]) -> String {
        var url = ""
        for part in parts {
            switch part {
            case .text(let text): url += text
            case .variable(let index): url += values[index]
            }
        }
        return url
    }
}

/// Templates from a manifest.
extension URLTemplate {
    init?(_ node: ManifestNode, _ fields: Fields) {
        guard let template = node.string(), let expanded = node.expandedString() else { return nil }
        guard let vars = fields.node(SourceKeys.vars) else {
            node.report("needs \"vars\" with the values of its variables: {\"n\": \"1..10\"}")
            return nil
        }
        let members = vars.members() ?? []
        var variables: [Variable] = []
        for (name, member) in members {
            member.checkVariableName(name)
            if let values = Values(member) { variables.append(Variable(name: name, values: values)) }
        }
        guard variables.count == members.count,
            let parts = Self.parts(template, names: variables.map(\.name), node)
        else { return nil }
        for (index, (name, member)) in members.enumerated() where !parts.contains(.variable(index)) {
            member.report("{\(name)} is not in the template: add it there, or remove it here")
        }
        var count = 1
        for variable in variables {
            let (product, overflows) = count.multipliedReportingOverflow(by: variable.values.count)
            guard !overflows else {
                vars.report("make too many URLs to count: shorten a range")
                return nil
            }
            count = product
        }
        self.parts = parts
        self.variables = variables
        self.count = count
        usesEnvironment = expanded != template
    }

    /// The template's text and variables; nil after a variable that `names` does not have, or a brace alone.
    private static func parts(_ template: String, names: [String], _ node: ManifestNode) -> [Part]? {
        var parts: [Part] = []
        var text = ""
        var rest = Substring(template)
        var isRight = true
        while let next = rest.unicodeScalars.first {
            // ${NAME} is of the environment, $${NAME} a text that looks so: both stay as they are written.
            if rest.utf8.starts(with: "${".utf8) || rest.utf8.starts(with: "$${".utf8) {
                let end = rest.unicodeScalars.firstIndex(of: "}")
                let past = end.map { rest.unicodeScalars.index(after: $0) } ?? rest.endIndex
                text += rest[..<past]
                rest = rest[past...]
                continue
            }
            guard next == "{" || next == "}" else {
                text.unicodeScalars.append(next)
                rest = rest.rest(after: rest.startIndex)
                continue
            }
            guard next == "{", let end = rest.unicodeScalars.firstIndex(of: "}") else {
                node.report("has an unmatched brace: write variables as {name}")
                return nil
            }
            let name = String(rest[..<end].rest(after: rest.startIndex))
            rest = rest.rest(after: end)
            guard let index = names.firstIndex(of: name) else {
                let hint = NearestName.hint(for: name, among: names)
                node.report("{\(name)} is not in \"vars\": add it there\(hint)")
                isRight = false
                continue
            }
            if !text.isEmpty { parts.append(.text(text)) }
            parts.append(.variable(index))
            text = ""
        }
        if !text.isEmpty { parts.append(.text(text)) }
        return isRight ? parts : nil
    }
}

extension URLTemplate.Values {
    /// Reads `["a", "b", 3]`, `"1..10"`, or `"01..10"`, whose numbers all have two digits.
    fileprivate init?(_ node: ManifestNode) {
        if case .array = node.value.kind {
            let elements = node.elements() ?? []
            let texts = elements.compactMap { $0.text() }
            guard texts.count == elements.count else { return nil }
            if texts.isEmpty { node.report("is empty: add a value") }
            self = .listed(texts)
            return
        }
        guard let text = node.string() else { return nil }
        guard let dots = text.utf8.firstRange(of: "..".utf8),
            let lower = Self.number(text[..<dots.lowerBound]),
            let upper = Self.number(text[dots.upperBound...])
        else {
            node.report(
                "\(CanonicalJSON.quoted(text)) is not a range: write it like \"1..10\" or \"01..10\", or as a list"
            )
            return nil
        }
        guard lower <= upper else {
            node.report("\(CanonicalJSON.quoted(text)) runs backwards: write the smaller number first")
            return nil
        }
        let bounds = [text[..<dots.lowerBound], text[dots.upperBound...]]
        let isPadded = bounds.contains { $0.utf8.count > 1 && $0.utf8.first == UInt8(ascii: "0") }
        self = .range(lower...upper, width: isPadded ? bounds.map(\.utf8.count).max() ?? 0 : 0)
    }

    private static func number(_ digits: Substring) -> Int? {
        guard (1...18).contains(digits.utf8.count), digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else {
            return nil
        }
        return Int(digits)
    }
}
