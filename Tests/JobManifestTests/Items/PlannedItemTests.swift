@testable import JobManifest
import Testing

@Suite struct PlannedItemTests {
    @Test(
        "a row is named by its file and line, or by its place in the manifest",
        arguments: [
            (.line(file: "a.csv", number: 12), "a.csv:12"),
            (.entry(source: 1, index: 0), "sources[1].urls[0]"),
            (.product(source: 0, index: 7), "sources[0].template[7]"), (.file("/a/b.jpg"), "/a/b.jpg"),
        ] as [(PlannedItem.Position, String)]
    )
    func position(position: PlannedItem.Position, text: String) {
        #expect(position.description == text)
    }

    @Test("an item is known by its URL, its id and its headers")
    func identity() {
        let item = PlannedItem(testing: "u", headers: ["B": "2", "A": "1"])
        #expect(item.identity == #"{"headers":{"A":"1","B":"2"},"id":null,"url":"u"}"#)
        #expect(PlannedItem(testing: "u", id: "").identity == #"{"headers":{},"id":"","url":"u"}"#)
        #expect(item.location == "sources[0].urls[0]")
    }

    @Test("the hash of the identity is the same for equal rows only")
    func hash() {
        let hash = PlannedItem(testing: "u", id: "1", headers: ["A": "1"]).identityHash
        let same = PlannedItem(testing: "u", index: 2, id: "1", headers: ["A": "1"], variables: ["x": "y"])
        #expect(same.identityHash == hash)
        for other in [
            PlannedItem(testing: "v", id: "1", headers: ["A": "1"]),
            PlannedItem(testing: "u", id: nil, headers: ["A": "1"]),
            PlannedItem(testing: "u", id: "1", headers: ["A": "2"]),
        ] {
            #expect(other.identityHash != hash)
        }
        // Keys of a bucket are bytes: these two strings are equal, and two items.
        let (composed, decomposed) = ("s3://b/\u{E9}", "s3://b/e\u{301}")
        #expect(composed == decomposed)
        #expect(
            PlannedItem(testing: composed).identityHash != PlannedItem(testing: decomposed).identityHash
        )
    }
}
