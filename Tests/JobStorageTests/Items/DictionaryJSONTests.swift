import Foundation
import JobStorage
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
