import Foundation
import JobStorage
import TestSupport
import Testing

@Suite struct DictionaryJSONTests {
    @Test(arguments: [
        ["a": "b"], ["a": "b", "c": "d", "e": ""], ["": ""],
        ["quote": "\"", "back": "\\", "line": "\n\u{0}"],
        ["comma": "a,b:{c}", "name with { and }": "}"], ["größe": "日本 👍🏽"], [:],
    ])
    func readsWhatAnEncoderWrites(_ object: [String: String]) throws {
        let text = String(decoding: try JSONEncoder().encode(object), as: UTF8.self)
        #expect([String: String](json: text) == object)
    }

    @Test func writesWhatAnEncoderWrites() throws {
        var random = SeededGenerator(seed: SeededGenerator.seed(of: "plain JSON"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let characters = Array("aAbB_/09.- ~{}:,'é日\"\\\n\u{7F}")
        var plain = 0
        for _ in 0..<2000 {
            func text() -> String {
                let plain = Bool.random(using: &random) ? characters.count : characters.count - 6
                return String(
                    (0..<Int.random(in: 0...4, using: &random)).map { _ in
                        characters[.random(in: 0..<plain, using: &random)]
                    }
                )
            }
            let object = [String: String]((0..<3).map { _ in (text(), text()) }) { $1 }
            guard let json = object.plainJSON else { continue }
            plain += 1
            #expect(json == String(decoding: try encoder.encode(object), as: UTF8.self))
            #expect([String: String](json: json) == object)
        }
        #expect(plain > 100)
        for special in ["\"", "\\", "\n", "\u{7F}", "é"] {
            #expect([special: ""].plainJSON == nil, "\(special.debugDescription)")
            #expect(["": special].plainJSON == nil, "\(special.debugDescription)")
        }
    }

    @Test func readsOtherFormsOfIt() {
        #expect([String: String](json: #"{ "a" : "b" }"#) == ["a": "b"])
        #expect([String: String](json: #"{"\u0061": "\/"}"#) == ["a": "/"])
    }

    @Test(arguments: [
        "", "{", "}", #"{"a"}"#, #"{"a":"b""#, #"{"a":1}"#, #"{"a":"b":"c":"d"}"#, #"["a"]"#,
        #"{"a":"b"}}"#, #"{"a":"b"},"c":"d"}"#,
    ])
    func whatIsNoObjectOfTextsIsEmpty(_ text: String) {
        #expect([String: String](json: text).isEmpty)
    }
}
