import Foundation
import Testing

@testable import Fleet

/// Names from a store: what is no digest, UUID, number or path below the destination is not made into one.
@Suite struct StoredNamesTests {
    @Test(
        "no digest",
        arguments: [
            "", "0", String(repeating: "a", count: 63), String(repeating: "a", count: 65),
            String(repeating: "A", count: 64), String(repeating: "g", count: 64),
            "../" + String(repeating: "a", count: 61), String(repeating: "é", count: 32),
            String(repeating: "a", count: 63) + "\u{0}", String(repeating: "١", count: 32),
        ]
    )
    func digests(text: String) {
        #expect(SHA256Name(parsing: text) == nil)
    }

    @Test("a digest keeps its bytes")
    func digest() throws {
        let name = SHA256Name(of: Data("abc".utf8))
        #expect(name.description == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(SHA256Name(digest: name.bytes) == name && SHA256Name(parsing: name.description) == name)
    }

    @Test(
        "no ID of an attempt",
        arguments: [
            "", "a", "../../victim", "00000000-0000-4000-8000-00000000000",
            "00000000-0000-4000-8000-00000000000A",
            "00000000-0000-4000-8000-000000000001/..", "{00000000-0000-4000-8000-000000000001}",
        ]
    )
    func attempts(text: String) {
        #expect(AttemptID(parsing: text) == nil)
    }

    @Test("an ID of an attempt is what one makes")
    func attempt() {
        let id = AttemptID()
        #expect(AttemptID(parsing: id.description) == id && AttemptID() != id)
    }

    @Test(
        "no path below the destination",
        arguments: [
            "", "/", "/etc/passwd", "..", "../x", "a/../../x", "a/..", "a//b", "a/", "./a", "a/./b",
            "a\u{0}b",
            "a/..\u{0}", String(repeating: "a/", count: 3000) + "a",
        ]
    )
    func paths(text: String) {
        #expect(OutputName(parsing: text) == nil)
    }

    @Test(
        "paths below the destination",
        arguments: ["a", "a/b.png", "..a/b..", "...", "a\u{338}/b", "\u{338}", " "]
    )
    func path(text: String) {
        #expect(OutputName(parsing: text)?.description == text)
    }

    @Test(
        "no partition's number",
        arguments: [
            "", "0", "00000", "0000000", "-00001", "+00001", "00000a", "٠٠٠٠٠١", "99999999999999999999",
            "10000001",
        ]
    )
    func partitions(text: String) {
        #expect(FleetKey.partition(text) == nil)
    }

    @Test("a partition's number in names", arguments: [0, 1, 999_999, 1_000_000, 10_000_000])
    func partition(number: Int) {
        #expect(FleetKey.partition(FleetKey.digits(number)) == number)
    }
}
