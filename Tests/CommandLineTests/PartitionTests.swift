import Foundation
import TestSupport
import Testing

/// The commands that look at one partition of a job, or at all, through the real program.
@Suite(.timeLimit(.minutes(10))) struct PartitionTests {
    private static let count = 12
    private let job: JobFolder

    /// Twelve local images with an id each, the fourth of which is none.
    init() throws {
        job = try JobFolder()
        for number in 1...Self.count {
            try job.folder.write(try TestImages.tiny(number), to: "\(number).png")
        }
        try job.folder.write(Data("no image".utf8), to: "4.png")
        try writeList(ids: "a")
        try job.write(
            """
            "sources": [{"list": "list.csv", "columns": {"url": "image", "id": "id"}}],
            "outputs": [{"path": "{stem}.{ext}", "format": "png"}]
            """
        )
    }

    private func writeList(ids prefix: String, _ numbers: [Int] = Array(1...count)) throws {
        let rows = numbers.map { "\($0).png,\(prefix)\($0)\n" }
        try job.folder.write("image,id\n" + rows.joined(), to: "list.csv")
    }

    /// Runs these partitions of three.
    private func run(_ numbers: Int...) async throws {
        for number in numbers {
            let run = try await job.nukeBatch("run", "job.json", "--shard", "\(number)/3")
            #expect(run.exit < 2, "\(run.errors)")
        }
    }

    /// Runs `command` for each partition of three.
    private static let unlimited = "--max-delete=100%"

    private func each(_ command: String, _ words: String...) async throws -> [Program.Outcome] {
        var outcomes: [Program.Outcome] = []
        for number in 1...3 {
            let words = [command, "job.json", "--shard", "\(number)/3"] + words
            outcomes.append(try await Program.run("nuke-batch", words, in: job.folder.path))
        }
        return outcomes
    }

    @Test("status counts one partition, or all with a line for each")
    func status() async throws {
        try await run(1, 2, 3)
        let all = try await job.nukeBatch("status", "job.json", "--all-shards")
        #expect(all.exit == 0 && all.errors.isEmpty, "\(all.errors)")
        #expect(all.lines.first == "12 items" && all.output.contains("11 done"), "\(all.output)")
        #expect(all.lines.suffix(3).map { String($0.prefix(9)) } == ["shard 1/3", "shard 2/3", "shard 3/3"])
        #expect(all.lines.count { $0.contains("  1 failed  run 1  ") } == 1, "\(all.output)")
        let objects = try await each("status", "--json").map { try #require(try ToldJob.objects($0).first) }
        #expect(objects.map { $0["shard"] as? String } == ["1/3", "2/3", "3/3"])
        let items = objects.compactMap { $0["items"] as? Int }
        #expect(items.count == 3 && items.reduce(0, +) == Self.count && items.allSatisfy { $0 < Self.count })
        let watched = try await job.nukeBatch("status", "job.json", "--all-shards", "--watch", "--json")
        let whole = try #require(try ToldJob.objects(watched).first)
        #expect(whole["items"] as? Int == Self.count && whole["shard"] is NSNull)
        #expect((whole["failures"] as? [String: Int])?.values.reduce(0, +) == 1)
        #expect((whole["runs"] as? [Any])?.isEmpty == true)
        let shards = try #require(whole["shards"] as? [[String: Any]])
        #expect(shards.map { $0["shard"] as? String } == ["1/3", "2/3", "3/3"])
        #expect(shards.allSatisfy { ($0["runs"] as? [Any])?.count == 1 })
        #expect(shards.allSatisfy { ($0["shards"] as? [Any])?.isEmpty == true })
    }

    @Test("items and export list all partitions, below one header")
    func lists() async throws {
        try await run(1, 2, 3)
        for (command, words) in [("items", ["--json"]), ("export", ["--json"])] {
            let words = [command, "job.json", "--all-shards"] + words
            let all = try await Program.run("nuke-batch", words, in: job.folder.path)
            let ids = try ToldJob.objects(all).compactMap { $0["id"] as? String }
            #expect(ids.count == Self.count && Set(ids) == Set((1...Self.count).map { "a\($0)" }))
            #expect(try await each(command, "--json").map(\.output).joined() == all.output)
        }
        for command in ["items", "export"] {
            let table = try await job.nukeBatch(command, "job.json", "--all-shards", "--csv")
            let lines = table.output.split(whereSeparator: \.isNewline)
            #expect(lines.count { $0.hasPrefix("index,id,url,") } == 1)
            #expect(lines.count == 1 + Self.count, "\(table.output)")
        }
        let failed = try await job.nukeBatch("items", "job.json", "--all-shards", "--state", "failed")
        #expect(failed.lines.count == 1 && failed.output.contains("4.png"), "\(failed.output)")
    }

    @Test("verify sums the partitions and names the command that repairs the damaged one")
    func verify() async throws {
        try await run(1, 2, 3)
        let whole = try await job.nukeBatch("verify", "job.json", "--all-shards")
        #expect(whole.exit == 0 && whole.output == "11 outputs checked, 0 damaged\n", "\(whole.output)")
        try job.folder.write("x", to: "out/7.png")
        let damaged = try await job.nukeBatch("verify", "job.json", "--all-shards")
        #expect(damaged.exit == 1 && damaged.output.contains("11 outputs checked, 1 damaged\n"))
        let json = try await job.nukeBatch("verify", "job.json", "--all-shards", "--json")
        #expect(json.exit == 1 && json.lines.last == #"{"checked":11,"damaged":1}"#, "\(json.output)")
        let refused = try await job.nukeBatch("verify", "job.json", "--all-shards", "--repair")
        #expect(refused.exit == 2 && refused.errors.contains("give --shard I/N"), "\(refused.errors)")
        let line = try #require(damaged.lines.last)
        let advice = try #require(line.components(separatedBy: "to repair them: nuke-batch ").last)
        #expect(advice.contains("--shard ") && advice.hasSuffix("/3 --repair"), "\(damaged.output)")
        let words = advice.split(separator: " ").map(String.init)
        let repaired = try await Program.run("nuke-batch", words, in: job.folder.path)
        #expect(repaired.exit < 2 && repaired.output.contains("1 made"), "\(repaired.output)")
        #expect(try await job.nukeBatch("verify", "job.json", "--all-shards").exit == 0)
    }

    @Test("the report is about one partition, or about all")
    func report() async throws {
        try await run(1, 2, 3)
        let all = try await job.nukeBatch("report", "job.json", "--all-shards")
        #expect(all.exit == 0 && all.output.contains("11 of 12 items are done."), "\(all.errors)")
        #expect(all.output.contains("all 3 partitions") && all.output.contains("<th>shard</th>"))
        let one = try await job.nukeBatch("report", "job.json", "--shard", "2/3")
        #expect(one.output.contains("partition 2/3") && !one.output.contains("<th>shard</th>"))
    }

    @Test("prune keeps the files of items that moved to other partitions", arguments: [true, false])
    func moved(together: Bool) async throws {
        try await run(1, 2, 3)
        let files = job.files()
        #expect(files.count == Self.count - 1)
        // Other ids make other items, with the same images at the same paths.
        try writeList(ids: "b")
        try await run(1, 2, 3)
        let outcomes =
            together
            ? [try await job.nukeBatch("prune", "job.json", "--all-shards", "--delete", Self.unlimited)]
            : try await each("prune", "--delete", Self.unlimited)
        #expect(outcomes.allSatisfy { $0.exit == 0 && $0.lines.last == "nothing to remove" })
        let kept = outcomes.flatMap(\.lines).count { $0.hasPrefix("kept: another output has this path now") }
        #expect(kept == Self.count - 1)
        #expect(job.files() == files)
        #expect(try await job.nukeBatch("verify", "job.json", "--all-shards").exit == 0)
    }

    @Test("prune removes what no partition asks for, by the command that it advises")
    func prune() async throws {
        try await run(1, 2, 3)
        try writeList(ids: "a", [1, 2, 3])
        try await run(1, 2, 3)
        let listed = try await job.nukeBatch("prune", "job.json", "--all-shards")
        let advice = "to remove them: nuke-batch prune job.json --all-shards --delete"
        #expect(listed.lines.last?.hasPrefix("8 to remove, ") == true, "\(listed.output)")
        #expect(listed.lines.last?.hasSuffix(advice) == true, "\(listed.output)")
        let removed = try await job.nukeBatch(
            "prune",
            "job.json",
            "--all-shards",
            "--delete",
            Self.unlimited,
            "--json"
        )
        #expect(removed.exit == 0 && removed.lines.count == 8, "\(removed.output)")
        #expect(job.files() == ["1.png", "2.png", "3.png"])
    }

    @Test("a partition without a state is a warning, and the others are shown")
    func missing() async throws {
        try await run(1, 3)
        for command in ["status", "items", "export", "report", "verify", "prune"] {
            let outcome = try await job.nukeBatch(command, "job.json", "--all-shards")
            let warnings = outcome.errors.split(separator: "\n")
            #expect(outcome.exit == 0 && warnings.count == 1, "\(command): \(outcome.errors)")
            #expect(warnings.first?.hasPrefix("warning: partitions without a state in ") == true)
            #expect(warnings.first?.contains(" are left out: 2/3 (") == true && !outcome.output.isEmpty)
        }
        let status = try await job.nukeBatch("status", "job.json", "--all-shards")
        #expect(status.lines.count { $0.hasPrefix("shard ") } == 2, "\(status.output)")
    }

    @Test("without a partition's state, the job was never run")
    func never() async throws {
        let outputs = [
            "status": "never run\n", "items": "", "verify": "0 outputs checked, 0 damaged\n",
            "prune": "nothing to remove\n",
        ]
        for (command, output) in outputs {
            let outcome = try await job.nukeBatch(command, "job.json", "--all-shards")
            #expect(outcome.exit == 0 && outcome.output == output && outcome.errors.isEmpty, "\(command)")
        }
        let export = try await job.nukeBatch("export", "job.json", "--all-shards")
        #expect(export.exit == 0 && export.lines.count == 1)
        let report = try await job.nukeBatch("report", "job.json", "--all-shards")
        #expect(report.exit == 0 && report.output.contains("This job was never run."))
        #expect(job.files(in: ".nuke-batch").isEmpty)
    }

    @Test("states of different numbers of partitions are refused, with what to do; one can be chosen")
    func different() async throws {
        try await run(1)
        try await job.nukeBatch("run", "job.json", "--shard", "2/2")
        for command in ["status", "items", "export", "report", "verify", "prune"] {
            let refused = try await job.nukeBatch(command, "job.json", "--all-shards")
            #expect(refused.exit == 2 && refused.output.isEmpty, "\(command)")
            let message = "states of 2 and of 3 partitions: give --shard I/N"
            #expect(refused.errors.contains(message), "\(refused.errors)")
            #expect(try await job.nukeBatch(command, "job.json", "--shard", "2/2").exit < 2, "\(command)")
        }
    }

    @Test(
        "--all-shards says what to leave out",
        arguments: ["status", "items", "export", "report", "verify", "prune"]
    )
    func contradictions(command: String) async throws {
        for (name, value) in [("--shard", "1/3"), ("--state-file", "a.sqlite")] {
            let refused = try await job.nukeBatch(command, "job.json", "--all-shards", name, value)
            #expect(refused.exit == 2 && refused.errors.contains("leave out \(name),"), "\(refused.errors)")
        }
        let refused = try await job.nukeBatch(
            command,
            "job.json",
            "--all-shards",
            environment: ["NUKE_BATCH_SHARD": "1/3"]
        )
        #expect(refused.exit == 2 && refused.errors.contains("leave out --shard, also in the environment"))
    }
}
