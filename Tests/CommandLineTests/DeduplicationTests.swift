import Foundation
import Imaging
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// `dataset.deduplicate` through the real program: of equal originals, the first row is kept.
@Suite(.timeLimit(.minutes(10))) struct DeduplicationTests {
    /// The content that a server has under each path; the test may change it.
    private final class Contents: Sendable {
        private let images: Mutex<[String: Data]>

        init(_ images: [String: Data]) { self.images = Mutex(images) }

        subscript(path: String) -> Data? {
            get { images.withLock { $0[path] } }
            set { images.withLock { $0[path] = newValue } }
        }
    }

    private let job: JobFolder
    private let server: LoopbackServer
    private let contents: Contents

    init() throws {
        job = try JobFolder()
        let contents = Contents(
            try ["a": 1, "b": 2, "c": 1, "d": 2, "e": 3, "f": 1].reduce(into: [:]) {
                $0["/\($1.key).png"] = try TestImages.tiny($1.value)
            }
        )
        self.contents = contents
        server = try LoopbackServer { request in
            contents[request.path].map { .data($0, type: "image/png") } ?? .status(404)
        }
    }

    private func write(
        _ names: String = "abcdef",
        dataset: String = #""deduplicate": "bytes""#,
        _ rest: String = ""
    ) throws {
        let urls = names.map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        try job.write(
            """
            "sources": [{"urls": [\(urls)]}], "dataset": {"honourRobots": false, \(dataset)},
            "outputs": [{"processors": [{"resize": {"width": 2}}], "format": "png", "path": "{stem}.{ext}"}],
            "retry": {"attempts": 1}\(rest)
            """
        )
    }

    /// The names of the files in the destination.
    private var files: String {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: job.folder.path("out"))
            return names.filter { $0.hasSuffix(".png") }.sorted().map { String($0.prefix(1)) }.joined()
        }
    }

    /// The items that are done, by the names of their originals.
    private func done() async throws -> String {
        try await job.items().filter { $0["state"] as? String == "done" }
            .compactMap { ($0["url"] as? String).map { String($0.suffix(5).prefix(1)) } }.joined()
    }

    /// The index of each item's twin; 0 for none.
    private func twins() async throws -> [Int] {
        try await job.items().map { ($0["twin"] as? [String: Any])?["index"] as? Int ?? 0 }
    }

    @Test("the first row of each original is made, and the others name it; nobody is asked twice")
    func bytes() async throws {
        try write()
        let run = try await job.run("--json")
        let told = try ToldJob.objects(run).compactMap { $0["item"] as? [String: Any] }
        #expect(told.count == 6 && told.count { $0["twin"] is [String: Any] } == 3, "\(run.output)")
        #expect(try files == "abe")
        #expect(try await twins() == [0, 0, 1, 2, 0, 1])
        #expect(server.requests.count == 6)

        let status = try await job.nukeBatch("status", "job.json")
        #expect(status.output.contains("\n  skipped as duplicate: 3\n"), "\(status.output)")
        let table = try await job.nukeBatch("items", "job.json", "--state", "skipped")
        #expect(
            table.lines.first == "skipped     \(server.address)/c.png  duplicate of \(server.address)/a.png",
            "\(table.output)"
        )
        let explained = try await job.nukeBatch("explain", "job.json", "\(server.address)/d.png")
        #expect(explained.output.contains("duplicate of \(server.address)/b.png"), "\(explained.output)")
        #expect(explained.output.contains("as item 2, and `dataset.deduplicate`"), "\(explained.output)")

        let again = try await job.run("--json")
        #expect(!again.output.contains("item_finished") && server.requests.count == 6, "\(again.output)")
    }

    @Test("the first row is kept although it arrives last")
    func order() async throws {
        let gate = Gate()
        let contents = contents
        let slow = try LoopbackServer { request in
            if request.path == "/a.png" { gate.wait() }
            return contents[request.path].map { .data($0, type: "image/png") } ?? .status(404)
        }
        defer { gate.open() }
        let urls = "abcdef".map { "\"\(slow.address)/\($0).png\"" }.joined(separator: ", ")
        try job.write(
            """
            "sources": [{"urls": [\(urls)]}], "dataset": {"honourRobots": false, "deduplicate": "bytes"},
            "outputs": [{"format": "original", "path": "{stem}.{ext}"}]
            """
        )
        let program = try Program("nuke-batch", ["run", "job.json"], in: job.folder.path)
        _ = await slow.requests(atLeast: 6)
        gate.open()
        let outcome = await program.wait()
        #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
        #expect(try files == "abe")
    }

    @Test("a list that changes changes which row is kept, as if it had been so from the start")
    func edited() async throws {
        try write("cabd")
        try await job.run()
        #expect(try await done() == "cb")
        // The first row leaves: the next one takes its place, from the cache.
        try write("abd")
        let plan = try await job.plan()
        let reasons = try #require(plan["reasons"] as? [[String: Any]])
        #expect(reasons.map { $0["reason"] as? String } == ["duplicate"], "\(plan)")
        try await job.run()
        #expect(try await done() == "ab" && server.requests.count == 4)
        // One that comes before it takes over, and its file is left to prune.
        try write("fabd")
        try await job.run()
        #expect(try await done() == "fb")
        #expect(try await twins() == [0, 1, 0, 3])
        #expect(try files == "abcf")
        #expect(try await job.nukeBatch("prune", "job.json", "--delete").exit == 0)
        #expect(try files == "bf")
        // Another order of the same rows.
        try write("dfba")
        try await job.run()
        #expect(try await done() == "df")
        #expect(server.requests.count == 5, "each original was loaded once")
    }

    @Test("an original that changes is compared anew")
    func changed() async throws {
        try write(
            "abcd",
            dataset: #""deduplicate": "bytes""#,
            #", "cache": {"directory": "cache", "revalidate": "always"}"#
        )
        try await job.run()
        #expect(try await done() == "ab")
        contents["/a.png"] = try TestImages.tiny(2)
        contents["/d.png"] = try TestImages.tiny(4)
        let before = server.requests.count
        try await job.run()
        #expect(try await twins() == [0, 1, 0, 0])
        #expect(try await done() == "acd")
        #expect(server.requests.count == before + 4, "each origin is asked once a run")
    }

    @Test("a row whose original cannot be had or made is no twin, until it can")
    func failing() async throws {
        let image = try #require(contents["/a.png"])
        contents["/a.png"] = nil
        try write("acf", dataset: #""deduplicate": "bytes""#)
        try await job.run(exit: 1)
        #expect(try await done() == "c")
        #expect(try await twins() == [0, 0, 2])
        contents["/a.png"] = image
        let retried = try await job.nukeBatch("retry", "job.json")
        #expect(retried.exit == 0, "\(retried.output)\(retried.errors)")
        #expect(try await done() == "a")
        #expect(try await twins() == [0, 1, 1])
    }

    @Test("of equal originals that are no images, the first fails for all")
    func broken() async throws {
        for name in ["a", "c", "f"] { contents["/\(name).png"] = Data("<html>not here</html>".utf8) }
        try write("acfbd")
        try await job.run(exit: 1)
        #expect(try await job.failures() == ["wrong_type"])
        #expect(try await twins() == [0, 1, 1, 0, 4])
        #expect(try await done() == "b")
    }

    @Test("the key may be added to a finished job, and taken away")
    func switched() async throws {
        try write("abcd", dataset: #""honourOptOut": true"#)
        try await job.run()
        #expect(try await done() == "abcd")
        try write("abcd")
        try await job.run()
        #expect(try await done() == "ab")
        try write("abcd", dataset: #""honourOptOut": true"#)
        try await job.run()
        #expect(try await done() == "abcd")
        #expect(try await twins() == [0, 0, 0, 0] && server.requests.count == 4)
    }

    @Test("duplicates have their facts, and are finished with them")
    func facts() async throws {
        try write("ac", dataset: #""deduplicate": "bytes""#, #", "facts": ["size"]"#)
        try await job.run()
        let sizes = try await job.items().compactMap { $0["facts"] as? [String: Any] }
        #expect(sizes.count == 2 && sizes.allSatisfy { $0["size"] != nil }, "\(sizes)")
        let again = try await job.run("--json")
        #expect(!again.output.contains("item_finished"), "\(again.output)")
    }

    @Test("a run of a few items loads no others, and the next ones agree with it")
    func limit() async throws {
        try write()
        try await job.run("--limit", "2", exit: 5)
        #expect(server.requests.count == 2)
        for _ in 0..<3 { try await job.nukeBatch("run", "job.json", "--limit", "1") }
        try await job.run()
        #expect(try await done() == "abe")
        #expect(try files.contains("a") && files.contains("b") && files.contains("e"))
    }

    @Test("no shard holds a duplicate")
    func shards() async throws {
        try write("cabdfe", dataset: #""deduplicate": "bytes", "pack": "tar", "itemsPerFile": 2"#)
        try await job.run()
        let read = try await ReadShards(job.folder.path("out"))
        let urls = read.members.compactMap(\.url).map { String($0.suffix(5).prefix(1)) }.sorted()
        #expect(urls == ["b", "c", "e"])
    }

    @Test("a part of a job cannot tell what the others have: it is refused, by the key's name")
    func parts() async throws {
        try write()
        let shard = try await job.nukeBatch("run", "job.json", "--shard", "1/2")
        #expect(shard.exit == 2 && shard.errors.contains("dataset.deduplicate \"bytes\""), "\(shard.errors)")
        #expect(shard.errors.contains("without --shard"), "\(shard.errors)")
        let fleet = try await job.nukeBatch("fleet", "plan", "job.json", "--store", "store")
        #expect(fleet.exit == 2 && fleet.errors.contains("dataset.deduplicate \"bytes\""), "\(fleet.errors)")
        #expect(job.files(in: "store").isEmpty && server.requests.isEmpty)
    }

    @Test(
        "by pixels, a photograph in another size is a duplicate, with its distance; another photograph is not"
    )
    func pixels() async throws {
        let coffee = try Repository.photo("coffee.png")
        let image = try ImageDecoder.decode(coffee)
        let half = try Resize(width: 300).apply(to: image, nominalSize: image.size, chroma: nil)
        contents["/a.png"] = coffee
        contents["/b.png"] = try Repository.photo("rocket.jpg")
        contents["/c.png"] = try ImageEncoder.encode(half, as: .jpeg())
        contents["/d.png"] = coffee
        // Without detail, only equal bytes count.
        contents["/e.png"] = try TestImages.tiny(1)
        contents["/f.png"] = try TestImages.tiny(1)
        try write("abcdef", dataset: #""deduplicate": "pixels""#, #", "facts": ["pdq"]"#)
        try await job.run()
        #expect(try await twins() == [0, 0, 1, 1, 0, 5])
        #expect(try files == "abe")
        let items = try await job.items()
        let distances = items.map { ($0["twin"] as? [String: Any])?["distance"] as? Int }
        #expect(distances[3] == 0 && distances[5] == 0, "\(distances)")
        #expect(distances[2].map((0...31).contains) == true, "\(distances)")
        #expect(server.requests.count == 6)
        let again = try await job.run("--json")
        #expect(!again.output.contains("item_finished") && server.requests.count == 6, "\(again.output)")

        try write("abcdef", dataset: #""deduplicate": "pixels""#)
        let without = try await job.nukeBatch("validate", "job.json")
        #expect(without.exit == 2 && without.output.contains(#"add "pdq" to "facts""#), "\(without.output)")
    }
}
