/// A JSON parser (RFC 8259) that keeps positions.
///
/// Foundation's parser has no positions, accepts duplicate keys and accepts more than JSON.
/// Depth, size and count of values are bounded, so hostile text costs bounded memory and never the stack.
package struct JSONParser {
    /// The limits of a text.
    package struct Limits: Sendable {
        /// Bytes of text.
        package var size = 64_000_000
        /// Objects and arrays inside each other.
        package var depth = 128
        /// Values in all, since a value takes more memory than its text.
        package var values = 4_000_000

        package init() {}
    }

    /// The forms of JSON.
    package enum Form: Sendable {
        /// JSON alone: RFC 8259.
        case strict
        /// JSON with `//` and `/* */` comments and with commas after the last member or element, as people write it.
        case relaxed
    }

    /// A value and the keys that came twice in one object.
    package struct Document: Sendable {
        package let root: JSONValue
        package let duplicateKeys: [DuplicateKey]
    }

    /// A key that its object had already.
    package struct DuplicateKey: Sendable {
        package let path: JSONPath
        package let offset: Int
        package let firstOffset: Int
    }

    /// The reason why a text is not JSON, and its position.
    package struct SyntaxError: Error, Sendable, Equatable {
        package let offset: Int
        package let message: String

        init(_ offset: Int, _ message: String) {
            (self.offset, self.message) = (offset, message)
        }
    }

    let text: UnsafeBufferPointer<UInt8>
    let form: Form
    let limits: Limits
    var index = 0
    private var valueCount = 0
    private var path = JSONPath.top
    private var duplicateKeys: [DuplicateKey] = []

    init(_ text: UnsafeBufferPointer<UInt8>, _ form: Form, limits: Limits) {
        self.text = text
        self.form = form
        self.limits = limits
    }

    /// Reads a whole text that holds one value; a byte order mark before it is skipped.
    /// - Throws: the first place that is not JSON, or the limit that the text passes.
    package static func parse(
        _ text: UnsafeBufferPointer<UInt8>,
        as form: Form = .strict,
        limits: Limits = Limits()
    ) throws(SyntaxError) -> Document {
        guard text.count <= limits.size else {
            throw SyntaxError(0, "the text is larger than \(limits.size) bytes")
        }
        var parser = JSONParser(text, form, limits: limits)
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { parser.index = 3 }
        let root = try parser.value(depth: 0)
        try parser.skipSpace()
        guard parser.index == text.count else {
            throw parser.unexpected("the text should end after its value")
        }
        return Document(root: root, duplicateKeys: parser.duplicateKeys)
    }

    /// Reads one value; `depth` counts the objects and arrays around it and bounds the recursion.
    private mutating func value(depth: Int) throws(SyntaxError) -> JSONValue {
        try skipSpace()
        let offset = index
        valueCount += 1
        guard valueCount <= limits.values else {
            throw SyntaxError(offset, "more than \(limits.values) values: move the URLs to a list")
        }
        let kind: JSONValue.Kind =
            switch peek {
            case UInt8(ascii: "{"): .object(try members(depth: try deeper(depth)))
            case UInt8(ascii: "["): .array(try elements(depth: try deeper(depth)))
            case UInt8(ascii: "\""): .string(try string())
            case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): .number(try number())
            case UInt8(ascii: "t") where skip("true"): .bool(true)
            case UInt8(ascii: "f") where skip("false"): .bool(false)
            case UInt8(ascii: "n") where skip("null"): .null
            default: throw unexpected("a value should be here")
            }
        return JSONValue(kind: kind, offset: offset, end: index)
    }

    private func deeper(_ depth: Int) throws(SyntaxError) -> Int {
        guard depth < limits.depth else {
            throw SyntaxError(index, "more than \(limits.depth) objects and arrays inside each other")
        }
        return depth + 1
    }

    private mutating func members(depth: Int) throws(SyntaxError) -> [JSONMember] {
        index += 1
        var members: [JSONMember] = []
        let parent = path
        defer { path = parent }
        try skipSpace()
        if skip(UInt8(ascii: "}")) { return members }
        while true {
            try skipSpace()
            let offset = index
            guard peek == UInt8(ascii: "\"") else {
                throw unexpected("a key in double quotes should be here")
            }
            let key = try string()
            try skipSpace()
            guard skip(UInt8(ascii: ":")) else { throw unexpected("':' should follow the key") }
            path = .key(parent, key)
            members.append(JSONMember(key: key, offset: offset, value: try value(depth: depth)))
            try skipSpace()
            if skip(UInt8(ascii: ",")) {
                guard try skipAfterComma(UInt8(ascii: "}")) else { continue }
            } else if !skip(UInt8(ascii: "}")) {
                throw unexpected("',' or '}' should follow")
            }
            duplicateKeys += members.duplicateKeys(in: parent)
            return members
        }
    }

    private mutating func elements(depth: Int) throws(SyntaxError) -> [JSONValue] {
        index += 1
        var elements: [JSONValue] = []
        let parent = path
        defer { path = parent }
        try skipSpace()
        if skip(UInt8(ascii: "]")) { return elements }
        while true {
            path = .index(parent, elements.count)
            elements.append(try value(depth: depth))
            try skipSpace()
            if skip(UInt8(ascii: ",")) {
                guard try skipAfterComma(UInt8(ascii: "]")) else { continue }
            } else if !skip(UInt8(ascii: "]")) {
                throw unexpected("',' or ']' should follow")
            }
            return elements
        }
    }

    /// Returns true if `end` is what follows a comma, and is behind it then.
    private mutating func skipAfterComma(_ end: UInt8) throws(SyntaxError) -> Bool {
        let comma = index - 1
        try skipSpace()
        guard skip(end) else { return false }
        if form == .relaxed { return true }
        throw SyntaxError(comma, "JSON has no comma before '\(Character(UnicodeScalar(end)))': remove it")
    }
}

extension [JSONMember] {
    /// The members whose keys others before them have, which are all in the object at `parent`.
    func duplicateKeys(in parent: JSONPath) -> [JSONParser.DuplicateKey] {
        guard count > 1 else { return [] }
        var first: [String: Int] = [:]
        first.reserveCapacity(count)
        var duplicates: [JSONParser.DuplicateKey] = []
        for member in self {
            if let offset = first[member.key] {
                let path = JSONPath.key(parent, member.key)
                duplicates.append(
                    JSONParser.DuplicateKey(path: path, offset: member.offset, firstOffset: offset)
                )
            } else {
                first[member.key] = member.offset
            }
        }
        return duplicates
    }
}
