import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// Whom a worker trusts: the plan whose hash it was given, or the users who alone can write to the store.
@Suite(.timeLimit(.minutes(10))) struct FleetTrustTests {
    private func set(_ mode: Int, _ name: String, of fleet: FleetFolder) throws {
        let path = fleet.job.folder.path(name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// A store with one partition.
    private func planned(_ count: Int = 2) async throws -> FleetFolder {
        let fleet = try FleetFolder(count)
        _ = try await fleet.plan(count)
        return fleet
    }

    @Test(
        "a store that others may write to needs the plan's hash",
        arguments: [
            ("store", 0o777), ("store", 0o775), ("store", 0o1777), ("store/job.json", 0o666),
            ("store/job.json", 0o664),
        ]
    )
    func shared(name: String, mode: Int) async throws {
        let fleet = try await planned()
        try set(mode, name, of: fleet)
        let refused = try await fleet.fleet("work", "--partition", "0")
        #expect(
            refused.exit == 42 && refused.errors.contains("--plan HASH"),
            "\(refused.exit) \(refused.errors)"
        )
        #expect(fleet.job.files(in: "store/attempts").isEmpty)
        for words in [["--plan", try fleet.hash], []] {
            let told = words.isEmpty ? ["NUKE_BATCH_PLAN": try fleet.hash] : [:]
            let outcome = try await Program.run(
                "nuke-batch",
                ["fleet", "work", "--store", "store", "--scratch", "scratch", "--partition", "0"] + words,
                in: fleet.job.folder.path,
                environment: told
            )
            #expect(outcome.exit == 0, "\(outcome.errors)")
        }
    }

    @Test("a store of another user needs the plan's hash", .enabled(if: geteuid() == 0))
    func users() async throws {
        let fleet = try await planned()
        let path = fleet.job.folder.path("store/job.json")
        try FileManager.default.setAttributes([.ownerAccountID: 12345], ofItemAtPath: path)
        let refused = try await fleet.fleet("work", "--partition", "0")
        #expect(refused.exit == 42 && refused.errors.contains("belongs to user 12345"), "\(refused.errors)")
        try FileManager.default.setAttributes([.ownerAccountID: 0], ofItemAtPath: path)
        #expect(try await fleet.fleet("work", "--partition", "0").exit == 0)
    }

    @Test("collect and template trust as workers do; a state in a shared store needs another place")
    func collecting() async throws {
        let fleet = try await planned()
        _ = try await fleet.work([0])
        try set(0o777, "store", of: fleet)
        for words in [["collect"], ["template", "slurm"]] {
            let refused = try await Program.run(
                "nuke-batch",
                ["fleet"] + words + ["--store", "store"],
                in: fleet.job.folder.path
            )
            #expect(refused.exit == 42 && refused.errors.contains("--plan HASH"), "\(refused.errors)")
        }
        let hash = try fleet.hash
        let template = try await fleet.fleet("template", "slurm", "--plan", hash)
        #expect(template.exit == 0 && template.output.contains("plan=\(hash)"), "\(template.errors)")
        let inside = try await fleet.fleet("collect", "--plan", hash)
        #expect(inside.exit == 2 && inside.errors.contains("--state-file"), "\(inside.exit) \(inside.errors)")
        let collected = try await fleet.fleet("collect", "--plan", hash, "--state-file", "state.sqlite")
        #expect(collected.exit == 0, "\(collected.errors)")
        #expect(try await fleet.fleet("status").exit == 0)
    }

    @Test("what is no hash, and another plan's hash")
    func hashes() async throws {
        let fleet = try await planned()
        for text in ["x", String(try fleet.hash.dropLast()), try fleet.hash.uppercased(), "../../victim"] {
            let wrong = try await fleet.fleet("work", "--partition", "0", "--plan", text)
            #expect(
                wrong.exit == 2 && wrong.errors.contains("--plan"),
                "\(text): \(wrong.exit) \(wrong.errors)"
            )
        }
        let other = String(repeating: "0", count: 64)
        for action in [["work", "--partition", "0"], ["collect"], ["status"]] {
            let refused = try await Program.run(
                "nuke-batch",
                ["fleet"] + action + ["--store", "store", "--plan", other],
                in: fleet.job.folder.path
            )
            #expect(
                refused.exit == 42 && refused.errors.contains("another plan"),
                "\(action): \(refused.errors)"
            )
        }
    }

    @Test("the whole plan of somebody else, in a store that was shared, does nothing")
    func foreignPlan() async throws {
        let requests = Mutex(0)
        let origin = try LoopbackServer { request in
            requests.withLock { $0 += 1 }
            return LoopbackServer.tinyPicture(for: request)
        }
        let ours = try FleetFolder(2, origin: origin)
        _ = try await ours.plan(2)
        let theirs = try FleetFolder(
            2,
            origin: origin,
            #", "destination": "\#(ours.job.folder.path("outside"))", "network": {"allow": ["127.0.0.1"]}"#
        )
        _ = try await theirs.plan(2)
        let store = URL(fileURLWithPath: ours.job.folder.path("store"))
        try FileManager.default.removeItem(at: store)
        try FileManager.default.copyItem(at: URL(fileURLWithPath: theirs.job.folder.path("store")), to: store)
        for action in [["work", "--partition", "0"], ["collect"]] {
            let words = ["fleet"] + action + ["--store", "store", "--scratch", "scratch"]
            let refused = try await Program.run(
                "nuke-batch",
                words + ["--plan", try ours.hash],
                in: ours.job.folder.path
            )
            #expect(refused.exit == 42 && refused.errors.contains("another plan"), "\(refused.errors)")
        }
        #expect(requests.withLock { $0 } == 0)
        #expect(ours.job.files(in: "outside").isEmpty && ours.job.files(in: "scratch").isEmpty)
        // The control: whoever trusts that plan does it.
        #expect(try await ours.fleet("work", "--partition", "0", "--plan", theirs.hash).exit == 0)
        #expect(requests.withLock { $0 } == 2 && ours.job.files(in: "outside").count == 2)
    }

    @Test("a worker opens no file of its machine that the plan's manifest includes or shows")
    func bundle() async throws {
        let fleet = try FleetFolder(1)
        try fleet.job.folder.write(#"{"retry": {"attempts": 2}}"#, to: "common.json")
        try fleet.job.folder.write(try TestImages.tiny(9), to: "mark.png")
        let manifest = String(decoding: try fleet.job.data("job.json"), as: UTF8.self)
        let processors =
            #""processors": [{"watermark": {"image": "mark.png"}}], "include": "common.json", "sources""#
        try fleet.job.folder.write(manifest.replacing(#""sources""#, with: processors), to: "job.json")
        _ = try await fleet.plan(1)
        for name in ["common.json", "mark.png", "job.json"] {
            try FileManager.default.removeItem(atPath: fleet.job.folder.path(name))
        }
        #expect(try await fleet.fleet("work", "--partition", "0").exit == 0)
    }

    // MARK: scratch

    private func work(_ fleet: FleetFolder) async throws -> Program.Outcome {
        try await fleet.fleet("work", "--partition", "0")
    }

    @Test("a scratch folder that is not this user's alone is not used", arguments: [0o755, 0o770, 0o777])
    func scratchMode(mode: Int) async throws {
        let fleet = try await planned(1)
        let name = "scratch/nuke-batch-\(geteuid())"
        try fleet.job.folder.write("x", to: "\(name)/planted")
        try set(mode, name, of: fleet)
        let refused = try await work(fleet)
        #expect(refused.exit == 4 && refused.errors.contains(name), "\(refused.exit) \(refused.errors)")
        #expect(refused.errors.contains("--scratch DIR"), "\(refused.errors)")
        #expect(fleet.job.files(in: name) == ["planted"])
        try FileManager.default.removeItem(atPath: fleet.job.folder.path(name))
        #expect(try await work(fleet).exit == 0)
    }

    @Test("another user's scratch folders are in nobody's way", .enabled(if: geteuid() == 0))
    func scratchUsers() async throws {
        let fleet = try await planned(1)
        for name in ["nuke-batch-fleet", "nuke-batch-12345"] {
            try fleet.job.folder.write("x", to: "scratch/\(name)/x")
            let path = fleet.job.folder.path("scratch/\(name)")
            try FileManager.default.setAttributes(
                [.ownerAccountID: 12345, .posixPermissions: 0o700],
                ofItemAtPath: path
            )
        }
        #expect(try await work(fleet).exit == 0)
        let own = fleet.job.folder.path("scratch/nuke-batch-0")
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        try FileManager.default.setAttributes(
            [.ownerAccountID: 12345, .posixPermissions: 0o700],
            ofItemAtPath: own
        )
        let refused = try await work(fleet)
        #expect(refused.exit == 4 && refused.errors.contains("nuke-batch-0"), "\(refused.errors)")
    }

    @Test("links in the scratch folder lead nowhere", arguments: 0..<4)
    func scratchLinks(depth: Int) async throws {
        let fleet = try await planned(1)
        let parts = [
            "nuke-batch-\(geteuid())", String(try fleet.hash.prefix(16)), "000000", "items.jsonl.gz",
        ]
        let name = "scratch/" + parts.prefix(depth + 1).joined(separator: "/")
        let above = URL(fileURLWithPath: fleet.job.folder.path(name)).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: above, withIntermediateDirectories: true)
        for count in 1...max(depth, 1) where depth > 0 {
            try set(0o700, "scratch/" + parts.prefix(count).joined(separator: "/"), of: fleet)
        }
        // The last is the name of a file, which is replaced; the others are folders, which are not entered.
        let target = depth == 3 ? "victim/file" : "victim"
        try fleet.job.folder.write("untouched", to: "victim/file")
        try FileManager.default.createSymbolicLink(
            atPath: fleet.job.folder.path(name),
            withDestinationPath: fleet.job.folder.path(target)
        )
        let outcome = try await work(fleet)
        #expect(outcome.exit == (depth == 3 ? 0 : 4), "\(outcome.exit) \(outcome.errors)")
        #expect(fleet.job.files(in: "victim") == ["file"])
        #expect(try fleet.job.data("victim/file") == Data("untouched".utf8))
    }
}
