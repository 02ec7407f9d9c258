import Foundation
import JobFixtures
import JobManifest
import SQLite
import TestSupport
import Testing

@testable import JobPlanning

@Suite struct ItemChunkTests {
    /// Compares the items of chunks with those that are read one by one.
    private func expectEqual(_ manifest: Manifest, count: Int) throws {
        var single: [String] = []
        try ItemReader(manifest).forEach { single.append(Self.text($0)) }
        var chunked: [String] = []
        var chunks = 0
        let reader = ItemReader(manifest)
        while let chunk = try reader.nextChunk() {
            #expect(chunk.count > 0)
            chunk.forEach { chunked.append(Self.text($0)) }
            chunks += 1
        }
        #expect(chunked == single && single.count == count && chunks > 1)
    }

    private static func text(_ item: PlannedItem) -> String {
        "\(item.index) \(item.identity) \(item.variables.sorted { $0.key < $1.key }) \(item.priority) \(item.location) \(String(describing: item.problem))"
    }

    @Test("lines: comments, blank lines and lines that are too long, in chunks and one by one")
    func lines() throws {
        let folder = try ManifestFolder()
        var bytes = Data("\u{FEFF}".utf8)
        for number in 1...3000 {
            bytes += Data("https://a.example/\(number).jpg\n # no\n\n\t photos/\(number) ä.jpg \r\n".utf8)
        }
        bytes += Data("https://a.example/".utf8) + Data(repeating: 0x61, count: 1_500_000)
        bytes += Data("\nhttps://a.example/\u{0}\nhttps://a.example/end".utf8)
        try folder.folder.write(bytes, to: "urls.txt")
        try expectEqual(try folder.read(#"{"sources": [{"list": "urls.txt"}]}"#), count: 6003)
    }

    @Test("JSON lines: texts, objects and what is neither")
    func json() throws {
        let folder = try ManifestFolder()
        var text = ""
        for number in 1...2000 {
            text += "\"https://a.example/\(number).jpg\"\n\n# no JSON\n"
            text +=
                #"{"url": "https://a.example/\#(number)", "id": \#(number), "vars": {"n": "\#(number)"}}"#
                + "\n"
        }
        try folder.folder.write(text, to: "urls.jsonl")
        try expectEqual(try folder.read(#"{"sources": [{"list": "urls.jsonl"}]}"#), count: 6000)
    }

    @Test("rows of CSV: quotes, line breaks inside them, wrong rows and blank ones")
    func delimited() throws {
        let folder = try ManifestFolder()
        var text = "url,id,name\r\n"
        for number in 1...2000 {
            text += "https://a.example/\(number).jpg,\(number),\"a \"\"b\"\"\nc\"\r\n\r\n"
            text += "https://a.example/x,\(number)\r\nhttps://a.example/y\(number),\(number),\"a\"b\r\n"
        }
        try folder.folder.write(text, to: "urls.csv")
        let manifest = try folder.read(
            #"{"sources": [{"list": "urls.csv"}, {"urls": ["https://a.example/"]}]}"#
        )
        try expectEqual(manifest, count: 6001)
    }

    @Test("sources follow each other: items are counted over all of them")
    func sources() throws {
        let folder = try ManifestFolder()
        try folder.folder.write("https://a.example/1\n", to: "urls.txt")
        let manifest = try folder.read(
            #"""
            {"sources": [{"list": "urls.txt", "vars": {"a": "b"}, "priority": "low"},
                {"template": "https://a.example/{n}.jpg", "vars": {"n": "1..2500"}, "headers": {"A": "b"}}]}
            """#
        )
        try expectEqual(manifest, count: 2501)
    }

    @Test("the rows of a query come once, also where the last chunk is not full")
    func query() throws {
        let folder = try ManifestFolder()
        let connection = try Connection(path: folder.folder.path("p.db"))
        try connection.execute("PRAGMA journal_mode=DELETE")
        try connection.execute("CREATE TABLE p(url TEXT)")
        try connection.execute(
            """
            INSERT INTO p WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
            SELECT 'https://a.example/' || i FROM n
            """
        )
        let manifest = try folder.read(
            #"{"sources": [{"sqlite": "p.db", "query": "select url from p order by rowid"}]}"#
        )
        try expectEqual(manifest, count: 2500)
    }

    @Test("a chunk ends where no more rows are wanted")
    func stopped() throws {
        let folder = try ManifestFolder()
        try folder.folder.write("https://a.example/1\nhttps://a.example/2\n", to: "urls.txt")
        let manifest = try folder.read(#"{"sources": [{"list": "urls.txt"}]}"#)
        #expect(try ItemReader(manifest).nextChunk()?.count == 2)
        #expect(try ItemReader(manifest) { true }.nextChunk()?.count == 1)
    }
}
