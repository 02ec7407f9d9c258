@testable import JobManifest
import Testing

@Suite struct JSONLimitTests {
    private func parse(
        _ text: String,
        size: Int = 100,
        depth: Int = 100,
        values: Int = 100
    ) throws -> JSONParser.Document {
        var limits = JSONParser.Limits()
        (limits.size, limits.depth, limits.values) = (size, depth, values)
        var text = text
        return try text.withUTF8 { try JSONParser.parse($0, limits: limits) }
    }

    @Test("a text may have as many bytes as the limit says")
    func size() throws {
        _ = try parse("[1, 2, 34]", size: 10)
        let error = #expect(throws: JSONParser.SyntaxError.self) { try parse("[1, 2, 34]", size: 9) }
        #expect(error == JSONParser.SyntaxError(0, "the text is larger than 9 bytes"))
    }

    @Test(
        "objects and arrays count alike, those beside each other do not",
        arguments: [
            ("[[1], [2], {}]", nil), (#"{"a": {"b": 1}, "c": []}"#, nil), ("[[[]]]", 2),
            (#"{"a": [{}]}"#, 7), ("[[], [{}]]", 6),
        ] as [(String, Int?)]
    )
    func depth(text: String, offset: Int?) throws {
        guard let offset else {
            _ = try parse(text, depth: 2)
            return
        }
        let error = #expect(throws: JSONParser.SyntaxError.self) { try parse(text, depth: 2) }
        #expect(error?.offset == offset && error?.message.hasPrefix("more than 2 objects") == true)
    }

    @Test(
        "each value counts, and no key",
        arguments: [("[1, 2]", 3), (#"{"a": 1, "b": [null]}"#, 4), ("[]", 1), (#""x""#, 1)]
    )
    func values(text: String, count: Int) throws {
        _ = try parse(text, values: count)
        #expect(throws: JSONParser.SyntaxError.self) { try parse(text, values: count - 1) }
    }

    @Test("a key that comes three times is told twice, each time with the first place")
    func threeTimes() throws {
        let keys = try parse(#"{"a":1,"a":2,"b":0,"a":3}"#).duplicateKeys
        #expect(keys.map(\.offset) == [7, 19] && keys.map(\.firstOffset) == [1, 1])
    }

    @Test("equal keys of different objects are none", arguments: [#"[{"a":1},{"a":1}]"#, #"{"a":{"a":1}}"#])
    func otherObjects(text: String) throws {
        #expect(try parse(text).duplicateKeys.isEmpty)
    }

    @Test("keys are compared behind their escapes, and in their case")
    func escapedKeys() throws {
        let keys = try parse(#"{"a":1,"A":2,"\u0061":3}"#).duplicateKeys
        #expect(keys.map(\.path.description) == ["a"] && keys.map(\.offset) == [13])
    }

    @Test(
        "a path shows plain keys with dots, and others in quotes",
        arguments: [
            (.top, ""), (.key(.top, "a"), "a"), (.key(.key(.top, "a"), "b-c_1"), "a.b-c_1"),
            (.index(.top, 0), "[0]"), (.key(.index(.key(.top, "a"), 12), "$b"), "a[12].$b"),
            (.key(.top, ""), #"[""]"#), (.key(.key(.top, "a.b"), "c"), #"["a.b"].c"#),
            (.key(.key(.top, "a"), "é"), #"a["é"]"#), (.key(.top, "a\n\""), #"["a\n\""]"#),
        ] as [(JSONPath, String)]
    )
    func paths(path: JSONPath, text: String) {
        #expect(path.description == text)
    }

    @Test("positions of one text are found in one pass, also the same twice and those behind its end")
    func positions() {
        var text = "a\n\u{E4}\tb\n"
        let positions = text.withUTF8 { TextPosition.positions(of: [0, 1, 1, 2, 4, 5, 6, 7, 99], in: $0) }
        let expected = [(1, 1), (1, 2), (1, 2), (2, 1), (2, 2), (2, 3), (2, 4), (3, 1), (3, 1)]
        #expect(positions == expected.map { TextPosition(line: $0.0, column: $0.1) })
    }
}
