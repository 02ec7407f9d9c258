import JobFixtures
import JobManifest
import JobStorage
import Testing

@testable import JobPlanning

@Suite struct NewItemTests {
    private func items(_ text: String) throws -> [PlannedItem] {
        try ManifestFolder().items(text)
    }

    @Test("a row takes over what the item has, and leaves out what is empty")
    func values() throws {
        let item = try #require(
            try items(
                #"""
                {"sources": [{"urls": [{"url": "https://a.example/1", "id": "sku", "priority": "veryHigh",
                  "headers": {"B": "2", "A": "1"}, "vars": {"colour": "red"}}]}]}
                """#
            ).first
        )
        let row = NewItem(item, host: "a.example", paths: ["small/1.jpg"])
        #expect(row.url == "https://a.example/1" && row.id == "sku" && row.host == "a.example")
        #expect(row.priority == 4 && row.source == 0 && row.ordinal == 1)
        #expect(row.headersJSON == #"{"A":"1","B":"2"}"# && row.varsJSON == #"{"colour":"red"}"#)
        #expect(row.location == "sources[0].urls[0]" && row.problem == nil)
        let bare = try #require(try items(#"{"sources": [{"urls": ["https://a.example/1"]}]}"#).first)
        let plain = NewItem(bare, host: "a.example", paths: [])
        #expect(plain.headersJSON == nil && plain.varsJSON == nil && plain.placement == nil)
        #expect(plain.priority == 2 && plain.id == nil)
    }

    @Test("a bad row names its class and its location")
    func problem() throws {
        let item = try #require(try items(#"{"sources": [{"urls": ["gopher://a/"]}]}"#).first)
        let row = NewItem(item, host: "", paths: [])
        #expect(row.problem?.code == "scheme")
        #expect(row.problem?.message.hasPrefix("sources[0].urls[0]: the scheme \"gopher\"") == true)
    }

    @Test("the placement changes with every path and with their order, and is the same in every process")
    func placement() throws {
        let item = try #require(try items(#"{"sources": [{"urls": ["https://a.example/1"]}]}"#).first)
        let placement = { (paths: [String]) in NewItem(item, host: "a", paths: paths).placement }
        let all = [["a", "b"], ["b", "a"], ["a"], ["ab"], ["a", ""], ["", "a"]].map(placement)
        #expect(Set(all).count == all.count && !all.contains(nil))
        #expect(placement(["a", "b"]) == placement(["a", "b"]))
        // FNV-1a of "a", times the prime for the end of the path.
        let expected = UInt64(0xaf63_dc4c_8601_ec8c) &* 0x100_0000_01b3
        #expect(placement(["a"]) == Int64(bitPattern: expected))
    }
}
