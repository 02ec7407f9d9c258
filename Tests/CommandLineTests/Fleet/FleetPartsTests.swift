import Files
import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// The collection in parts: its results are those of the whole, whatever was killed meanwhile.
@Suite(.timeLimit(.minutes(10))) struct FleetPartsTests {
    private static let secret = ["NUKE_BATCH_COLLECT_SECRET": "a secret of this test alone"]

    /// A dataset of nine pictures in five partitions, all of which have a commit: one picture is missing, another one is refused.
    private func worked() async throws -> FleetFolder {
        let pictures = try LoopbackServer.tinyPictures()
        let origin = try LoopbackServer { request in
            switch request.path {
            case "/3.png": .status(404)
            case "/8.png": .status(503)
            default: .redirect(to: "\(pictures.address)\(request.path)")
            }
        }
        let fleet = try FleetFolder(
            9,
            origin: origin,
            dataset: #"{"pack": "tar", "itemsPerFile": 2, "index": "index.jsonl"}"#,
            #", "retry": {"attempts": 1}"#
        )
        let partitions = try await fleet.plan(2)
        #expect(partitions == 5)
        _ = try await fleet.work(0..<partitions)
        return fleet
    }

    /// All that a collection writes, by name, but for the state, of which it has what `export` reads.
    private func results(_ fleet: FleetFolder, _ words: String...) async throws -> [String: Data] {
        let collected = try await Program.run(
            "nuke-batch",
            [
                "fleet", "collect", "--store", "store", "--scratch", "scratch", "--residue", "rest.json",
                "--json",
            ] + words,
            in: fleet.job.folder.path,
            environment: Self.secret
        )
        #expect(collected.exit == 1, "\(collected.exit) \(collected.errors)")
        var found = ["report": Data(collected.output.utf8)]
        for name in ["results.jsonl.gz", "shards.txt", "report.json", "job.json"] {
            found[name] = try fleet.job.data("store/collected/\(name)")
        }
        for name in ["rest.json", "rest.items.jsonl.gz", "store/out/index.jsonl"] {
            found[name] = try fleet.job.data(name)
        }
        for words in [["export", "--json"], ["items", "--json"], ["status"]] {
            let read = try await fleet.job.nukeBatch(
                words[0],
                "store/collected/job.json",
                words.count > 1 ? words[1] : "--json"
            )
            #expect(read.exit == 0 && !read.output.isEmpty, "\(read.errors)")
            // Of a status, the time of the collection differs.
            if words[0] != "status" { found[words[0]] = Data(read.output.utf8) }
        }
        return found
    }

    private func collect(_ part: String, of fleet: FleetFolder) async throws {
        let outcome = try await fleet.fleet("collect", "--part", part, more: Self.secret)
        #expect(outcome.exit == 0 && outcome.output.hasPrefix("part \(part): "), "\(outcome.errors)")
    }

    @Test("the results of parts are those of the whole, byte for byte", arguments: [1, 2, 3, 7])
    func equality(parts: Int) async throws {
        let fleet = try await worked()
        let whole = try await results(fleet)
        let file = try #require(whole["rest.items.jsonl.gz"])
        let residue = try #require(Gzip.decompress(file, limit: 1 << 20))
        #expect(residue.lines.count == 1, "the picture that was refused for a time")
        try FileManager.default.removeItem(atPath: fleet.job.folder.path("store/collected"))
        for part in 1...parts { try await collect("\(part)/\(parts)", of: fleet) }
        let merged = try await results(fleet, "--parts", "\(parts)")
        for (name, data) in whole { #expect(merged[name] == data, "\(name)") }
        // Into the state that there is now.
        let again = try await results(fleet, "--parts", "\(parts)")
        for (name, data) in whole { #expect(again[name] == data, "\(name) again") }
        #expect(try await fleet.fleet("collect", "--parts", "\(parts)", "--gc", more: Self.secret).exit == 1)
        #expect(fleet.job.files(in: "store/collected/parts").isEmpty)
    }

    @Test("proofs alone tell what the merge tells, and the parts leave the results, without one state of all")
    func proof() async throws {
        let fleet = try await worked()
        let whole = try await results(fleet)
        let lines = { (file: Data) in
            Set(try #require(Gzip.decompress(file, limit: 1 << 20)).lines.map { Data($0) })
        }
        let all = try lines(try #require(whole["results.jsonl.gz"]))
        try FileManager.default.removeItem(atPath: fleet.job.folder.path("store/collected"))
        func prove() async throws -> Program.Outcome {
            try await fleet.fleet("collect", "--parts", "3", "--proof", "--json", more: Self.secret)
        }
        // The results are written as well where the proof is there already.
        try await collect("1/3", of: fleet)
        var found = Set<Data>()
        for part in 1...3 {
            let outcome = try await fleet.fleet(
                "collect",
                "--part",
                "\(part)/3",
                "--results",
                more: Self.secret
            )
            #expect(outcome.exit == 0, "\(outcome.errors)")
            let file = "store/collected/parts/00000\(part)-of-000003/results.jsonl.gz"
            found.formUnion(try lines(try fleet.job.data(file)))
        }
        #expect(found == all)
        let proven = try await prove()
        #expect(
            proven.exit == 1 && Data(proven.output.utf8) == whole["report"],
            "\(proven.output)\(proven.errors)"
        )
        for name in ["report.json", "shards.txt"] {
            #expect(try fleet.job.data("store/collected/\(name)") == whole[name], "\(name)")
        }
        #expect(
            !FileManager.default.fileExists(atPath: fleet.job.folder.path("store/collected/state.sqlite"))
        )
        // What lacks or contradicts a part's proof is no proof.
        try FileManager.default.removeItem(
            atPath: fleet.job.folder.path("store/collected/parts/000002-of-000003/part.json")
        )
        #expect(try await prove().exit == 4)
        try await collect("2/3", of: fleet)
        #expect(try await prove().exit == 1)
        try FileManager.default.removeItem(atPath: fleet.job.folder.path("store/commits/000000.json"))
        let changed = try await prove()
        #expect(changed.exit == 42 && changed.errors.contains("changed since"), "\(changed.errors)")
        for (words, error) in [
            (["--results"], "--part I/K"), (["--proof"], "--parts K"),
            (["--proof", "--parts", "3", "--state-file", "a.sqlite"], "--state-file"),
            (["--proof", "--parts", "3", "--gc"], "--gc"), (["--proof", "--part", "1/3"], "--proof"),
        ] {
            let place = ["fleet", "collect", "--store", "store", "--scratch", "scratch"]
            let wrong = try await Program.run("nuke-batch", place + words, in: fleet.job.folder.path)
            #expect(wrong.exit == 2 && wrong.errors.contains(error), "\(words): \(wrong.errors)")
        }
    }

    @Test("a part that is missing is named, and one is not done again while its commits are the same")
    func missing() async throws {
        let fleet = try FleetFolder(4)
        #expect(try await fleet.plan(1) == 4)
        _ = try await fleet.work([0, 1, 3])
        try await collect("1/2", of: fleet)
        let lacking = try await fleet.fleet("collect", "--parts", "2", more: Self.secret)
        #expect(lacking.exit == 4 && lacking.errors.contains("collect --part 2/2"), "\(lacking.errors)")
        try await collect("2/2", of: fleet)
        let incomplete = try await fleet.fleet("collect", "--parts", "2", more: Self.secret)
        #expect(
            incomplete.exit == 5 && incomplete.output.contains("missing: partition 2"),
            "\(incomplete.output)"
        )
        let record = "store/collected/parts/000001-of-000002/part.json"
        let before = try fleet.job.modified(record)
        _ = try await fleet.work([2])
        let outdated = try await fleet.fleet("collect", "--parts", "2", more: Self.secret)
        #expect(
            outdated.exit == 42 && outdated.errors.contains("run nuke-batch fleet collect --part 2/2 again")
        )
        for part in ["1/2", "2/2"] { try await collect(part, of: fleet) }
        #expect(try fleet.job.modified(record) == before)
        let complete = try await fleet.fleet("collect", "--parts", "2", more: Self.secret)
        #expect(
            complete.exit == 0 && complete.output.contains("4 of 4 partitions proven"),
            "\(complete.errors)"
        )
    }

    @Test("parts merge into the state of the job whose residue they are")
    func residue() async throws {
        let fleet = try FleetFolder(6)
        #expect(try await fleet.plan(2) == 3)
        _ = try await fleet.work([1])
        #expect(
            try await fleet.fleet("collect", "--residue", "rest.json", "--state-file", "all.sqlite").exit == 5
        )
        func second(_ words: String...) async throws -> Program.Outcome {
            let place = ["--store", "second", "--scratch", "scratch"]
            return try await Program.run("nuke-batch", ["fleet"] + words + place, in: fleet.job.folder.path)
        }
        #expect(try await second("plan", "rest.json").exit == 0)
        #expect(try await second("work", "--partition", "0").exit == 0)
        for part in 1...2 { #expect(try await second("collect", "--part", "\(part)/2").exit == 0) }
        #expect(try await second("collect", "--parts", "2", "--state-file", "all.sqlite").exit == 0)
        let status = try await fleet.job.nukeBatch("status", "job.json", "--state-file", "all.sqlite")
        #expect(status.output.contains("6 done"), "\(status.output)")
        // The first store has items that no partition of the second one has.
        for part in 1...2 { try await collect("\(part)/2", of: fleet) }
        #expect(try await second("collect", "--state-file", "small.sqlite").exit == 0)
        let other = try await fleet.fleet("collect", "--parts", "2", "--state-file", "small.sqlite")
        #expect(
            other.exit == 2 && other.errors.contains("is the state of another job"),
            "\(other.exit) \(other.errors)"
        )
    }

    /// Kills the program at the moments when it asks a bucket for something, one after the other, until it ends by itself.
    private func killed(
        _ fleet: FleetFolder,
        _ store: LoopbackObjectStore,
        _ words: [String],
        where isMoment: @escaping @Sendable (LoopbackObjectStore.Operation) -> Bool
    ) async throws -> (kills: Int, last: Program.Outcome) {
        var kills = 0
        while true {
            let place = ["--store", fleet.store, "--scratch", fleet.job.folder.path("scratch")]
            let seen = Mutex<(count: Int, program: Program?)>((0, nil))
            let (moment, started) = (kills, DispatchSemaphore(value: 0))
            store.fault = { operation in
                guard isMoment(operation) else { return nil }
                // The program may ask before it is known here.
                started.wait()
                started.signal()
                let program = seen.withLock { seen in
                    seen.count += 1
                    return seen.count == moment + 1 ? seen.program : nil
                }
                program?.signal(SIGKILL)
                return nil
            }
            let environment = fleet.environment.merging(Self.secret) { $1 }
                .merging(["NUKE_BATCH_PLAN": try fleet.hash]) { $1 }
            let program = try Program(
                "nuke-batch",
                ["fleet"] + words + place,
                in: fleet.job.folder.path,
                environment: environment
            )
            seen.withLock { $0.program = program }
            started.signal()
            let outcome = await program.wait()
            store.fault = { _ in nil }
            guard outcome.exit == 128 + SIGKILL else { return (kills, outcome) }
            kills += 1
        }
    }

    @Test("parts and merges that are killed at any request go on when they run again")
    func kills() async throws {
        let store = try LoopbackObjectStore(buckets: [.init("fleet")], credentials: [BucketJob.keys])
        var fleet = try FleetFolder(6, store: "s3://fleet/job")
        fleet.environment = BucketJob.environment(store)
        #expect(try await fleet.plan(1) == 6)
        _ = try await fleet.work(0..<6)
        let whole = try await fleet.fleet("collect", "--state-file", "whole.sqlite")
        #expect(whole.exit == 0, "\(whole.errors)")
        let results = try #require(store.object("job/collected/results.jsonl.gz", in: "fleet")).data
        store.remove("job/collected/results.jsonl.gz", bucket: "fleet")
        var kills = 0
        for part in 1...3 {
            let (count, last) = try await killed(fleet, store, ["collect", "--part", "\(part)/3"]) {
                operation in
                [.putObject, .deleteObject].contains(operation.kind)
            }
            #expect(last.exit == 0, "\(last.errors)")
            kills += count
        }
        let words = ["collect", "--parts", "3", "--state-file", "merged.sqlite"]
        let (count, last) = try await killed(fleet, store, words) { operation in
            operation.kind == .putObject
                || operation.kind == .getObject && operation.key.contains("/collected/parts/")
        }
        #expect(last.exit == 0, "\(last.errors)")
        print("kills: \(kills) of parts, \(count) of merges")
        #expect(kills >= 6 && count >= 6)
        #expect(store.object("job/collected/results.jsonl.gz", in: "fleet")?.data == results)
        let export = try await fleet.job.nukeBatch(
            "export",
            "job.json",
            "--json",
            "--state-file",
            "merged.sqlite"
        )
        let wanted = try await fleet.job.nukeBatch(
            "export",
            "job.json",
            "--json",
            "--state-file",
            "whole.sqlite"
        )
        #expect(export.output == wanted.output && export.output.contains("/6.png"))
    }
}
