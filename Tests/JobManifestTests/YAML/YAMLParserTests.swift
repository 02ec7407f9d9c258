@testable import JobManifest
import TestSupport
import Testing

@Suite struct YAMLParserTests {
    private func parse(
        _ bytes: [UInt8],
        limits: JSONParser.Limits = JSONParser.Limits()
    ) throws -> JSONParser.Document {
        try bytes.withUnsafeBufferPointer { try YAMLParser.parse($0, limits: limits) }
    }

    private func parse(_ text: String) throws -> JSONParser.Document { try parse(Array(text.utf8)) }

    private func failure(_ text: String) throws -> JSONParser.SyntaxError {
        try #require(#expect(throws: JSONParser.SyntaxError.self) { try parse(text) })
    }

    /// A value as JSON.
    private func json(_ value: JSONValue) -> String {
        switch value.kind {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let text): text
        case .string(let text): CanonicalJSON.string(text).text
        case .array(let elements): "[\(elements.map(json).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { CanonicalJSON.string($0.key).text + ":" + json($0.value) }.joined(separator: ","))}"
        }
    }

    @Test(
        "the tree is that of the same JSON",
        arguments: [
            ("a: 1\nb:\n  - x\n  - {c: true}\n", #"{"a":1,"b":["x",{"c":true}]}"#),
            (#"{"a": 1, "b": [1, 2.50, null,], }"#, #"{"a":1,"b":[1,2.50,null]}"#),
            ("# x\n---\n\"a\": 'it''s' # y\n...\n# z\n", #"{"a":"it's"}"#),
            ("a: |\n  x\n  y\nb: >-\n  x\n  y\n", #"{"a":"x\ny\n","b":"x y"}"#),
            ("a: x\n  y\n", #"{"a":"x y"}"#), ("a:\nb: ~\n", #"{"a":null,"b":null}"#),
            ("a: \"\\u00e9\\x41\\/\\0\"", #"{"a":"éA/\u0000"}"#),
            ("1: 2\ntrue: no\n", #"{"1":2,"true":"no"}"#),
            (
                "a: ${X}/b#c\nu: https://a.example/b?c=d&e\n",
                #"{"a":"${X}/b#c","u":"https://a.example/b?c=d&e"}"#
            ),
            ("\"<<\": 1\n\"\": 2\n? k\n: 3\n", #"{"<<":1,"":2,"k":3}"#), ("- a\r\n- b\r\n", #"["a","b"]"#),
            ("x", #""x""#), ("\u{FEFF}a: 1", #"{"a":1}"#), ("---\n", "null"),
        ]
    )
    func tree(text: String, expected: String) throws {
        #expect(json(try parse(text).root) == expected)
    }

    @Test("offsets are bytes, also behind wide characters, and those of keys are theirs")
    func offsets() throws {
        let text = "\u{FEFF}é: \"😀\"\r\nb:\r\n  - ü: [x]\r\n"
        guard case .object(let members) = try parse(text).root.kind, members.count == 2,
            case .array(let elements) = members[1].value.kind,
            case .object(let inner) = try #require(elements.first).kind, let last = inner.first
        else {
            Issue.record("another tree")
            return
        }
        let offsets = [
            members[0].offset, members[0].value.offset, members[1].offset, last.offset, last.value.offset,
        ]
        let expected = ["é", "\"😀\"", "b:", "ü", "[x]"].map { part in
            text.utf8.firstRange(of: part.utf8).map {
                text.utf8.distance(from: text.startIndex, to: $0.lowerBound)
            }
        }
        #expect(offsets == expected)
    }

    @Test(
        "what JSON cannot say is refused where it begins, with a remedy",
        arguments: [
            ("a: *x", 3, "aliases are not supported"), ("a: &x 1\nb: *x", 3, "anchors are not supported"),
            ("a: &x [1]", 3, "anchors"), ("a: &x {b: 1}", 3, "anchors"), ("&a b: 1", 0, "anchors"),
            ("a: !!str 1", 3, "tags are not supported"), ("a: ! 1", 3, "tags"), ("a: !x [1]", 3, "tags"),
            ("a: !x {b: 1}", 3, "tags"), ("b: 1\n<<: {a: 1}", 5, "merge keys are not supported"),
            ("? [x]\n: c", 2, "a key should be text"), ("? {a: 1}\n: c", 2, "a key should be text"),
            ("?\n: x", 1, "the key is missing"), ("a: 1\n---\nb: 2", 5, "write one manifest in a file"),
            ("a: 1\n...\n%TAG !a! b\n---\nb: 2", 9, "write one manifest in a file"),
            ("[1] x", 4, "write one manifest in a file"), ("%YAML 1.1\n---\na: 1", 0, "directives"),
            ("# x\n%TAG !a! b\n---\na: 1", 4, "directives"), ("", 0, "the document is empty"),
            (" # x\n", 5, "the document is empty"), ("a: 0777", 3, #""0777" is a number to some readers"#),
        ]
    )
    func refused(text: String, offset: Int, words: String) throws {
        let error = try failure(text)
        #expect(error.offset == offset && error.message.contains(words), "\(error)")
    }

    @Test(
        "an error of libyaml tells its place, where that part began, and a remedy",
        arguments: [
            ("a: b: c", 4, "not YAML: mapping values are not allowed in this context: check the indentation"),
            ("ü: @x", 4, "put text that begins with this character in quotes"),
            ("a: b\n\tc: d", 5, "indent with spaces"),
            ("a: \"x", 5, "while scanning a quoted scalar in line 1, column 4: close the quotes"),
            ("é: \"x", 6, "in line 1, column 4"), ("a: *.jpg", 4, "put text that begins with * in quotes"),
            ("a: [1, 2", 8, "in line 1, column 4: separate values by commas and close the bracket"),
            ("a: {stem}.jpg", 9, "put text with braces or brackets in quotes"),
            ("a: \"\\q\"", 4, "write a backslash as \\\\"), (": x", 0, "not YAML: "),
            ("a:\n  - b\n - c", 10, "not YAML: "),
        ]
    )
    func syntax(text: String, offset: Int, words: String) throws {
        let error = try failure(text)
        #expect(error.offset == offset && error.message.contains(words), "\(error)")
    }

    @Test(
        "bytes that are no text, and where",
        arguments: [
            ([0x61, 0x3A, 0x20, 0xFF], 3, "not UTF-8"),
            ([0xC3, 0xA9, 0x3A, 0x20, 0xC0, 0x80], 4, "not UTF-8"),
            ([0xEF, 0xBB, 0xBF, 0x61, 0xFF], 4, "not UTF-8"), ([0x61, 0x00], 1, "a control character"),
            ([0x61, 0x3A, 0x20, 0x07], 3, "a control character"), ([0xFF, 0xFE, 0x61, 0x00], 0, "not UTF-8"),
            ([0xFE, 0xFF, 0x00, 0x61], 0, "not UTF-8"), ([0x61, 0x00, 0x3A, 0x00], 1, "a control character"),
        ] as [([UInt8], Int, String)]
    )
    func bytes(bytes: [UInt8], offset: Int, words: String) throws {
        let error = #expect(throws: JSONParser.SyntaxError.self) { try parse(bytes) }
        #expect(error?.offset == offset && error?.message.contains(words) == true)
    }

    @Test("duplicate keys are told with their path and both places")
    func duplicates() throws {
        let keys = try parse("a:\n- 0\n- b: 1\n  c: 2\n  \"b\": 3\na: 0").duplicateKeys
        #expect(keys.map(\.path.description) == ["a[1].b", "a"])
        #expect(keys.map(\.offset) == [23, 30] && keys.map(\.firstOffset) == [9, 0])
    }

    @Test(
        "128 levels are read, 129 and a hundred thousand are refused",
        arguments: ["[", "{a: ", "- ", "? "]
    )
    func depth(open: String) throws {
        if open == "[" || open == "{a: " {
            let close = open == "[" ? "]" : "}"
            func nested(_ count: Int) -> String {
                String(repeating: open, count: count) + String(repeating: close, count: count)
            }
            _ = try parse(nested(128))
            #expect(try failure(nested(129)).message.contains("128"))
        }
        let message = try failure(String(repeating: open, count: 100_000)).message
        #expect(message.contains(open == "? " ? "a key should be text" : "128"), "\(message)")
    }

    @Test("a text that is too large or has too many values is refused; keys do not count")
    func limits() throws {
        var limits = JSONParser.Limits()
        (limits.size, limits.values) = (20, 3)
        _ = try parse(Array("{a: 1, b: 2}".utf8), limits: limits)
        for text in ["{a: 1, b: 2, c: 3}", "[1, 2, 3]", "a: 1" + String(repeating: " ", count: 17)] {
            #expect(throws: JSONParser.SyntaxError.self) { try parse(Array(text.utf8), limits: limits) }
        }
    }

    @Test("no text of random marks crashes the parser, and every error is within the text")
    func noise() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("{}[]\",:'0-?&*!|>%@`#\\ \n\t\u{FF}éa~<=.\r".utf8)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...40, using: &random)
            let bytes = (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
            do {
                _ = try parse(bytes)
            } catch {
                let offset = (error as? JSONParser.SyntaxError)?.offset ?? -1
                #expect((0...bytes.count).contains(offset), "seed \(seed), \(bytes)")
            }
        }
    }
}
