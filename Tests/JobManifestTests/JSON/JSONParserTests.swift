import JobManifest
import TestSupport
import Testing

@Suite struct JSONParserTests {
    private func parse(
        _ bytes: [UInt8],
        limits: JSONParser.Limits = JSONParser.Limits()
    ) throws -> JSONParser.Document {
        try bytes.withUnsafeBufferPointer { try JSONParser.parse($0, limits: limits) }
    }

    private func failure(_ bytes: [UInt8]) -> JSONParser.SyntaxError? {
        do {
            _ = try parse(bytes)
            return nil
        } catch {
            return error as? JSONParser.SyntaxError
        }
    }

    @Test(
        "what RFC 8259 allows",
        arguments: [
            "0", "-0", "12", "-1.5e+10", "1E-2", "true", "false", "null", "\"\"", "[]", "{}",
            " [ 1 , 2 ]\r\n\t",
            #""\"\\\/\b\f\n\r\tA\ud83d\ude00""#, #"{"a":{"b":[{}]}}"#, "\u{FEFF}[1]", "\"\u{10FFFF}\u{7F}\"",
        ]
    )
    func accepted(text: String) throws {
        _ = try parse(Array(text.utf8))
    }

    @Test(
        "what it does not, and where",
        arguments: [
            ("", 0), ("  ", 2), ("[1,]", 2), ("{\"a\":1,}", 6), ("[1 2]", 3), ("{\"a\" 1}", 5), ("{a:1}", 1),
            ("01", 0), ("-", 1), ("1.", 2), (".5", 0), ("+1", 0), ("1e", 2), ("0x1", 1), ("NaN", 0),
            ("tru", 0),
            ("\"a", 0), ("\"\\x\"", 1), ("\"\\u12\"", 1), ("\"\\u12G4\"", 1), ("\"\\ud800\"", 1),
            ("\"\\ud800\\u0041\"", 1), ("\"\\udc00\"", 1), ("\"a\u{1}\"", 2), ("\"a\nb\"", 2), ("'a'", 0),
            ("// x\n1", 0), ("1 2", 2), ("[", 1), ("{", 1), ("]", 0), ("\u{A0}1", 0),
        ]
    )
    func refused(text: String, offset: Int) throws {
        let error = try #require(failure(Array(text.utf8)))
        #expect(error.offset == offset, "\(error.message)")
    }

    @Test(
        "bytes that are no UTF-8, and where",
        arguments: [
            ([0x22, 0xFF, 0x22], 1), ([0x22, 0x61, 0xC3, 0x22], 2), ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
            ([0x22, 0xC0, 0x80, 0x22], 1), ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1), ([0xFF, 0xFE], 0),
        ] as [([UInt8], Int)]
    )
    func invalidUTF8(bytes: [UInt8], offset: Int) throws {
        let error = try #require(failure(bytes))
        #expect(error.offset == offset, "\(error.message)")
    }

    @Test("escapes become what they stand for")
    func escapes() throws {
        let document = try parse(Array(#""a\u00e9\ud83d\ude00\u0000\n/\/""#.utf8))
        guard case .string(let text) = document.root.kind else {
            Issue.record("no string")
            return
        }
        #expect(text == "aé😀\u{0}\n//")
    }

    @Test("a number keeps its text")
    func numbers() throws {
        let document = try parse(Array("-12.50e1".utf8))
        guard case .number(let text) = document.root.kind else {
            Issue.record("no number")
            return
        }
        #expect(text == "-12.50e1")
    }

    @Test("duplicate keys are told with their path and both places")
    func duplicates() throws {
        let document = try parse(Array(#"{"a":[0,{"b":1,"c":2,"b":3}],"a":0}"#.utf8))
        #expect(document.duplicateKeys.map(\.path.description) == ["a[1].b", "a"])
        #expect(document.duplicateKeys.map(\.offset) == [21, 29])
        #expect(document.duplicateKeys.map(\.firstOffset) == [9, 1])
    }

    @Test("128 levels are read, 129 and a hundred thousand are refused", arguments: ["[", "{\"a\":"])
    func depth(open: String) throws {
        let close = open == "[" ? "]" : "}"
        func nested(_ count: Int) -> [UInt8] {
            Array(
                (String(repeating: open, count: count - 1) + open.prefix(1)
                    + String(repeating: close, count: count)).utf8
            )
        }
        _ = try parse(nested(128))
        #expect(failure(nested(129))?.message.contains("128") == true)
        #expect(failure(Array(String(repeating: open, count: 100_000).utf8))?.message.contains("128") == true)
    }

    @Test("a text that is too large or has too many values is refused")
    func limits() {
        var limits = JSONParser.Limits()
        limits.size = 10
        limits.values = 3
        #expect(throws: JSONParser.SyntaxError.self) {
            try parse(Array("[1,     2]   ".utf8), limits: limits)
        }
        #expect(throws: JSONParser.SyntaxError.self) { try parse(Array("[1,2,3]".utf8), limits: limits) }
        #expect(throws: Never.self) { try parse(Array("[1,2]".utf8), limits: limits) }
    }

    @Test("no text of random bytes or cut JSON crashes the parser")
    func noise() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("{}[]\",:0123456789.eE+-\\u\\d83d truefalsn\n\u{FF}é".utf8)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...40, using: &random)
            let bytes = (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
            if let error = failure(bytes) {
                #expect((0...bytes.count).contains(error.offset), "seed \(seed), \(bytes)")
            }
        }
    }

    @Test("columns are counted in characters, lines from 1, and a byte order mark not at all")
    func positions() {
        let text = Array("\u{FEFF}aé😀b\r\n  x".utf8)
        let offsets = [3, 4, 6, 10, 15]
        let positions = text.withUnsafeBufferPointer { TextPosition.positions(of: offsets, in: $0) }
        #expect(positions.map(\.line) == [1, 1, 1, 1, 2])
        #expect(positions.map(\.column) == [1, 2, 3, 4, 3])
    }
}
