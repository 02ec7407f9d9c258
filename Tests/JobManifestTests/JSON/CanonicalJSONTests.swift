import Foundation
@testable import JobManifest
import Testing

@Suite struct CanonicalJSONTests {
    @Test(
        "each value has one text",
        arguments: [
            (.null, "null"), (.bool(true), "true"), (.bool(false), "false"), (.integer(-5), "-5"),
            (.number(1), "1.0"), (.number(0.1), "0.1"), (.number(.infinity), "null"),
            (.number(.nan), "null"), (.array([]), "[]"), (.object([:]), "{}"),
            (.array([.integer(1), .array([.null]), .string("a")]), #"[1,[null],"a"]"#),
        ] as [(CanonicalJSON, String)]
    )
    func text(json: CanonicalJSON, text: String) {
        #expect(json.text == text)
    }

    @Test("keys are sorted by their bytes")
    func order() {
        let json: CanonicalJSON = ["b": 1, "ä": 2, "a": 3, "B": 4, "aa": 5, "": 6, "~": 7]
        #expect(json.text == #"{"":6,"B":4,"a":3,"aa":5,"b":1,"~":7,"ä":2}"#)
    }

    @Test("strings escape what they must, and DEL")
    func strings() {
        let text = CanonicalJSON.string("\"\\/\n\r\t\u{0}\u{8}\u{1F} ~\u{7F}\u{80}é").text
        #expect(text == #""\"\\/\n\r\t\u0000\u0008\u001f ~\u007f"# + "\u{80}é\"")
        #expect(CanonicalJSON.object(["\n": .null]).text == #"{"\n":null}"#)
    }

    @Test("a whole number is written without a point")
    func plain() {
        let texts = [1, -3, 0.5, 1e3, 1e19].map { CanonicalJSON.plain($0).text }
        #expect(texts == ["1", "-3", "0.5", "1000", "1e+19"])
    }

    @Test("what is stored is read back as it was")
    func stored() throws {
        let text = #"{"a":[1,-2,2.5,true,false,null,"x",{}],"b":{"c":"1"},"d":""}"#
        let json = try JSONDecoder().decode(CanonicalJSON.self, from: Data(text.utf8))
        #expect(json.text == text)
        #expect(try JSONDecoder().decode(CanonicalJSON.self, from: JSONEncoder().encode(json)).text == text)
    }

    @Test("a line of JSON has its keys in order, and no number is lost")
    func line() {
        let fields: [String: any Encodable & Sendable] = [
            "b": 1, "a": "x/y", "c": Double.infinity, "d": -Double.infinity, "e": Double.nan,
            "f": Nullable<Int>(wrappedValue: nil), "g": Nullable(wrappedValue: 5),
        ]
        #expect(
            JSONLine.text(fields) == #"{"a":"x/y","b":1,"c":"inf","d":"-inf","e":"nan","f":null,"g":5}"#
        )
        #expect(JSONLine.text(["b", "a"]) == #"["b","a"]"#)
    }

    @Test("a quoted text has at most 80 characters, and none that a terminal obeys")
    func quoted() {
        let full = String(repeating: "ä", count: 80)
        #expect(CanonicalJSON.quoted(full) == "\"\(full)\"")
        #expect(CanonicalJSON.quoted(full + "x") == "\"\(full)…\"")
        #expect(CanonicalJSON.quoted("a\u{1B}\"\\") == #""a\u001b\"\\""#)
    }
}
