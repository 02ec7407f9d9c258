import JobFixtures
import Foundation
import JobManifest
import TestSupport
import Testing

@Suite struct GzipStreamTests {
    /// Two files of gzip that are the beginning and the end of one list.
    private static let first = Data(
        base64Encoded: "H4sIAAAAAAACA8soKSkottLXT9RLrUjMLchJ1TfUyypI51JWyMvnykCRBAAchk5eKwAAAA=="
    )
    private static let second = Data(
        base64Encoded: "H4sIAAAAAAACAyvISdU30ssqSOflyigpKSi20tdP1EutSMwtAEoYgyQAOfb9byIAAAA="
    )
    private static let urls = (1...3).map { "https://a.example/\($0).jpg" }

    private func items(_ data: Data) throws -> [PlannedItem] {
        let folder = try ManifestFolder()
        try folder.folder.write(data, to: "urls.txt.gz")
        return try folder.items(#"{"sources": [{"list": "urls.txt.gz"}]}"#)
    }

    @Test("members that follow each other are one text, zeros after them are nothing")
    func members() throws {
        let first = try #require(Self.first)
        let second = try #require(Self.second)
        #expect(try items(first + second).map(\.url) == Self.urls)
        #expect(try items(first + second + Data(repeating: 0, count: 100_000)).map(\.url) == Self.urls)
        #expect(try items(first + second).map(\.location).last == "urls.txt.gz:4")
    }

    @Test("cut and damaged files are errors wherever the cut is, never the end of the list")
    func cut() throws {
        let first = try #require(Self.first)
        let second = try #require(Self.second)
        for count in [
            0, 1, 9, 10, first.count - 9, first.count - 1, first.count + 1, first.count + second.count - 1,
        ] {
            let error = #expect(throws: SourceError.self) { try items((first + second).prefix(count)) }
            #expect(error?.message.contains("is truncated") == true, "\(count)")
        }
        var damaged = first + second
        damaged[20] ^= 0xFF
        #expect(throws: SourceError.self) { try items(damaged) }
        for whole in [first, first + second] {
            let error = #expect(throws: SourceError.self) { try items(whole + Data("no gzip".utf8)) }
            let count = whole == first ? 43 : 77
            #expect(error?.message.contains("is damaged after \(count) bytes") == true, "\(error as Any)")
        }
    }

    @Test(
        "a list that expands to more than 200 times its size is refused, below that it is read",
        arguments: [true, false]
    )
    func expansion(isBomb: Bool) throws {
        let folder = try ManifestFolder()
        // Deflate makes a thousandth of one row that is repeated, but not of rows that differ.
        let rows = (0..<(isBomb ? 2_000_000 : 50_000)).map { isBomb ? "x" : "https://a.example/\($0).jpg" }
        let path = try folder.folder.write(rows.joined(separator: "\n") + "\n", to: "urls.txt")
        let gzip = Process()
        gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gzip.arguments = ["gzip", "-9", path]
        try gzip.run()
        gzip.waitUntilExit()
        if isBomb {
            let error = #expect(throws: SourceError.self) {
                try folder.items(#"{"sources": [{"list": "urls.txt.gz"}]}"#)
            }
            #expect(error?.message.contains("expands to more than 200 times its size") == true)
        } else {
            #expect(try folder.items(#"{"sources": [{"list": "urls.txt.gz"}]}"#).count == rows.count)
        }
    }

    @Test("a compressed CSV is checked and read like one that is not")
    func csv() throws {
        // url,id / https://a.example/1,x
        let data = try #require(
            Data(base64Encoded: "H4sIAAAAAAACAystytHJTOHKKCkpKLbS10/US61IzC3ISdU31KngAgApjrAmHQAAAA==")
        )
        let folder = try ManifestFolder()
        try folder.folder.write(data, to: "a.csv.gz")
        let items = try folder.items(#"{"sources": [{"list": "a.csv.gz", "columns": {"id": "id"}}]}"#)
        #expect(items.map(\.id) == ["x"])
        #expect(
            try folder.errors(#"{"sources": [{"list": "a.csv.gz", "columns": {"id": "sku"}}]}"#).count == 1
        )
    }
}
