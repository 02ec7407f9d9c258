import Foundation
import JobFixtures
import JobManifest
import Testing

@testable import JobPlanning

@Suite struct RedirectedAddressTests {
    private let environment = ["TOKEN": "hush-4711", "SPACED": "two words"]

    private func address(from asked: String) throws -> RedirectedAddress {
        let text = #"{"sources": [{"sitemap": "https://a.example/${TOKEN}/${SPACED}.xml"}]}"#
        let manifest = try ManifestFolder().read(text, environment: environment)
        return RedirectedAddress(manifest, from: try #require(URL(string: asked)))
    }

    @Test("without a redirect there is no other base") func none() throws {
        let address = try address(from: "https://a.example/map.xml?x")
        #expect(address.base(nil) == nil)
        #expect(address.base(URL(string: "https://a.example/map.xml?x")) == nil)
        #expect(address.stored(nil) == nil)
        #expect(try address.restored(nil) == nil)
    }

    @Test(
        "a base is stored without secrets, and comes back whole",
        arguments: [
            ("https://b.example/maps/a.xml?key=1", "https://b.example/maps/a.xml"),
            ("https://b.example/hush-4711/a.xml", "https://b.example/${TOKEN}/a.xml"),
            ("https://me:pass@a.example/deep/a.xml", "https://a.example/deep/a.xml"),
        ]
    )
    func stored(answered: String, expected: String) throws {
        let address = try address(from: "https://me:pass@a.example/map.xml")
        let base = address.base(URL(string: answered))
        #expect(base == String(answered.prefix { $0 != "?" }))
        #expect(address.stored(base) == expected)
        #expect(try address.restored(expected) == base)
    }

    @Test(
        "one that cannot be told without a secret is not stored, which offline runs say",
        arguments: ["https://you:word@b.example/a.xml", "https://b.example/hush%2D4711/a.xml"]
    )
    func secret(answered: String) throws {
        let address = try address(from: "https://a.example/map.xml")
        #expect(address.stored(address.base(URL(string: answered))) == "")
        let error = #expect(throws: ItemError.self) { try address.restored("") }
        #expect(error?.code == .offline && error?.message.contains("--offline") == true)
    }
}
