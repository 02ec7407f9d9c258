import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `dataset`: shards and an index of a whole job, through the real program.
@Suite(.timeLimit(.minutes(10))) struct DatasetTests {
    private static let two =
        #"[{"name": "small", "processors": [{"resize": {"width": 2}}], "format": "jpeg"}, {"name": "web", "format": "png"}]"#
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        let photos = try (0..<7).map { try TestImages.tiny($0 * 30) }
        let robots = ["/1": "noai, noimageai", "/2": "SomeBot: noindex, NoAI", "/3": "noindex, nofollow"]
        server = try LoopbackServer { request in
            guard let number = Int(request.path.dropFirst()), photos.indices.contains(number) else {
                return .status(404)
            }
            var response = LoopbackServer.Response.resource(
                photos[number],
                type: "image/png",
                etag: "\"\(number)\"",
                for: request
            )
            if let field = robots[request.path] { response.headers.append(("X-Robots-Tag", field)) }
            return response
        }
    }

    private func write(_ dataset: String, outputs: String = two, count: Int = 7) throws {
        let rows = (0..<count).map { "\(server.url("/\($0)")),sku-\($0),\"red, \($0)\"" }
        try folder.write((["url,id,colour"] + rows).joined(separator: "\n") + "\n", to: "list.csv")
        try folder.write(
            """
            {"sources": [{"list": "list.csv"}], "outputs": \(outputs), "dataset": \(dataset),
             "network": {"allow": ["127.0.0.1"]}, "cache": {"directory": "cache"}, "facts": ["size"]}
            """,
            to: "job.json"
        )
    }

    private func run(_ arguments: String...) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", arguments, in: folder.path)
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted()
    }

    /// Lines of JSON as objects.
    private func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test(
        "seven items in shards of three, with all that is known of them, and an index that finds each member"
    )
    func whole() async throws {
        try write(#"{"pack": "tar", "itemsPerFile": 3, "index": "index.jsonl", "honourOptOut": false}"#)
        let run = try await run("run", "job.json")
        #expect(run.exit == 0 && run.output.contains("14 made"), "\(run.output)\(run.errors)")
        #expect(
            try files()
                == (0..<3).flatMap { ["0000\($0).tar", "0000\($0)_stats.json"] } + ["index.jsonl"]
        )
        let read = try await ReadShards(folder.path("out"))
        #expect(read.members.count == 21 && read.groups.count == 7 && Set(read.groups).count == 7)
        #expect(
            Dictionary(grouping: read.members, by: \.shard).mapValues(\.count).values.sorted() == [3, 9, 9]
        )
        for (key, members) in Dictionary(grouping: read.members, by: \.key) {
            #expect(key.count == 9)
            #expect(members.map(\.name) == ["\(key).small.jpg", "\(key).web.png", "\(key).json"])
            let told = try #require(try objects(members[2].text ?? "").first)
            #expect(
                told["id"] as? String == members[2].url.map { "sku-" + ($0 as NSString).lastPathComponent }
            )
            #expect((told["columns"] as? [String: String])?["colour"]?.hasPrefix("red, ") == true)
            #expect(
                (told["facts"] as? [String: Any])?["size"] as? [String: Int] == ["width": 4, "height": 4]
            )
            #expect(told["width"] as? Int == 4 && (told["sha256"] as? String)?.count == 64)
            let web = (told["outputs"] as? [String: [String: Any]])?["web"]
            #expect(
                web?["sha256"] as? String == members[1].sha256 && web?["bytes"] as? Int == members[1].size
            )
        }
        let index = try objects(String(contentsOfFile: folder.path("out/index.jsonl"), encoding: .utf8))
        #expect(index.map { $0["item"] as? Int } == (1...7).flatMap { [$0, $0] })
        for row in index {
            let member = read.members.first { "\($0.shard)/\($0.name)" == row["path"] as? String }
            #expect(member?.offset == row["offset"] as? Int && member?.size == row["bytes"] as? Int)
            #expect(member?.sha256 == row["hash"] as? String)
        }
        let listing = try await Program(path: "/bin/tar", ["tf", folder.path("out/00000.tar")], in: "/")
            .wait()
        #expect(listing.exit == 0 && listing.lines.count == 9, "\(listing.errors)")
        #expect(try await self.run("verify", "job.json").output == "14 outputs checked, 0 damaged\n")
        #expect(try await self.run("prune", "job.json", "--json").output.contains("tar") == false)

        // Nothing to do writes nothing; an index that is gone is written again.
        let before = read.shards
        try FileManager.default.removeItem(atPath: folder.path("out/index.jsonl"))
        let again = try await self.run("run", "job.json")
        #expect(again.exit == 0)
        #expect(try await ReadShards(folder.path("out")).shards == before)
        #expect(try files().contains("index.jsonl"))
        #expect(server.requests.count == 7 + 1)
    }

    @Test(
        "a changed recipe and new items go into new shards; the old ones stay until prune, and the index names the newest"
    )
    func changed() async throws {
        let dataset = #"{"pack": "tar", "itemsPerFile": 5, "index": "rows/index.csv", "honourOptOut": false}"#
        try write(dataset, outputs: #"[{"format": "jpeg"}]"#, count: 4)
        #expect(try await run("run", "job.json").exit == 0)
        let old = try await ReadShards(folder.path("out"))
        #expect(old.shards.count == 1 && old.members.map(\.name).contains("000000001.jpg"))
        try write(dataset, outputs: #"[{"format": {"jpeg": {"quality": 30}}}]"#, count: 5)
        #expect(try await run("run", "job.json").exit == 0)
        let new = try await ReadShards(folder.path("out"))
        #expect(new.shards.count == 2 && new.shards["00000.tar"] == old.shards["00000.tar"])
        #expect(new.members.count { $0.shard == "00001.tar" } == 10)
        // Each run that loads something asks for the robots.txt once.
        #expect(server.requests.count == 5 + 2)
        let script = """
            import csv, sys
            with open(sys.argv[1], newline="") as file:
                for row in csv.DictReader(file):
                    print(row["item"], row["path"].split("/")[0], row["id"], row["columns.colour"], row["width"])
            """
        let rows = try await Program(
            path: "/usr/bin/python3",
            ["-c", script, folder.path("out/rows/index.csv")],
            in: "/"
        ).wait()
        #expect(rows.lines == (0..<5).map { "\($0 + 1) 00001.tar sku-\($0) red, \($0) 4" }, "\(rows.errors)")
        #expect(try await run("verify", "job.json").output == "5 outputs checked, 0 damaged\n")
        // Nothing in the first shard is current any more.
        #expect(try await run("prune", "job.json").output.hasPrefix("to remove  00000.tar\n1 to remove"))
    }

    @Test(
        "verify finds a member with another byte, in its content or its header; --repair packs its shard anew, and prune removes it"
    )
    func verify() async throws {
        try write(#"{"pack": "tar", "honourOptOut": false}"#)
        #expect(try await run("run", "job.json").exit == 0)
        let path = folder.path("out/00000.tar")
        let members = try await ReadShards(folder.path("out")).members
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[members[0].offset + 9] ^= 1
        bytes[members[4].offset - 512] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        let damaged = try await run("verify", "job.json", "--json")
        #expect(
            damaged.exit == 1 && damaged.lines.last == #"{"checked":14,"damaged":2}"#,
            "\(damaged.output)"
        )
        let repaired = try await run("verify", "job.json", "--repair")
        #expect(repaired.exit == 0, "\(repaired.output)\(repaired.errors)")
        #expect(try files() == (0..<2).flatMap { ["0000\($0).tar", "0000\($0)_stats.json"] })
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        #expect(try await run("verify", "job.json").output == "14 outputs checked, 0 damaged\n")
        #expect(repaired.errors.contains("nuke-batch prune job.json --delete"), "\(repaired.errors)")
        #expect(try await run("prune", "job.json").output.contains("to remove  00000.tar\n1 to remove"))
        #expect(try await run("prune", "job.json", "--delete").exit == 0)
        #expect(try files() == ["00001.tar", "00001_stats.json"])
        #expect(try await run("prune", "job.json").output == "nothing to remove\n")
        #expect(try await run("verify", "job.json").output == "14 outputs checked, 0 damaged\n")
        try FileManager.default.removeItem(atPath: folder.path("out/00001.tar"))
        let gone = try await run("verify", "job.json", "--json")
        #expect(gone.exit == 1 && gone.output.contains(#""problem":"missing""#), "\(gone.output)")
        #expect(server.requests.count == 7 + 1)
    }

    @Test("each shard has its statistics beside it: what is in it, and when that was recorded")
    func statistics() async throws {
        let start = Date().timeIntervalSince1970
        try write(#"{"pack": "tar", "itemsPerFile": 3, "honourOptOut": false}"#)
        #expect(try await run("run", "job.json").exit == 0)
        let read = try await ReadShards(folder.path("out"))
        for (shard, members) in Dictionary(grouping: read.members, by: \.shard) {
            let name = shard.replacing(".tar", with: "_stats.json")
            let text = try String(contentsOfFile: folder.path("out/\(name)"), encoding: .utf8)
            let told = try #require(try objects(text.replacing("\n", with: "")).first)
            let images = members.filter { !$0.name.hasSuffix(".json") }
            let items = members.count - images.count
            #expect(told["count"] as? Int == items && told["successes"] as? Int == items)
            #expect(told["failed_to_download"] as? Int == 0 && told["failed_to_resize"] as? Int == 0)
            #expect(told["status_dict"] as? [String: Int] == ["success": items])
            #expect(told["outputs"] as? Int == images.count)
            #expect(told["bytes"] as? Int == images.reduce(0) { $0 + $1.size })
            let times = ["start_time", "end_time", "duration"].compactMap { told[$0] as? Double }
            try #require(times.count == 3)
            #expect(
                start - 1 <= times[0] && times[0] <= times[1] && times[1] <= Date().timeIntervalSince1970 + 1
            )
            #expect(abs(times[1] - times[0] - times[2]) < 0.0015)
        }
    }

    @Test("originals whose origin forbids it are left out, also when they come from the cache")
    func optOut() async throws {
        try write(#"{"index": "index.jsonl"}"#, outputs: #"[{"path": "{id}.{ext}", "format": "png"}]"#)
        let first = try await run("run", "job.json")
        #expect(first.exit == 0, "\(first.output)\(first.errors)")
        #expect(
            try files() == ["index.jsonl", "sku-0.png", "sku-3.png", "sku-4.png", "sku-5.png", "sku-6.png"]
        )
        for fresh in [false, true] {
            if fresh {
                let offline = try await run("run", "job.json", "--fresh", "--offline")
                #expect(offline.exit == 0, "\(offline.output)\(offline.errors)")
                #expect(server.requests.count == 7 + 1)
            }
            let items = try objects(try await run("items", "job.json", "--json", "--state", "skipped").output)
            #expect(items.map { $0["id"] as? String } == ["sku-1", "sku-2"])
            let reasons = items.compactMap {
                ($0["outputs"] as? [[String: Any]])?.first?["reason"] as? String
            }
            #expect(reasons == ["opt_out", "opt_out"])
        }
        let index = try objects(String(contentsOfFile: folder.path("out/index.jsonl"), encoding: .utf8))
        #expect(
            index.map { $0["path"] as? String } == [
                "sku-0.png", "sku-3.png", "sku-4.png", "sku-5.png", "sku-6.png",
            ]
        )
        #expect(index.allSatisfy { $0["offset"] is NSNull })

        // Who has the right to them says so: these two are made, and nothing else.
        try write(#"{"honourOptOut": false}"#, outputs: #"[{"path": "{id}.{ext}", "format": "png"}]"#)
        let all = try await run("run", "job.json", "--offline")
        #expect(all.exit == 0 && all.output.contains("2 made"), "\(all.output)\(all.errors)")
        #expect(try files().count { $0.hasSuffix(".png") } == 7)
        #expect(server.requests.count == 7 + 1)
    }

    @Test("two parts of a job fill shards of one destination side by side")
    func parts() async throws {
        try write(#"{"pack": "tar", "itemsPerFile": 2, "index": "index.jsonl", "honourOptOut": false}"#)
        async let first = run("run", "job.json", "--shard", "1/2")
        async let second = run("run", "job.json", "--shard", "2/2")
        let exits = try await [first.exit, second.exit]
        #expect(exits == [0, 0])
        let read = try await ReadShards(folder.path("out"))
        #expect(Set(read.members.compactMap(\.url)).count == 7 && read.members.count == 21)
        let rows = try ["1", "2"].flatMap { part in
            try objects(
                String(contentsOfFile: folder.path("out/index.shard-\(part)-of-2.jsonl"), encoding: .utf8)
            )
        }
        #expect(rows.count == 14 && Set(rows.compactMap { $0["path"] as? String }).count == 14)
    }
}
