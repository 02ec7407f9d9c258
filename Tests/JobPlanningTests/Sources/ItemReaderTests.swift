import JobFixtures
import Foundation
import JobManifest
import JobPlanning
import TestSupport
import Testing

@Suite struct ItemReaderTests {
    @Test("sources follow each other, items are counted over all of them, what a source says is its items'")
    func sources() throws {
        let folder = try ManifestFolder()
        try folder.folder.write("https://a.example/2.jpg\n", to: "urls.txt")
        let items = try folder.items(
            #"""
            {"sources": [
              {"urls": ["https://a.example/1.jpg",
                        {"url": "https://a.example/1.jpg", "id": 42, "priority": "veryHigh",
                         "headers": {"accept": "image/webp"}, "vars": {"colour": "red"}}],
               "priority": "low", "headers": {"Accept": "*/*", "X": "y"}, "vars": {"colour": "blue", "n": 1.50}},
              {"list": "urls.txt"}]}
            """#
        )
        #expect(items.map(\.index) == [1, 2, 3] && items.map(\.source) == [0, 0, 1])
        #expect(items.map(\.location) == ["sources[0].urls[0]", "sources[0].urls[1]", "urls.txt:1"])
        #expect(items.map(\.priority) == [.low, .veryHigh, .normal])
        #expect(items.map(\.id) == [nil, "42", nil])
        #expect(items[0].headers == ["Accept": "*/*", "X": "y"])
        #expect(items[1].headers == ["accept": "image/webp", "X": "y"])
        #expect(items[0].variables == ["colour": "blue", "n": "1.50"])
        #expect(items[1].variables == ["colour": "red", "n": "1.50"])
        #expect(Set(items.map(\.identity)).count == 3 && Set(items.map(\.identityHash)).count == 3)
    }

    @Test("equal rows have equal identities, whatever their priority and variables")
    func identity() throws {
        let items = try ManifestFolder().items(
            #"""
            {"sources": [{"urls": [{"url": "https://a.example/1", "headers": {"a": "1", "b": "2"}, "priority": "low"},
                                   {"url": "https://a.example/1", "headers": {"b": "2", "a": "1"}, "vars": {"x": "y"}}]}]}
            """#
        )
        #expect(items[0].identity == items[1].identity && items[0].identityHash == items[1].identityHash)
    }

    @Test(
        "a list of lines: comments, blank lines, space around, CR LF, a byte order mark, no last line break"
    )
    func text() throws {
        let folder = try ManifestFolder()
        try folder.folder.write(
            "\u{FEFF}https://a.example/1.jpg\r\n\r\n  # no\n\t https://a.example/2.jpg \t\n#https://a.example/3.jpg\nphotos/ä b.jpg",
            to: "urls.txt"
        )
        let items = try folder.items(#"{"sources": [{"list": "urls.txt"}]}"#)
        #expect(items.map(\.url).prefix(2) == ["https://a.example/1.jpg", "https://a.example/2.jpg"])
        #expect(items[2].url == "file://" + folder.folder.path("photos/%C3%A4%20b.jpg"))
        #expect(items.map(\.location) == ["urls.txt:1", "urls.txt:4", "urls.txt:6"])
        #expect(items.allSatisfy { $0.problem == nil })
    }

    @Test(
        "what is a URL, and what it becomes",
        arguments: [
            ("https://a.example", "https://a.example"),
            ("HTTP://A.example:8080/x?y#z", "HTTP://A.example:8080/x?y"),
            ("https://u:p@a.example/", "https://u:p@a.example/"), ("http://[::1]:80/a", "http://[::1]:80/a"),
            ("https://a.example/ä{b}|c", "https://a.example/%C3%A4%7Bb%7D%7Cc"),
            ("https://a.example/%20%zz", "https://a.example/%20%25zz"),
            ("https://a.example/a b", "https://a.example/a%20b"),
            ("http://", nil), ("http:///a", "http://a"), ("http:a", "http://a"), ("https://a b/", nil),
            ("https://a<b/", nil),
            ("http://[::1", nil), ("http://[zz]/", nil), ("http://a:99999/", nil), ("http://a:8x/", nil),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"), ("http://a@/", nil),
            ("//a.example/b", "https://a.example/b"),
            ("data:image/png;base64,AAAA", "data:image/png;base64,AAAA"), ("data:nothing", nil),
            ("file:///a/b.jpg", "file:///a/b.jpg"), ("file://other/a", nil),
            ("/a/b?c.jpg", "file:///a/b%3Fc.jpg"),
            ("/a/100%.jpg", "file:///a/100%25.jpg"), ("../x/./y.jpg", "file:///jobs/x/y.jpg"),
        ] as [(String, String?)]
    )
    func urls(text: String, expected: String?) {
        let checked = ItemURL.check(text, folder: "/jobs/here", schemes: ["https", "http", "file", "data"])
        #expect((checked.problem == nil) == (expected != nil), "\(checked)")
        if let expected { #expect(checked.url == expected) }
        if expected == nil { #expect(checked.problem?.code == .badURL) }
        #expect(checked.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test("rows that are no items fail with their place, and none is lost")
    func problems() throws {
        let folder = try ManifestFolder()
        var bytes = Data("https://a.example/ok\nhttp://\ngopher://a/\nhttps://a.example/\u{0}\n".utf8)
        bytes += [0x68, 0x74, 0x74, 0x70, 0x3A, 0x2F, 0x2F, 0x61, 0x2F, 0xFF, 0x0A]
        bytes +=
            Data("https://a.example/".utf8) + Data(repeating: 0x61, count: 1_500_000)
            + Data("\nftp://a/b\n".utf8)
        bytes += Data("https://a.example/end".utf8)
        try folder.folder.write(bytes, to: "urls.txt")
        let items = try folder.items(
            #"{"sources": [{"list": "urls.txt"}], "network": {"schemes": ["https", "http"]}}"#
        )
        #expect(
            items.map(\.problem?.code) == [nil, .badURL, .scheme, .badURL, .badURL, .badURL, .scheme, nil]
        )
        #expect(items.map(\.location) == (1...8).map { "urls.txt:\($0)" })
        #expect(items[5].problem?.message.contains("1500018 bytes") == true)
        #expect(items[6].problem?.message.contains("ftp") == true)
        #expect(items.allSatisfy { $0.url.utf8.count < 1000 })
        #expect(Set(items.map(\.identity)).count == 8)
    }

    @Test("nothing is expanded in the rows of a list")
    func noVariables() throws {
        let folder = try ManifestFolder()
        try folder.folder.write("https://a.example/${TOKEN}\n", to: "urls.txt")
        try folder.folder.write(
            #"{"url": "https://a.example/x", "headers": {"X": "${TOKEN} $${TOKEN}"}}"#,
            to: "urls.jsonl"
        )
        let manifest = try folder.read(
            #"{"sources": [{"urls": ["https://${TOKEN}/"]}, {"list": "urls.txt"}, {"list": "urls.jsonl"}]}"#,
            environment: ["TOKEN": "secret"]
        )
        let reader = ItemReader(manifest)
        _ = try reader.next()
        let first = try #require(try reader.next())
        #expect(
            first.target == "https://a.example/$%7BTOKEN%7D" && manifest.target(of: first.url) == first.url
        )
        let second = try #require(try reader.next())
        #expect(manifest.expanded(headers: second.headers) == ["X": "${TOKEN} $${TOKEN}"])
    }

    @Test("a list's fingerprint changes with its bytes and its time")
    func fingerprint() throws {
        let folder = try ManifestFolder()
        let path = try folder.folder.write("a", to: "urls.txt")
        let first = try #require(ListFingerprint(path: path))
        #expect(ListFingerprint(path: path) == first && first.description.hasPrefix("1:"))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 5)],
            ofItemAtPath: path
        )
        #expect(ListFingerprint(path: path)?.modified == 5_000_000_000)
        #expect(try ListFingerprint.sha256(path: path).hasPrefix("ca978112ca1bbdca"))
        #expect(ListFingerprint(path: folder.folder.path("gone")) == nil)
    }
}
