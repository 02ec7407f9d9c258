import Foundation
import LoopbackServer
import SQLite
import TestSupport
import Testing

/// `verify`, `prune`, `cache` and what makes finished outputs again, through the real program.
@Suite(.timeLimit(.minutes(10))) struct MaintenanceTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        let photos = try (1...4).map { try TestImages.tiny($0) }
        server = try LoopbackServer { request in
            guard let number = Int(request.path.dropFirst().prefix(1)), photos.indices.contains(number) else {
                return .status(404)
            }
            return .resource(photos[number], type: "image/png", etag: "\"\(number)\"", for: request)
        }
        try write(path: "{stem}.{ext}")
    }

    private func write(path: String, urls: [Int] = [0, 1, 2, 3]) throws {
        let urls = urls.map { "\"\(server.url("/\($0).png"))\"" }.joined(separator: ", ")
        try folder.write(
            """
            {"sources": [{"urls": [\(urls)]}], "network": {"allow": ["127.0.0.1"]},
             "cache": {"directory": "cache"}, "outputs": [{"path": "\(path)", "format": "png"}]}
            """,
            to: "job.json"
        )
    }

    private func run(_ arguments: String...) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", arguments, in: folder.path)
    }

    @Test(
        "verify finds what is missing, longer or other, and --repair makes only these again, from the cache"
    )
    func verify() async throws {
        #expect(try await run("run", "job.json").exit == 0)
        let whole = try await run("verify", "job.json")
        #expect(whole.exit == 0 && whole.output == "4 outputs checked, 0 damaged\n")
        let kept = try Data(contentsOf: URL(fileURLWithPath: folder.path("out/3.png")))
        try FileManager.default.removeItem(atPath: folder.path("out/0.png"))
        try folder.write(kept + [0], to: "out/1.png")
        var other = try Data(contentsOf: URL(fileURLWithPath: folder.path("out/2.png")))
        other[other.count - 5] ^= 1
        try folder.write(other, to: "out/2.png")
        let damaged = try await run("verify", "job.json", "--json")
        #expect(damaged.exit == 1)
        let problems = ["missing", "size", "content"]
        #expect(damaged.lines.count == 4)
        for (line, problem) in zip(damaged.lines, problems) {
            #expect(line.contains("\"problem\":\"\(problem)\""))
        }
        #expect(damaged.lines.last == #"{"checked":4,"damaged":3}"#)
        let requests = server.requests.count
        let repaired = try await run("verify", "job.json", "--repair")
        #expect(repaired.exit == 0 && repaired.output.contains("3 made"), "\(repaired.output)")
        #expect(server.requests.count == requests)
        #expect(try await run("verify", "job.json").exit == 0)
    }

    @Test("prune lists what no item makes any more, and --delete leaves what somebody has changed")
    func prune() async throws {
        #expect(try await run("run", "job.json").exit == 0)
        try write(path: "moved/{stem}.{ext}", urls: [0, 1, 2])
        #expect(try await run("run", "job.json").exit == 0)
        try folder.write("mine now", to: "out/1.png")
        try FileManager.default.removeItem(atPath: folder.path("out/2.png"))
        let listed = try await run("prune", "job.json")
        #expect(
            listed.lines.prefix(4) == [
                "to remove  0.png", "kept: it was changed after it was written  1.png", "gone already  2.png",
                "to remove  3.png",
            ]
        )
        #expect(FileManager.default.fileExists(atPath: folder.path("out/0.png")))
        #expect(try await run("plan", "job.json").output.contains("4 outputs to prune"))
        #expect(try await run("prune", "job.json", "--delete").exit == 0)
        let left = try FileManager.default.subpathsOfDirectory(atPath: folder.path("out")).sorted()
        #expect(left == ["1.png", "moved", "moved/0.png", "moved/1.png", "moved/2.png"])
        let again = try await run("prune", "job.json")
        #expect(again.lines.last == "nothing to remove")
        // Back to the former path: the files move back, and the folder that is empty then goes.
        try write(path: "{stem}.{ext}", urls: [0, 2])
        #expect(try await run("run", "job.json").exit == 0)
        #expect(try await run("prune", "job.json", "--delete").exit == 0)
        let back = try FileManager.default.subpathsOfDirectory(atPath: folder.path("out")).sorted()
        #expect(back == ["0.png", "1.png", "2.png"])
        #expect(try await run("verify", "job.json").exit == 0)
    }

    @Test("a warming looks whether the cache that it filled is still there, and says what is not")
    func lostOriginals() async throws {
        #expect(try await run("warm", "job.json").exit == 0)
        #expect(try await run("warm", "job.json").output.contains("nothing to do"))
        #expect(try await run("cache", "remove", "job.json", "--url", "/1.png").exit == 0)
        let one = try await run("warm", "job.json")
        #expect(one.exit == 0 && one.output.contains("1 made"), "\(one.output)")
        #expect(one.output.contains("warning: 1 original is no longer in the cache"), "\(one.output)")
        #expect(try await run("cache", "clear", "job.json").exit == 0)
        let plan = try await run("plan", "job.json")
        #expect(plan.exit == 0)
        let all = try await run("warm", "job.json")
        #expect(
            all.output.contains("4 made") && all.output.contains("4 originals are no longer"),
            "\(all.output)"
        )
        try FileManager.default.removeItem(atPath: folder.path("cache"))
        #expect(try await run("warm", "job.json").output.contains("4 made"))
        #expect(try await run("warm", "job.json").output.contains("nothing to do"))
        #expect(try await run("cache", "stat", "job.json").output.contains("4 originals"))
    }

    @Test("trimming says what pins keep, and needs a size")
    func pinned() async throws {
        #expect(try await run("warm", "job.json").exit == 0)
        let trimmed = try await run("cache", "trim", "job.json", "--size", "1")
        #expect(trimmed.exit == 0 && trimmed.output.contains("0 removed"), "\(trimmed.output)")
        #expect(
            trimmed.errors.contains("pinned by") && trimmed.errors.contains(".sqlite"),
            "\(trimmed.errors)"
        )
        let endless = try await run("cache", "trim", "--cache", "cache")
        #expect(endless.exit == 2 && endless.errors.contains("--size"), "\(endless.errors)")
    }

    @Test("what removes originals needs to be told of which cache", arguments: ["remove", "trim", "clear"])
    func unnamedCache(action: String) async throws {
        #expect(try await run("warm", "job.json").exit == 0)
        try FileManager.default.createDirectory(
            atPath: folder.path("home/nuke-batch"),
            withIntermediateDirectories: true
        )
        try FileManager.default.copyItem(
            atPath: folder.path("cache"),
            toPath: folder.path("home/nuke-batch/originals")
        )
        let home = ["XDG_CACHE_HOME": folder.path("home")]
        let words = ["cache", action, "--url", "/1.png", "--size", "1"]
        let refused = try await Program.run("nuke-batch", words, in: folder.path, environment: home)
        #expect(refused.exit == 2 && refused.errors.contains("--cache DIR"), "\(refused.errors)")
        let seen = try await Program.run("nuke-batch", ["cache", "stat"], in: folder.path, environment: home)
        #expect(seen.exit == 0 && seen.output.contains("4 originals"), "\(seen.output)\(seen.errors)")
    }

    @Test("cache lists, gives, checks, trims and removes originals")
    func cache() async throws {
        let none = try await run("cache", "stat", "job.json")
        #expect(none.exit == 2 && none.errors.contains("there is no cache in"))
        #expect(try await run("warm", "job.json").exit == 0)
        #expect(try await run("cache", "stat", "job.json").output.contains("4 originals"))
        let listed = try await run("cache", "list", "--cache", "cache", "--url", "*/1.png", "--json")
        #expect(listed.lines.count == 1 && listed.output.contains(#""etag":"\"1\"""#), "\(listed.output)")
        let got = try await run(
            "cache",
            "get",
            "job.json",
            "--url",
            "\(server.url("/1.png"))",
            "--output",
            "one.png"
        )
        #expect(got.exit == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("one.png"))) == TestImages.tiny(2))
        #expect(try await run("cache", "verify", "job.json").exit == 0)
        let files = try #require(FileManager.default.enumerator(atPath: folder.path("cache")))
        let shards = files.compactMap { $0 as? String }.filter {
            $0.split(separator: "/").count == 2 && $0.count == 43
        }
        #expect(shards.count == 4)
        try folder.write("damaged", to: "cache/\(try #require(shards.first))")
        let damaged = try await run("cache", "verify", "job.json")
        #expect(
            damaged.exit == 1 && damaged.output.contains("4 originals checked, 1 damaged"),
            "\(damaged.output)"
        )
        #expect(try await run("cache", "remove", "job.json", "--url", "nothing").output == "0 removed\n")
        #expect(try await run("cache", "clear", "job.json").exit == 0)
        #expect(try await run("cache", "stat", "job.json").output.contains("0 originals"))
        #expect(try await run("cache", "shake", "job.json").exit == 2)
    }

    @Test("a damaged original is named without its query, which can hold a signature")
    func damagedKey() async throws {
        try folder.write(
            """
            {"sources": [{"urls": ["\(server.url("/1.png"))?signature=SECRET"]}], "cache": {"directory": "own"},
             "network": {"allow": ["127.0.0.1"]}}
            """,
            to: "signed.json"
        )
        #expect(try await run("warm", "signed.json").exit == 0)
        let files = try #require(FileManager.default.enumerator(atPath: folder.path("own")))
        let original = files.compactMap { $0 as? String }.first { $0.count == 43 }
        try folder.write("damaged", to: "own/\(try #require(original))")
        let damaged = try await run("cache", "verify", "signed.json")
        #expect(damaged.exit == 1 && damaged.output.contains("/1.png?…"), "\(damaged.output)")
        #expect(!damaged.output.contains("SECRET"))
    }

    @Test("shards share the items: each once, each in a state of its own")
    func shards() async throws {
        var made = 0
        for number in 1...3 {
            let run = try await run("run", "job.json", "--shard", "\(number)/3", "--json")
            #expect(run.exit == 0)
            made += run.lines.count { $0.contains("\"item_finished\"") }
            let state = folder.path(".nuke-batch/job.shard-\(number)-of-3.sqlite")
            #expect(FileManager.default.fileExists(atPath: state))
        }
        #expect(made == 4 && server.requests.count == 4)
        for wrong in ["0/3", "4/3", "1", "a/b", "1/3/5"] {
            #expect(try await run("run", "job.json", "--shard", wrong).exit == 2)
        }
    }

    @Test("outputs of another version of an encoder are made again only when asked for")
    func encoders() async throws {
        #expect(try await run("run", "job.json").exit == 0)
        #expect(try await run("run", "job.json", "--refresh-encoders").output.contains("nothing to do"))
        let state = try Connection(path: folder.path(".nuke-batch/job.sqlite"))
        try state.execute("UPDATE output SET encoder = 'an older one' WHERE path = '2.png'")
        #expect(try await run("run", "job.json").output.contains("nothing to do"))
        let run = try await run("run", "job.json", "--refresh-encoders")
        #expect(run.exit == 0 && run.output.contains("1 made"), "\(run.output)")
        #expect(server.requests.count == 4)
    }
}
