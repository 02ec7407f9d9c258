import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The proof of completeness, and what comes of a fleet's work.
@Suite(.timeLimit(.minutes(10))) struct FleetCollectTests {
    /// A store with partitions of two pictures each, all of them done.
    private func done(_ count: Int = 6) async throws -> FleetFolder {
        let fleet = try FleetFolder(count)
        let partitions = try await fleet.plan(2)
        _ = try await fleet.work(0..<partitions)
        return fleet
    }

    @Test("a complete job is one state, on which all commands work")
    func complete() async throws {
        let fleet = try await done()
        let collected = try await fleet.fleet("collect", "--json")
        #expect(collected.exit == 0, "\(collected.errors)")
        let report = try #require(try ToldJob.objects(collected).first)
        #expect(report["proven"] as? Int == 3 && (report["missing"] as? [Int])?.isEmpty == true)
        let status = try await fleet.job.nukeBatch("status", "store/collected/job.json")
        #expect(status.output.contains("6 done"), "\(status.output)\(status.errors)")
        let verified = try await fleet.job.nukeBatch("verify", "store/collected/job.json")
        #expect(
            verified.exit == 0 && verified.output.contains("6 outputs checked, 0 damaged"),
            "\(verified.output)"
        )
        let items = try ToldJob.objects(
            try await fleet.job.nukeBatch("items", "store/collected/job.json", "--json")
        )
        #expect(items.map { $0["index"] as? Int } == Array(1...6))
        // The same as a run on one machine.
        try await fleet.job.run()
        #expect(fleet.job.files() == fleet.job.files(in: "store/out"))
        for path in fleet.job.files() {
            #expect(try fleet.job.data("out/\(path)") == fleet.job.data("store/out/\(path)"))
        }
    }

    @Test("partitions without a commit are named, and their items are the residue, each in its place")
    func residue() async throws {
        let fleet = try FleetFolder(6)
        #expect(try await fleet.plan(2) == 3)
        _ = try await fleet.work([1])
        let incomplete = try await fleet.fleet("collect", "--residue", "rest.json")
        #expect(incomplete.exit == 5 && incomplete.output.contains("missing: partition 0, partition 2"))
        let planned = try await fleet.job.nukeBatch("fleet", "plan", "rest.json", "--store", "second")
        #expect(planned.exit == 0 && planned.output.contains("4 items"), "\(planned.output)\(planned.errors)")
        let words = ["fleet", "work", "--store", "second", "--scratch", "scratch", "--partition", "0"]
        #expect(try await Program.run("nuke-batch", words, in: fleet.job.folder.path).exit == 0)
        #expect(fleet.job.files(in: "store/out") == (1...6).map { "\($0)-\($0).png" })
        let state = "store/collected/state.sqlite"
        let rest = try await fleet.job.nukeBatch(
            "fleet",
            "collect",
            "--store",
            "second",
            "--state-file",
            state
        )
        #expect(rest.exit == 0, "\(rest.errors)")
        let verified = try await fleet.job.nukeBatch("verify", "store/collected/job.json")
        #expect(verified.exit == 0 && verified.output.contains("6 outputs checked"), "\(verified.output)")
    }

    @Test("a residue takes the place of no file that was planned, also of a residue")
    func residueOfResidue() async throws {
        let fleet = try FleetFolder(2)
        #expect(try await fleet.plan(1) == 2)
        let folder = fleet.job.folder
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.json"),
            withDestinationPath: folder.path("job.json")
        )
        let manifest = try fleet.job.data("job.json")
        for name in ["job.json", "link.json", "./store/../job.json"] {
            let refused = try await fleet.fleet("collect", "--residue", name)
            #expect(refused.exit == 2 && refused.errors.contains("name another file"), "\(refused.errors)")
        }
        #expect(try fleet.job.data("job.json") == manifest)
        #expect(try await fleet.fleet("collect", "--residue", "rest.json").exit == 5)
        let planned = try await fleet.job.nukeBatch("fleet", "plan", "rest.json", "--store", "second")
        #expect(planned.exit == 0, "\(planned.errors)")
        let (rest, items) = (try fleet.job.data("rest.json"), try fleet.job.data("rest.items.jsonl.gz"))
        for name in ["rest.json", "rest.yaml"] {
            let words = ["fleet", "collect", "--store", "second", "--residue", name]
            let refused = try await Program.run("nuke-batch", words, in: folder.path)
            #expect(refused.exit == 2 && refused.errors.contains("name another file"), "\(refused.errors)")
        }
        #expect(try fleet.job.data("rest.json") == rest && fleet.job.data("rest.items.jsonl.gz") == items)
        let last = try await fleet.job.nukeBatch(
            "fleet",
            "collect",
            "--store",
            "second",
            "--residue",
            "last.json"
        )
        #expect(last.exit == 5, "\(last.errors)")
        let listed = try await fleet.job.nukeBatch("plan", "last.json")
        #expect(listed.exit == 0 && listed.output.contains("2 items"), "\(listed.output)\(listed.errors)")
    }

    @Test("places that look like variables stay what they are in the manifests that are written")
    func variables() async throws {
        let store = "a ${HOME}b"
        let fleet = try FleetFolder(2, store: store)
        #expect(try await fleet.plan(1) == 2)
        _ = try await fleet.work([0])
        let collected = try await fleet.fleet("collect", "--residue", "rest.json")
        #expect(collected.exit == 5, "\(collected.errors)")
        let path = fleet.job.folder.path("\(store)/collected/job.json")
        #expect(collected.output.contains("nuke-batch status '\(path)'"), "\(collected.output)")
        let status = try await fleet.job.nukeBatch("status", "\(store)/collected/job.json")
        #expect(status.output.contains("1 done"), "\(status.output)\(status.errors)")
        let rest = try await fleet.job.nukeBatch("run", "rest.json")
        #expect(rest.exit == 0, "\(rest.errors)")
        #expect(fleet.job.files(in: "\(store)/out") == ["1-1.png", "2-2.png"])
    }

    @Test("a partition that ended two workers is halved by the plan of the residue")
    func deadly() async throws {
        let fleet = try FleetFolder(8)
        #expect(try await fleet.plan(4) == 2)
        _ = try await fleet.work([1])
        for attempt in 1...2 { try fleet.begin(0, attempt: attempt) }
        let collected = try await fleet.fleet("collect", "--residue", "rest.json")
        #expect(
            collected.exit == 5 && collected.output.contains("ended two workers or more: partition 0;"),
            "\(collected.output)"
        )
        let planned = try await fleet.job.nukeBatch("fleet", "plan", "rest.json", "--store", "second")
        #expect(planned.output.contains("4 items in 2 partitions"), "\(planned.output)\(planned.errors)")
    }

    @Test("what the time did not suffice for is deferred, and comes back in the residue")
    func deferral() async throws {
        let origin = try LoopbackServer.tinyPictures(refusing: "/2.png", with: 503)
        let fleet = try FleetFolder(
            2,
            origin: origin,
            #", "limits": {"maxDuration": "1s"}, "retry": {"attempts": 100, "backoff": "100ms..200ms"}"#
        )
        #expect(try await fleet.plan(2) == 1)
        let answers = try await fleet.work([0])
        let counts = try #require(answers.first?["counts"] as? [String: Int])
        #expect(
            answers.first?["committed"] as? Bool == true && counts["done"] == 1 && counts["deferred"] == 1
        )
        let collected = try await fleet.fleet("collect", "--residue", "rest.json")
        #expect(collected.exit == 5, "\(collected.output)")
        let items = try await fleet.job.nukeBatch("plan", "rest.json", "--items")
        #expect(items.output.contains("/2.png") && !items.output.contains("/1.png"), "\(items.output)")
    }

    @Test("items that failed for good are no residue, and the exit code tells of them")
    func failures() async throws {
        let origin = try LoopbackServer.tinyPictures(refusing: "/2.png", with: 404)
        let fleet = try FleetFolder(2, origin: origin)
        #expect(try await fleet.plan(2) == 1)
        _ = try await fleet.work([0])
        let collected = try await fleet.fleet("collect", "--residue", "rest.json")
        #expect(collected.exit == 1 && collected.errors.contains("nothing is left"), "\(collected.errors)")
        #expect(fleet.job.files(in: ".").contains("rest.json") == false)
        let failed = try await fleet.job.nukeBatch("items", "store/collected/job.json", "--state", "failed")
        #expect(failed.output.contains("http_404"), "\(failed.output)")
    }

    @Test("each lie is found, and its partition is named")
    func lies() async throws {
        let fleet = try await done()
        let honest = try fleet.commit(1)
        var counts = try #require(honest["counts"] as? [String: Int])
        counts["done", default: 0] += 1
        let changes: [(String, [String: Any])] = [
            ("counts", ["counts": counts]), ("plan", ["plan": String(repeating: "0", count: 64)]),
            ("sha256", ["sha256": String(repeating: "0", count: 64)]), ("partition", ["partition": 0]),
        ]
        for (name, change) in changes {
            try fleet.write(honest.merging(change) { $1 }, as: 1)
            let proof = try await fleet.fleet("collect")
            #expect(proof.exit == 4 && proof.errors.contains("partition 1: "), "\(name): \(proof.errors)")
        }
        try fleet.write(honest, as: 1)
        try fleet.write(honest, as: 9)
        let foreign = try await fleet.fleet("collect")
        #expect(
            foreign.exit == 4 && foreign.errors.contains("commits/000009.json is no commit of a partition"),
            "\(foreign.errors)"
        )
        try FileManager.default.removeItem(atPath: fleet.job.folder.path("store/commits/000009.json"))
        try FileManager.default.removeItem(atPath: fleet.job.folder.path("store/commits/000001.json"))
        let removed = try await fleet.fleet("collect")
        #expect(removed.exit == 4 && removed.errors.contains("has won, but its commit was removed"))
        try fleet.write(honest, as: 1)
        #expect(try await fleet.fleet("collect").exit == 0)
    }

    @Test("a store that replaces what it must not is refused before anything is done")
    func unconditionalStore() async throws {
        let store = try LoopbackObjectStore(buckets: [.init("fleet")], credentials: [BucketJob.keys])
        var fleet = try FleetFolder(2, store: "s3://fleet/job")
        fleet.environment = BucketJob.environment(store)
        #expect(try await fleet.plan(1) == 2)
        store.fault = { $0.kind == .putObject ? .ignoredCondition : nil }
        let refused = try await fleet.fleet("work", "--partition", "0")
        #expect(
            refused.exit == 42 && refused.errors.contains("If-None-Match"),
            "\(refused.exit) \(refused.errors)"
        )
        store.fault = { _ in nil }
        _ = try await fleet.work([0, 1])
        let collected = try await fleet.fleet("collect", "--state-file", "state.sqlite")
        #expect(collected.exit == 0, "\(collected.errors)")
        #expect(store.objects(in: "fleet").count { $0.hasPrefix("job/out/") } == 2)
        let state = try await fleet.job.nukeBatch("status", "job.json", "--state-file", "state.sqlite")
        #expect(state.output.contains("2 done"), "\(state.output)")
    }

    @Test("status tells what is committed, worked on and missing, and the report is one page")
    func status() async throws {
        let fleet = try FleetFolder(6)
        _ = try await fleet.plan(2)
        _ = try await fleet.work([2])
        try fleet.begin(1, on: "n7")
        let text = try await fleet.fleet("status", "--report", "page.html", "--price", "0.2")
        #expect(
            text.exit == 0 && text.output.hasPrefix("1/3 partitions, 2/6 items"),
            "\(text.output)\(text.errors)"
        )
        #expect(text.output.contains("partition 1: begun") && text.output.contains("on n7"), "\(text.output)")
        #expect(text.output.contains("not begun: partition 0"), "\(text.output)")
        let page = String(decoding: try fleet.job.data("page.html"), as: UTF8.self)
        #expect(page.contains("Partitions over time") && page.contains("cost of the whole job"))
        let json = try #require(try ToldJob.objects(try await fleet.fleet("status", "--json")).first)
        #expect(json["missing"] as? [Int] == [0, 1] && (json["running"] as? [Any])?.count == 1)
    }
}
