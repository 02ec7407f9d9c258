/// A parser of the part of YAML 1.1 that says the same as JSON, with the same positions, limits and duplicate keys.
///
/// Anchors, aliases, merge keys, tags, directives, keys that are no text and further documents are refused.
package struct YAMLParser: ~Copyable {
    private typealias SyntaxError = JSONParser.SyntaxError

    private let limits: JSONParser.Limits
    private var events: YAMLEvents
    private var valueCount = 0
    private var path = JSONPath.top
    private var duplicateKeys: [JSONParser.DuplicateKey] = []

    private init(
        _ text: UnsafeBufferPointer<UInt8>,
        from start: Int,
        limits: JSONParser.Limits
    ) throws(JSONParser.SyntaxError) {
        self.limits = limits
        events = try YAMLEvents(text, from: start)
    }

    /// Reads a whole text that holds one document; a byte order mark before it is skipped.
    /// - Throws: The first place that is not such YAML, or the limit that the text passes.
    package static func parse(
        _ text: UnsafeBufferPointer<UInt8>,
        limits: JSONParser.Limits = JSONParser.Limits()
    ) throws(JSONParser.SyntaxError) -> JSONParser.Document {
        guard text.count <= limits.size else {
            throw SyntaxError(0, "the text is larger than \(limits.size) bytes")
        }
        let start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let first = YAMLSpace.end(in: text, from: start)
        guard first < text.count else { throw SyntaxError(first, "the document is empty: write a manifest") }
        // libyaml compares each directive with all before it.
        guard text[first] != UInt8(ascii: "%") else {
            throw SyntaxError(
                first,
                "directives are not supported: remove it, or put text that begins with % in quotes"
            )
        }
        var parser = try YAMLParser(text, from: start, limits: limits)
        let root = try parser.root()
        let end = YAMLSpace.end(in: text, from: try parser.documentEnd())
        guard end == text.count else {
            throw SyntaxError(end, "the text should end after its document: write one manifest in a file")
        }
        return JSONParser.Document(root: root, duplicateKeys: parser.duplicateKeys)
    }

    private mutating func root() throws(JSONParser.SyntaxError) -> JSONValue {
        while true {
            let event = try events.next()
            if case .other = event.kind { continue }
            return try value(of: event, depth: 0)
        }
    }

    /// Returns the offset behind the document.
    private mutating func documentEnd() throws(JSONParser.SyntaxError) -> Int {
        try events.next().offset
    }

    /// Reads the value that begins with `event`; `depth` counts the objects and arrays around it and bounds the recursion.
    private mutating func value(
        of event: YAMLEvents.Event,
        depth: Int
    ) throws(JSONParser.SyntaxError) -> JSONValue {
        let offset = event.offset
        valueCount += 1
        guard valueCount <= limits.values else {
            throw SyntaxError(offset, "more than \(limits.values) values: move the URLs to a list")
        }
        switch event.kind {
        case .scalar(let text, isPlain: false):
            return JSONValue(kind: .string(text), offset: offset, end: event.end)
        case .scalar(let text, isPlain: true):
            guard let kind = YAMLScalar.kind(of: text) else {
                throw SyntaxError(
                    offset,
                    "\(CanonicalJSON.quoted(text)) is a number to some readers of YAML and text to others: "
                        + "write a number like 777 or 0.5, or put text in quotes"
                )
            }
            return JSONValue(kind: kind, offset: offset, end: event.end)
        case .sequenceStart:
            try checkDepth(depth, at: offset)
            let (elements, end) = try elements(depth: depth + 1)
            return JSONValue(kind: .array(elements), offset: offset, end: end)
        case .mappingStart:
            try checkDepth(depth, at: offset)
            let (members, end) = try members(depth: depth + 1)
            return JSONValue(kind: .object(members), offset: offset, end: end)
        case .sequenceEnd, .mappingEnd, .documentEnd, .other:
            throw SyntaxError(offset, "a value should be here")
        }
    }

    private func checkDepth(_ depth: Int, at offset: Int) throws(JSONParser.SyntaxError) {
        guard depth < limits.depth else {
            throw SyntaxError(offset, "more than \(limits.depth) objects and arrays inside each other")
        }
    }

    /// Reads the elements of an array, and finds its end.
    private mutating func elements(depth: Int) throws(JSONParser.SyntaxError) -> ([JSONValue], end: Int) {
        var elements: [JSONValue] = []
        let parent = path
        defer { path = parent }
        while true {
            let event = try events.next()
            if case .sequenceEnd = event.kind { return (elements, Self.end(event, behind: elements.last)) }
            path = .index(parent, elements.count)
            elements.append(try value(of: event, depth: depth))
        }
    }

    /// Reads the members of an object, and finds its end.
    private mutating func members(depth: Int) throws(JSONParser.SyntaxError) -> ([JSONMember], end: Int) {
        var members: [JSONMember] = []
        let parent = path
        defer { path = parent }
        while true {
            let event = try events.next()
            if case .mappingEnd = event.kind {
                duplicateKeys += members.duplicateKeys(in: parent)
                return (members, Self.end(event, behind: members.last?.value))
            }
            let key = try Self.key(event)
            path = .key(parent, key)
            let value = try value(of: try events.next(), depth: depth)
            members.append(JSONMember(key: key, offset: event.offset, value: value))
        }
    }

    /// The end of an array or object: its bracket, or the end of its last value, since the end of a block has no text.
    private static func end(_ event: YAMLEvents.Event, behind last: JSONValue?) -> Int {
        event.end > event.offset ? event.end : last?.end ?? event.offset
    }

    /// The text of a key, which is never a number or another value.
    private static func key(_ event: YAMLEvents.Event) throws(JSONParser.SyntaxError) -> String {
        guard case .scalar(let text, let isPlain) = event.kind else {
            throw SyntaxError(event.offset, "a key should be text, not an object or array")
        }
        guard isPlain else { return text }
        if text == "<<" {
            throw SyntaxError(
                event.offset,
                "merge keys are not supported: write the keys themselves, or use \"include\""
            )
        }
        if text.isEmpty { throw SyntaxError(event.offset, "the key is missing: write it") }
        return text
    }
}

/// The places of a text that hold blanks and comments of YAML alone.
enum YAMLSpace {
    /// Returns the offset of the first byte from `start` on that is neither blank nor part of a comment.
    static func end(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var index = start
        while index < text.count {
            switch text[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            case UInt8(ascii: "#"):
                while index < text.count, text[index] != 0x0A, text[index] != 0x0D { index += 1 }
            default: return index
            }
        }
        return index
    }
}
