@testable import JobManifest
import Testing

/// Numbers, strings and the words of errors.
@Suite struct JSONTextTests {
    private func parse(_ text: String) throws -> JSONValue {
        var text = text
        return try text.withUTF8 { try JSONParser.parse($0) }.root
    }

    private func failure(_ text: String) throws -> JSONParser.SyntaxError {
        let error = #expect(throws: JSONParser.SyntaxError.self) { try parse(text) }
        return try #require(error)
    }

    private func string(_ text: String) throws -> String? {
        if case .string(let string) = try parse(text).kind { string } else { nil }
    }

    @Test(
        "numbers keep their text, to the last digit",
        arguments: [
            "0", "-0", "10", "1.0", "1.50", "-12.5e-3", "1E+2", "0.0e0", "123456789012345678901234567890",
        ]
    )
    func numbers(text: String) throws {
        guard case .number(let number) = try parse(" \(text)\n").kind else {
            Issue.record("\(text) is no number")
            return
        }
        #expect(number == text)
    }

    @Test(
        "what is no number is refused where it goes wrong",
        arguments: [
            ("00", 0), ("-01", 0), ("1.e1", 2), ("1e+", 3), ("1e+-1", 3), ("--1", 1), ("1.2.3", 3),
            ("-a", 1), ("0e", 2), ("0x", 1), ("1_000", 1), ("-.5", 1),
        ]
    )
    func wrongNumbers(text: String, offset: Int) throws {
        #expect(try failure(text).offset == offset)
    }

    @Test(
        "each escape is one character",
        arguments: [
            (#""\"""#, "\""), (#""\\""#, "\\"), (#""\/""#, "/"), (#""\b""#, "\u{8}"), (#""\f""#, "\u{C}"),
            (#""\n""#, "\n"), (#""\r""#, "\r"), (#""\t""#, "\t"), (#""\u0041""#, "A"),
            (#""\u00e9""#, "\u{E9}"), (#""\u00E9""#, "\u{E9}"), (#""\ud7ff""#, "\u{D7FF}"),
            (#""\ue000""#, "\u{E000}"), (#""\uffff""#, "\u{FFFF}"), (#""\ud800\udc00""#, "\u{10000}"),
            (#""\ud83d\ude00""#, "\u{1F600}"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
            (#""a\tb\tc""#, "a\tb\tc"), (#""\\u0041""#, #"\u0041"#),
        ]
    )
    func escapes(text: String, expected: String) throws {
        #expect(try string(text) == expected)
    }

    @Test(
        "half of a surrogate pair is refused where it begins",
        arguments: [
            #""ab\ud800""#, #""ab\udbffx""#, #""ab\udc00""#, #""ab\udfff\ud800""#, #""ab\ud800\ud800""#,
            #""ab\ud800\udbff""#, #""ab\ud800\ue000""#, #""ab\ud800\n""#, #""ab\ud800 \udc00""#,
        ]
    )
    func surrogates(text: String) throws {
        let error = try failure(text)
        #expect(error.offset == 3 && error.message.hasPrefix("half of a surrogate pair"))
    }

    @Test(
        "an escape that is none is refused where it begins",
        arguments: [
            (#""a\q""#, 2), (#""\U0041""#, 1), (#""a\u12""#, 2), (#""\u+123""#, 1), (#""\u 123""#, 1),
            (#""\ud800\u12""#, 1), (#""\u004""#, 1), (#""a\"#, 3),
        ]
    )
    func wrongEscapes(text: String, offset: Int) throws {
        #expect(try failure(text).offset == offset)
    }

    @Test(
        "an error says what it found",
        arguments: [
            (#"{"a":1,}"#, "JSON has no comma before '}': remove it"),
            ("[1 , ]", "JSON has no comma before ']': remove it"),
            ("[/", "a value should be here, and JSON has no comments: remove it"),
            ("[1 # x", "',' or ']' should follow, and JSON has no comments: remove it"),
            ("{'a'", "a key in double quotes should be here, and JSON quotes with \" only"),
            ("[~", "a value should be here, not '~'"), ("[!", "a value should be here, not '!'"),
            ("[\u{7F}", "a value should be here, not the byte 0x7F"),
            ("[\u{B}", "a value should be here, not the byte 0xB"),
            (#"{"a"}"#, "':' should follow the key, not '}'"),
            (#"{"a":1 "b"}"#, "',' or '}' should follow, not '\"'"),
            ("1 1", "the text should end after its value, not '1'"),
            ("[1", "the text ends too early: ',' or ']' should follow"),
            ("01", "a JSON number does not begin with 0: remove it"),
            ("\"a", "the string does not end: its closing quote is missing"),
        ]
    )
    func words(text: String, message: String) throws {
        #expect(try failure(text).message == message)
    }

    @Test(
        "all below the space is a control character",
        arguments: [("\u{1F}", false), (" ", true), ("\t", false)]
    )
    func controlCharacters(text: String, isRight: Bool) throws {
        #expect((try? string("\"\(text)\"")) == (isRight ? text : nil))
    }

    @Test("every value knows where it begins")
    func offsets() throws {
        let root = try parse(#" {"a": [10, "x"]}"#)
        guard case .object(let members) = root.kind, case .array(let elements) = members[0].value.kind else {
            Issue.record("another document")
            return
        }
        #expect(root.offset == 1 && members[0].offset == 2 && members[0].value.offset == 7)
        #expect(elements.map(\.offset) == [8, 12])
    }

    @Test(
        "well-formed bytes are counted up to the first that is not",
        arguments: [
            ([], 0), ([0x61, 0x62], 2), ([0xC3, 0xA4], 2), ([0x61, 0xC3], 1), ([0x61, 0xFF, 0x61], 1),
            ([0xF0, 0x9F, 0x98, 0x80, 0x80], 4), ([0xE2, 0x82], 0), ([0xED, 0xA0, 0x80], 0),
        ] as [([UInt8], Int)]
    )
    func validCount(bytes: [UInt8], count: Int) {
        #expect(bytes.withUnsafeBufferPointer { UTF8Check.validCount(of: $0) } == count)
    }
}
