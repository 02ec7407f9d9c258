import Imaging

/// Types of values that are written as text.
extension ManifestNode {
    /// Reads a duration above 0.
    func duration() -> Duration? {
        let expected = "duration: write it like \"250ms\", \"30s\", \"10m\", \"2h\" or \"7d\""
        guard let text = string(), let duration = parsed(text, by: ManifestValue.duration, expected) else {
            return nil
        }
        guard duration > .zero else {
            report("should be above 0, not \(CanonicalJSON.quoted(text))")
            return nil
        }
        return duration
    }

    func durations() -> ClosedRange<Duration>? {
        parsed(
            string(),
            by: ManifestValue.durations,
            "duration range: write it like \"1s..60s\", the shorter duration first"
        )
    }

    func rate() -> Rate? {
        let expected = "rate: write it like \"80/s\" or \"600/m\", above 0"
        if case .number(let number) = value.kind {
            report("\(number) is not a \(expected)")
            return nil
        }
        return parsed(string(), by: ManifestValue.rate, expected)
    }

    /// Reads text of a form of its own; `expected` names the form, and how to write it.
    func parsed<Value>(_ text: String?, by read: (String) -> Value?, _ expected: String) -> Value? {
        guard let text else { return nil }
        guard let value = read(text) else {
            report("\(CanonicalJSON.quoted(text)) is not a \(expected)")
            return nil
        }
        return value
    }

    func size() -> Int? {
        quantity(
            ManifestValue.size,
            "size: write it like \"64KB\", \"100MB\", \"1GiB\", or as a number of bytes"
        )
    }

    func pixels() -> Int? {
        quantity(ManifestValue.pixels, "pixel count: write it like \"100MP\", or as a number")
    }

    /// A number, or text with a unit; above 0.
    private func quantity(_ read: (String) -> Int?, _ expected: String) -> Int? {
        switch value.kind {
        case .number(let text):
            if let count = Self.integer(text), count > 0 { return count }
            report("\(text) is not a \(expected), above 0")
        case .string(let text):
            if let count = read(text), count > 0 { return count }
            report("\(CanonicalJSON.quoted(text)) is not a \(expected), above 0")
        default:
            report("\(value.kindName) is not a \(expected)")
        }
        return nil
    }

    func color() -> Color? {
        if case .null = value.kind {
            report(
                "is null, not a colour: write it in quotes, like \"#FFF\", since # begins a comment in YAML"
            )
            return nil
        }
        let expected = "colour: write it like \"#FFF\", \"#1E90FF\" or \"#1E90FF80\""
        return parsed(string(), by: Color.init, expected)
    }

    /// An opaque colour.
    func opaqueColor() -> RGBColor? {
        guard let color = color() else { return nil }
        if color.alpha != 255 { report("should be opaque: remove its alpha") }
        return color.opaque
    }

    /// A string with its environment variables expanded; reports one that is not set.
    func expandedString() -> String? {
        guard let text = string() else { return nil }
        return expand(text)
    }

    private func expand(_ text: String) -> String? {
        guard reading.expandsVariables, Variables.occur(in: text) else { return text }
        return reporting { () throws(TextError) in
            try reading.shared.variables.expand(text, isSecret: path.isSecret)
        }
    }

    /// Header fields (RFC 9110, section 5) as written; the variables in them are checked.
    func headers() -> [String: String] {
        var headers: [String: String] = [:]
        var names: Set<String> = []
        for (name, node) in members() ?? [] {
            guard let text = node.string() else { continue }
            if name.isEmpty || !name.utf8.allSatisfy(Self.isTokenByte) {
                node.report(
                    "\(CanonicalJSON.quoted(name)) is not a header name: use letters, digits and - only"
                )
            }
            if !names.insert(name.lowercased()).inserted {
                node.report("duplicate header, in other case: keep one")
            }
            if let expanded = node.expand(text), !Self.isHeaderValue(expanded) {
                node.report("the value holds a line break or another control character: remove it")
            }
            headers[name] = text
        }
        return headers
    }

    /// The bytes of a token: RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Returns true if a header can have this value: it holds no control character but tab.
    static func isHeaderValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// A string for a header of a request, expanded.
    func headerText() -> String? {
        guard let text = expandedString() else { return nil }
        if !Self.isHeaderValue(text) { report("holds a line break or another control character: remove it") }
        return text
    }
}

extension JSONPath {
    /// True for a header or a part of credentials.
    fileprivate var isSecret: Bool {
        switch self {
        case .top: false
        case .index(let parent, _): parent.isSecret
        case .key(let parent, let key):
            key == "headers" || key == "auth" || parent.isSecret
        }
    }
}
