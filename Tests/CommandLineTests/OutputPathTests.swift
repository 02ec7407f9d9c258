import Files
import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The paths of outputs: every variable, and the sanitising of values.
@Suite(.timeLimit(.minutes(10))) struct OutputPathTests {
    private let job: JobFolder
    private let server: LoopbackServer

    init() throws {
        job = try JobFolder()
        server = try LoopbackServer.tinyPictures()
    }

    @Test("every variable of a path")
    func variables() async throws {
        try job.writeCopies(
            [
                "\"http://LOCALHOST:\(server.port)/a/../b%20c/./%C3%84/1.png?x=1\"",
                #"{"url": "\#(server.address)/2.png", "id": "sku-42", "vars": {"colour": "red"}}"#,
            ],
            path: "{index}/{index:3}/{id}/{host}/{dir}/{stem}.{ext}"
        )
        let url = "http://LOCALHOST:\(server.port)/a/../b%20c/./%C3%84/1.png?x=1"
        try await job.run()
        let id = Digest.sha256.hex(of: url).prefix(16)
        let query = Digest.sha256.hex(of: "x=1").prefix(8)
        #expect(
            job.files() == [
                "1/001/\(id)/localhost_\(server.port)/a/b_c/Ä/1-\(query).png",
                "2/002/sku-42/127.0.0.1_\(server.port)/2.png",
            ]
        )
        try job.writeCopies(
            [#"{"url": "\#(server.address)/2.png", "vars": {"colour": "red"}}"#],
            path: "{name}-{width}x{height}-{shard}-{hash}-{colour}.{ext}"
        )
        try await job.run("--destination", "late")
        let hash = Digest.sha256.hex(of: try TestImages.tiny(2))
        #expect(job.files(in: "late") == ["o_u_t-4x4-\(hash.prefix(2))-\(hash)-red.png"])
    }

    @Test("a changed column of a path gives the file its new path, and the old one is orphaned")
    func changedColumn() async throws {
        func write(_ colour: String) throws {
            try job.folder.write(
                "url,colour\n\(server.address)/1.png,\(colour)\n\(server.address)/2.png,blue\n",
                to: "list.csv"
            )
        }
        try job.write(
            """
            "sources": [{"list": "list.csv"}],
            "outputs": [{"format": "png", "path": "{colour}/{stem}-{width}.{ext}"},
                        {"name": "copy", "format": "original", "path": "copies/{colour}/{stem}.{ext}"}]
            """
        )
        try write("red")
        try await job.run()
        try write("green")
        let run = try job.end(try await job.run("--json"))
        #expect(run["made"] as? Int == 2 && run["networkBytes"] as? Int == 0)
        let recorded = try await job.items().flatMap { item in
            (item["outputs"] as? [[String: Any]] ?? []).compactMap { $0["path"] as? String }
        }
        let expected = ["blue/2-4.png", "copies/blue/2.png", "copies/green/1.png", "green/1-4.png"]
        #expect(recorded.sorted() == expected)
        #expect(Set(job.files()) == Set(expected + ["red/1-4.png", "copies/red/1.png"]))
        #expect(try await job.run().output.hasPrefix("nothing to do: 2 items"))
        #expect(try await job.nukeBatch("prune", "job.json", "--delete").exit == 0)
        #expect(job.files() == expected)
    }

    @Test("the path that is not given, of a URL, of a file and of data")
    func standard() async throws {
        try job.folder.write(try TestImages.tiny(3), to: "photos/deep/3.png")
        let data = "data:image/png;base64,\(try TestImages.tiny(4).base64EncodedString())"
        try job.write(
            """
            "sources": [{"urls": ["\(server.address)/x/y/1.png", "\(data)"]}, {"files": "photos/**"}],
            "outputs": [{"name": "small", "format": "original"}, {"format": "original"}]
            """
        )
        try await job.run()
        let paths = [
            "127.0.0.1_\(server.port)/x/y/1.png", "local/\(Digest.sha256.hex(of: data).prefix(16)).png",
            "local/deep/3.png",
        ]
        #expect(
            job.files() == ["output", "small"].flatMap { name in paths.map { "\(name)/\($0)" } }.sorted()
        )
    }

    @Test("the extension of an original is told by its first bytes")
    func extensions() async throws {
        let gif = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
        try job.folder.write(try #require(Data(base64Encoded: gif)), to: "a.jpg")
        // A header of 54 bytes and one pixel with its padding.
        let bmp =
            [
                0x42, 0x4D, 58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0,
                24, 0,
            ] as [UInt8]
        try job.folder.write(Data(bmp) + Data(repeating: 0, count: 28), to: "b.jpg")
        // TIFF 6.0: one gray pixel; eight entries of 12 bytes each.
        let entries: [(UInt8, UInt8)] = [(0, 1), (1, 1), (2, 8), (3, 1), (6, 1), (17, 8), (22, 1), (23, 1)]
        var tiff: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, UInt8(entries.count), 0]
        for (tag, value) in entries { tiff += [tag, 1, 3, 0, 1, 0, 0, 0, value, 0, 0, 0] }
        try job.folder.write(Data(tiff + [0, 0, 0, 0]), to: "c.jpg")
        try job.folder.write(try Repository.photo("rocket.jpg"), to: "d.png")
        try job.folder.write(try TestImages.tiny(1), to: "e")
        try job.write(
            #""sources": [{"files": "*"}], "outputs": [{"path": "{stem}.{ext}", "format": "original"}], "destination": "made""#,
            to: "jobs/job.json"
        )
        try job.write(
            """
            "sources": [{"urls": ["a.jpg", "b.jpg", "c.jpg", "d.png", "e"]}],
            "outputs": [{"path": "{stem}.{ext}", "format": "original"}]
            """
        )
        try await job.run()
        #expect(job.files() == ["a.gif", "b.bmp", "c.tif", "d.jpg", "e.png"])
    }

    @Test(
        "what a value may not hold becomes _, and what is too long is cut",
        arguments: [
            ("x/y z", "x_y_z"), (".hidden", "_hidden|hidden"), ("..", "_.|_|._"), ("Zoë.a_b-c", "Zoë.a_b-c"),
            ("e\\u0308", "ë"),
            ("a*b?c", "a_b_c"),
        ]
    )
    func values(value: String, expected: String) async throws {
        try job.writeCopies([#"{"url": "\#(server.address)/1.png", "id": "\#(value)"}"#], path: "{id}.{ext}")
        try await job.run()
        let made = try #require(job.files().first)
        #expect(expected.split(separator: "|").contains { "\($0).png" == made }, "\(made)")
        // Composed, as it was asked for.
        #expect(Array(made.utf8) == Array(made.precomposedStringWithCanonicalMapping.utf8))
    }

    @Test("a long value is cut to 200 bytes and 8 digits of its hash")
    func longValue() async throws {
        let ids = ["b", "c"].map { String(repeating: "a", count: 300) + $0 }
        try job.writeCopies(
            ids.map { #"{"url": "\#(server.address)/1.png", "id": "\#($0)"}"# },
            path: "{id}.{ext}"
        )
        try await job.run()
        let names = job.files().map { $0.replacing(".png", with: "") }
        #expect(
            names.count == 2 && names.allSatisfy { $0.utf8.count <= 209 && $0.hasPrefix("aaaa") },
            "\(names)"
        )
        let hashes = ids.map { String(Digest.sha256.hex(of: $0).prefix(8)) }
        #expect(Set(names.map { String($0.suffix(8)) }) == Set(hashes))
    }
}
