@testable import JobManifest
import Testing

@Suite struct RelaxedJSONTests {
    private func parse(_ text: String) throws -> JSONValue {
        var text = text
        return try text.withUTF8 { try JSONParser.parse($0, as: .relaxed) }.root
    }

    @Test(
        "comments stand wherever blanks may, and a comma may follow the last element",
        arguments: [
            "// x\n1", "1// x", "/**/1/* \n */", "[1,]", "[1 , /* x */ ]", "{\"a\":1,}",
            "{ // x\r\"a\" /* : */ : // y\n 1 }",
            "[/*/ 2, */1]", "[1 /* // */, // /*\n 2]", "/* * / ** */1", "[\"// no\", \"/* no\"]",
            "// é\u{1}\n1",
        ]
    )
    func accepted(text: String) throws {
        _ = try parse(text)
    }

    @Test("text in strings is none")
    func strings() throws {
        guard case .string(let text) = try parse(#""a // b /* c */""#).kind else {
            Issue.record("no string")
            return
        }
        #expect(text == "a // b /* c */")
    }

    @Test(
        "what is refused, and where",
        arguments: [
            ("[1, /* x", 4, "the comment does not end: its closing */ is missing"),
            ("1 /*/", 2, "does not end"),
            ("/* *", 0, "does not end"), ("// x", 4, "the text ends too early"), ("[,]", 1, "not ','"),
            ("[1,,]", 3, "not ','"), ("{,}", 1, "not ','"), ("1,", 1, "not ','"), ("[1 / 2]", 3, "// or /*"),
            ("/", 0, "// or /*"), ("# x\n1", 0, "comments begin with // or /* in JSON"),
            ("1 */", 2, "not '*'"),
        ]
    )
    func refused(text: String, offset: Int, words: String) {
        let error = #expect(throws: JSONParser.SyntaxError.self) { try parse(text) }
        #expect(error?.offset == offset && error?.message.contains(words) == true, "\(error as Any)")
    }

    @Test("positions count the comments")
    func offsets() throws {
        guard case .array(let elements) = try parse("/* é */ [1, // x\n 2,]").kind else {
            Issue.record("no array")
            return
        }
        #expect(elements.map(\.offset) == [10, 19])
    }
}
