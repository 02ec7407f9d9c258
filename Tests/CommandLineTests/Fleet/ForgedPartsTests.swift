import Files
import Foundation
import TestSupport
import Testing

/// Results of parts that somebody has changed: the merge names each, and writes nothing.
@Suite(.timeLimit(.minutes(20))) struct ForgedPartsTests {
    private static let secret = ["NUKE_BATCH_COLLECT_SECRET": "a secret of this test alone"]
    private static let folder = "store/collected/parts/000001-of-000002"

    private let fleet: FleetFolder

    init() async throws {
        fleet = try FleetFolder(4)
        #expect(try await fleet.plan(1) == 4)
        _ = try await fleet.work(0..<4)
        for part in 1...2 {
            let outcome = try await fleet.fleet("collect", "--part", "\(part)/2", more: Self.secret)
            #expect(outcome.exit == 0, "\(outcome.errors)")
        }
    }

    /// Checks that a merge is refused, and says why by one of `words`.
    private func refuse(
        _ words: [String],
        secret: [String: String] = Self.secret,
        _ what: String,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await fleet.fleet("collect", "--parts", "2", more: secret)
        #expect(outcome.exit == 42, "\(what): \(outcome.exit) \(outcome.errors)", sourceLocation: location)
        let isNamed =
            outcome.errors.contains("000001-of-000002") && words.contains { outcome.errors.contains($0) }
        #expect(isNamed, "\(what): \(outcome.errors)", sourceLocation: location)
        #expect(
            !fleet.job.files(in: "store/collected").contains("results.jsonl.gz"),
            sourceLocation: location
        )
    }

    /// The name of the piece that holds a part's state.
    private func state(of part: Int) throws -> String {
        let data = try fleet.job.data("store/collected/parts/00000\(part)-of-000002/part.json")
        let record = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let pieces = try #require(record["pieces"] as? [[String: Any]])
        #expect(pieces.count == 1)
        return try #require(pieces.first?["sha256"] as? String)
    }

    private func accept() async throws {
        let outcome = try await fleet.fleet("collect", "--parts", "2", more: Self.secret)
        #expect(outcome.exit == 0 && outcome.output.contains("4 of 4 partitions proven"), "\(outcome.errors)")
    }

    @Test("no field of the record can be another one")
    func record() async throws {
        let key = "\(Self.folder)/part.json"
        let honest = try fleet.job.data(key)
        let forgeries = try Forgery.all(of: honest)
        print("part.json: \(forgeries.count) forgeries")
        #expect(forgeries.count > 20)
        for forgery in forgeries {
            try fleet.job.folder.write(forgery.json, to: key)
            try await refuse([forgery.name, "code is not", "it has another type"], "\(forgery)")
        }
        for data in [Data(), Data("{".utf8), Data("[]".utf8), honest.dropLast(2)] {
            try fleet.job.folder.write(data, to: key)
            try await refuse(["is not what nuke-batch writes"], "\(data.count) bytes")
        }
        let other = "store/collected/parts/000002-of-000002/part.json"
        try fleet.job.folder.write(try fleet.job.data(other), to: key)
        try await refuse(["part is 2/2, not 1/2"], "the record of another part")
        try fleet.job.folder.write(honest, to: key)
        try await accept()
    }

    @Test("pieces that are missing, torn, longer or others")
    func pieces() async throws {
        let name = try state(of: 1)
        let key = "\(Self.folder)/\(name)"
        let honest = try fleet.job.data(key)
        var changed = honest
        changed[changed.count / 2] ^= 1
        let other = try fleet.job.data("store/collected/parts/000002-of-000002/\(try state(of: 2))")
        for (what, data) in [
            ("a changed byte", changed), ("a byte less", honest.dropLast()),
            ("a byte more", honest + Data([0])),
            ("nothing", Data()), ("the state of another part", other),
        ] {
            try fleet.job.folder.write(data, to: key)
            try await refuse([name], what)
        }
        try FileManager.default.removeItem(atPath: fleet.job.folder.path(key))
        try await refuse([name], "missing")
        // The part is proven again, although its record is as it was.
        let again = try await fleet.fleet("collect", "--part", "1/2", more: Self.secret)
        #expect(again.exit == 0, "\(again.errors)")
        try await accept()
    }

    @Test("a state whose digest and record were made to fit is found by the secret")
    func secrets() async throws {
        let key = "\(Self.folder)/part.json"
        let honest = try fleet.job.data(key)
        var state = try fleet.job.data("\(Self.folder)/\(try state(of: 1))")
        // The text of a URL, which SQLite reads as it is.
        let place = try #require(state.range(of: Data("/1.png".utf8)))
        state.replaceSubrange(place, with: Data("/7.png".utf8))
        let digest = Digest.sha256.hex(of: state)
        try fleet.job.folder.write(state, to: "\(Self.folder)/\(digest)")
        var record = try #require(try JSONSerialization.jsonObject(with: honest) as? [String: Any])
        record["pieces"] = [["sha256": digest, "bytes": state.count]]
        try fleet.job.folder.write(try JSONSerialization.data(withJSONObject: record), to: key)
        try await refuse(["code is not"], "a consistent forgery")
        try fleet.job.folder.write(honest, to: key)
        let other = ["NUKE_BATCH_COLLECT_SECRET": "another secret of this test"]
        try await refuse(["code is not"], secret: other, "another secret")
        try await accept()
    }

    @Test("a commit that was changed behind a part is found")
    func commits() async throws {
        let honest = try fleet.commit(0)
        let changes: [[String: Any]] = [
            ["sha256": String(repeating: "0", count: 64)], ["node": "other"],
            ["attempt": "00000000-0000-4000-8000-000000000001"],
        ]
        for change in changes {
            try fleet.write(honest.merging(change) { $1 }, as: 0)
            try await refuse(["commits are not those of the store"], "\(change)")
        }
        try fleet.write(honest, as: 0)
        let won = "store/attempts/000000/00000000-0000-4000-8000-000000000001.won"
        try fleet.job.folder.write("{}", to: won)
        try await refuse(["commits are not those of the store"], "a second winner")
        try FileManager.default.removeItem(atPath: fleet.job.folder.path(won))
        try await accept()
    }

    @Test("a contradiction that a part has found is in the report, and its partition is not proven")
    func contradictions() async throws {
        let honest = try fleet.commit(0)
        try fleet.write(honest.merging(["sha256": String(repeating: "0", count: 64)]) { $1 }, as: 0)
        #expect(
            try await fleet.fleet("collect", "--part", "1/2", more: Self.secret).output
                == "part 1/2: 1 partition proven\n"
        )
        let merged = try await fleet.fleet("collect", "--parts", "2", "--json", more: Self.secret)
        #expect(merged.exit == 4 && merged.errors.contains("partition 0: "), "\(merged.errors)")
        let whole = try await fleet.fleet("collect", "--json")
        #expect(whole.exit == 4 && merged.output == whole.output && merged.errors == whole.errors)
        #expect(whole.output.contains(#""unproven":[0]"#))
    }

    @Test("a store that others may write to needs a secret, and it must not be short")
    func trust() async throws {
        let path = fleet.job.folder.path("store")
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        let plan = ["NUKE_BATCH_PLAN": try fleet.hash]
        for words in [["--part", "1/2"], ["--parts", "2", "--state-file", "state.sqlite"]] {
            func collect(_ more: [String: String]) async throws -> Program.Outcome {
                try await Program.run(
                    "nuke-batch",
                    ["fleet", "collect", "--store", "store", "--scratch", "scratch"] + words,
                    in: fleet.job.folder.path,
                    environment: plan.merging(more) { $1 }
                )
            }
            let refused = try await collect([:])
            #expect(
                refused.exit == 42 && refused.errors.contains("NUKE_BATCH_COLLECT_SECRET"),
                "\(refused.errors)"
            )
            let short = try await collect(["NUKE_BATCH_COLLECT_SECRET": "short"])
            #expect(short.exit == 2 && short.errors.contains("fewer than 16 bytes"), "\(short.errors)")
            #expect(try await collect(Self.secret).exit == 0)
        }
    }

    @Test("options of the merge are refused for a part, and parts that there cannot be")
    func usage() async throws {
        for part in ["0/2", "3/2", "1", "1/0", "a/2", "1/2/3", "+1/2", "1/100001"] {
            let outcome = try await fleet.fleet("collect", "--part", part)
            #expect(
                outcome.exit == 2 && outcome.errors.contains("a part such as 3/16"),
                "\(part): \(outcome.errors)"
            )
        }
        for option in [
            ["--gc"], ["--parts", "2"], ["--state-file", "s.sqlite"], ["--residue", "r.json"], ["--json"],
        ] {
            let words = ["fleet", "collect", "--store", "store", "--part", "1/2"] + option
            let outcome = try await Program.run("nuke-batch", words, in: fleet.job.folder.path)
            #expect(outcome.exit == 2 && outcome.errors.contains(option[0]), "\(option): \(outcome.errors)")
        }
    }
}
