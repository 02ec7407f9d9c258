import Foundation
import LoopbackServer
import SQLite
import TestSupport
import Testing

/// `items`, `plan`, `status` and `cache`: what they list, select and count.
@Suite(.timeLimit(.minutes(10))) struct ItemListingTests {
    private let job: JobFolder
    private let server: LoopbackServer

    init() async throws {
        let listed = try await ListedJob()
        (job, server) = (listed.job, listed.server)
    }

    @Test("lines of JSON have the keys of the contract, in whatever state the item is")
    func json() async throws {
        let items = try await job.items()
        let keys = [
            "id", "index", "url", "state", "priority", "attempts", "error", "message", "twin", "outputs",
        ]
        #expect(items.allSatisfy { Set($0.keys) == Set(keys + ["facts"]) })
        #expect(items.map { $0["index"] as? Int } == [1, 2, 4, 5, 6, 7])
        #expect(
            items.map { $0["state"] as? String } == ["done", "done", "failed", "failed", "skipped", "done"]
        )
        #expect(items.last?["id"] as? String == "x,\"y" && items.first?["id"] is NSNull)
        let output = try #require((items[0]["outputs"] as? [[String: Any]])?.first)
        let outputKeys = [
            "name", "path", "state", "reason", "bytes", "width", "height", "sha256", "format", "quality",
            "ssimulacra2", "shortfall",
        ]
        #expect(Set(output.keys) == Set(outputKeys))
        let bytes = try job.data("out/1.png").count
        #expect(output["path"] as? String == "1.png" && output["bytes"] as? Int == bytes)
        #expect(output["format"] as? String == "png")
    }

    @Test("the table and CSV list the same items")
    func texts() async throws {
        let table = try await job.nukeBatch("items", "job.json")
        #expect(
            table.lines.count == 6
                && table.lines[2].hasPrefix("failed      \(server.address)/gone.png  http_404: ")
        )
        let both = try await job.nukeBatch("items", "job.json", "--json", "--csv")
        #expect(both.exit == 2 && both.output.isEmpty && both.errors.contains("give one"), "\(both.errors)")
        let csv = try await job.nukeBatch("items", "job.json", "--csv")
        #expect(csv.lines[0].hasPrefix("index,id,url,state,priority,attempts,error,message"))
        #expect(
            csv.lines.count == 7
                && csv.lines[6].hasPrefix("7,\"x,\"\"y\",\(server.address)/a.png,done,normal,1,,")
        )
    }

    @Test(
        "items are selected by state, error and URL",
        arguments: [
            ("--state failed", [4, 5]), ("--state failed,skipped", [4, 5, 6]), ("--error http_404", [4]),
            ("--error http_404,http_503", [4, 5]), ("--url a.png", [1, 7]), ("--url */b.p*", [2]),
            ("--state done --url b.png", [2]),
            ("--state pending", []), ("--state running,retry,quarantined", []),
            ("--url ADDRESS/b.png", [2]),
        ]
    )
    func selection(words: String, expected: [Int]) async throws {
        let words = words.replacing("ADDRESS", with: server.address).split(separator: " ").map(String.init)
        let listed = try await Program.run(
            "nuke-batch",
            ["items", "job.json", "--json"] + words,
            in: job.folder.path
        )
        #expect(try ToldJob.objects(listed).map { $0["index"] as? Int } == expected, "\(listed.errors)")
    }

    @Test("an empty list selects nothing, so it is refused", arguments: ["--state", "--error"])
    func emptySelection(option: String) async throws {
        for list in ["", ","] {
            let listed = try await job.nukeBatch("items", "job.json", option, list)
            #expect(listed.exit == 2 && listed.output.isEmpty && listed.errors.contains("one or more of"))
        }
    }

    @Test("plan counts, and --items lists what a run would find")
    func plan() async throws {
        let plan = try await job.plan()
        #expect(
            Set(plan.keys).isSuperset(of: [
                "items", "new", "changed", "done", "failed", "duplicates", "outputs",
            ])
        )
        let counts = ["items", "new", "done", "failed"].map { plan[$0] as? Int }
        // The one that fails for now would be tried again.
        #expect(counts[0...2] == [6, 0, 4] && [1, 2].contains(counts[3]), "\(plan)")
        #expect(Set((plan["outputs"] as? [String: Int] ?? [:]).keys) == ["make", "keep", "prune"])
        let listed = try await job.nukeBatch("plan", "job.json", "--items")
        #expect(listed.lines.count { $0.contains("\(server.address)/") } == 6)
        #expect(
            listed.lines.contains { $0.hasPrefix("failed ") && $0.contains("gone.png") },
            "\(listed.output)"
        )
        #expect(
            listed.lines.contains { $0.hasPrefix("pending ") && $0.contains("busy.png") },
            "\(listed.output)"
        )
    }

    @Test("status counts by state and error, and tells the last runs")
    func status() async throws {
        try await job.run(exit: 1)
        let status = try await job.nukeBatch("status", "job.json")
        for part in [
            "6 items", "3 done", "1 skipped", "2 failed", "http_404: 1", "http_503: 1", "run 1 ", "run 2 ",
            "exit 1",
        ] {
            #expect(status.output.contains(part), "\(part)\n\(status.output)")
        }
        let json = try #require(
            try ToldJob.objects(try await job.nukeBatch("status", "job.json", "--json")).first
        )
        let states = try #require(json["states"] as? [String: Int])
        #expect(
            Set(states.keys) == [
                "pending", "running", "retry", "done", "skipped", "failed", "quarantined",
            ]
        )
        #expect(states["done"] == 3 && states["failed"] == 2 && states["skipped"] == 1)
    }

    @Test("cache: as a table, to a file and to standard output, trimmed to a size")
    func cache() async throws {
        let list = try await job.nukeBatch("cache", "list", "--cache", "cache")
        #expect(list.lines.count == 3 && list.output.contains("\(server.address)/large.jpg"))
        let got = try await job.nukeBatch("cache", "get", "job.json", "--url", "\(server.address)/none")
        #expect(got.exit != 0 && got.errors.contains("/none"), "\(got.errors)")
        let trimmed = try await job.nukeBatch("cache", "trim", "job.json", "--size", "1KB")
        #expect(trimmed.exit == 0)
        let stat = try #require(
            try ToldJob.objects(try await job.nukeBatch("cache", "stat", "job.json", "--json")).first
        )
        #expect(
            try #require(stat["bytes"] as? Int) <= 1000
                && stat["directory"] as? String == job.folder.path("cache")
        )
    }
}
