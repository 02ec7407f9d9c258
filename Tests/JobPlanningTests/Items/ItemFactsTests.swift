import Foundation
import JobManifest
import JobPlanning
import Testing

@Suite struct ItemFactsTests {
    @Test("facts are read back as they were written")
    func roundTrip() throws {
        let facts = ItemFacts([.size: ["height": 400, "width": 600], .location: .null])
        #expect(facts.json == #"{"location":null,"size":{"height":400,"width":600}}"#)
        let read = try #require(ItemFacts(json: facts.json))
        #expect(read.json == facts.json && read[.size]?.text == #"{"height":400,"width":600}"#)
        #expect(read[.exif]?.text == nil)
        #expect(String(decoding: try JSONEncoder().encode(read), as: UTF8.self).contains("\"width\":600"))
    }

    @Test("names of other releases are left out, and what is no object is nothing")
    func unknown() {
        #expect(ItemFacts(json: #"{"size": {"width": 1}, "mood": "good"}"#)?.json == #"{"size":{"width":1}}"#)
        for text in [nil, "", "null", "[1]", "{", "\"size\""] { #expect(ItemFacts(json: text) == nil) }
        #expect(ItemFacts(json: "{}")?.json == "{}")
    }

    @Test(
        "columns of a table: nested values by dots, nothing for what is unknown",
        arguments: [
            ("size.width", "600"), ("size.height", "400"), ("size.depth", ""), ("exif.make", "Canon"),
            ("exif.model", ""), ("location.latitude", ""), ("exif.fNumber", "2.8"),
            ("size", #"{"height":400,"width":600}"#),
        ]
    )
    func columns(column: String, text: String) {
        let facts = ItemFacts(
            json:
                #"{"size": {"width": 600, "height": 400}, "exif": {"make": "Canon", "model": null, "fNumber": 2.8}, "location": null}"#
        )
        #expect(facts?.text(ofColumn: column) == text)
    }
}
