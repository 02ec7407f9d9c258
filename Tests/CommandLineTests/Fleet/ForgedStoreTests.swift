import Files
import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// A store in which somebody has changed one thing: every field of every file that a worker, `collect` or `status` reads.
@Suite(.timeLimit(.minutes(20))) struct ForgedStoreTests {
    private let fleet: FleetFolder
    private let requests = Requests()

    private final class Requests: Sendable {
        let count = Mutex(0)
    }

    init() async throws {
        let origin = try LoopbackServer { [requests] request in
            requests.count.withLock { $0 += 1 }
            return LoopbackServer.tinyPicture(for: request)
        }
        fleet = try FleetFolder(3, origin: origin, #", "include": "common.json", "facts": ["size"]"#)
        try fleet.job.folder.write(#"{"retry": {"attempts": 2}}"#, to: "common.json")
        for name in ["victim/pic", "victim/pic/000000", "victim/202401"] {
            try fleet.job.folder.write("untouched", to: "\(name)/file")
        }
        _ = try await fleet.plan(2)
    }

    /// Everything but the store and the scratch folder, with its bytes.
    private var outside: [String: Data] {
        get throws {
            let names = fleet.job.files(in: ".").filter {
                !$0.hasPrefix("store/") && !$0.hasPrefix("scratch/")
            }
            return try Dictionary(uniqueKeysWithValues: names.map { ($0, try fleet.job.data($0)) })
        }
    }

    /// Runs an action on the store as it is, and checks that it is refused by name, without a request and a write outside.
    private func refuse(
        _ action: [String],
        _ names: [String],
        told: Bool = true,
        _ what: String,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let (before, asked) = (try outside, requests.count.withLock { $0 })
        let outcome = try await Program.run(
            "nuke-batch",
            ["fleet"] + action + ["--store", "store", "--scratch", "scratch"],
            in: fleet.job.folder.path,
            environment: told ? ["NUKE_BATCH_PLAN": try fleet.hash] : [:]
        )
        let exits: [Int32] = action[0] == "collect" ? [4, 42] : [42]
        #expect(
            exits.contains(outcome.exit),
            "\(what): \(outcome.exit) \(outcome.errors)",
            sourceLocation: location
        )
        // Of a list in the place of the whole object, no field can be named.
        let isNamed = (names + ["it has another type"]).contains {
            !$0.isEmpty && outcome.errors.contains($0)
        }
        #expect(isNamed, "\(what): \(outcome.errors)", sourceLocation: location)
        #expect(try outside == before, "\(what)", sourceLocation: location)
        #expect(requests.count.withLock { $0 } == asked, "\(what)", sourceLocation: location)
    }

    private func write(_ data: Data, _ key: String) throws {
        try fleet.job.folder.write(data, to: "store/\(key)")
    }

    private func read(_ key: String) throws -> Data { try fleet.job.data("store/\(key)") }

    private static let work = ["work", "--partition", "0"]

    @Test(
        "no field of what a worker reads can be another one",
        arguments: ["job.json", "partitions/000000.json"]
    )
    func planned(key: String) async throws {
        let honest = try read(key)
        let forgeries = try Forgery.all(of: honest)
        print("\(key): \(forgeries.count) forgeries")
        #expect(forgeries.count > 30)
        for (number, forgery) in forgeries.enumerated() {
            try write(forgery.json, key)
            let names = [forgery.name, "plan is", "entry is not"]
            try await refuse(Self.work, names, told: number % 2 == 0, "\(key) \(forgery)")
        }
        #expect(fleet.job.files(in: "scratch").isEmpty)
        try write(JSONSerialization.data(withJSONObject: JSONSerialization.jsonObject(with: honest)), key)
        #expect(try await fleet.fleet("work", "--partition", "0").exit == 0)
    }

    @Test(
        "no field of the plan can be another one",
        arguments: [["collect"], ["status"], ["template", "parallel"]]
    )
    func plan(action: [String]) async throws {
        let honest = try read("plan.json")
        for (number, forgery) in try Forgery.all(of: honest).enumerated() {
            try write(forgery.json, "plan.json")
            let names = [forgery.name, "plan is", "partitions are"]
            try await refuse(action, names, told: number % 2 == 0, "plan.json \(forgery)")
        }
        try write(honest, "plan.json")
        #expect(try await fleet.fleet("status").exit == 0)
    }

    @Test("files of the plan that are missing, others, torn or bombs")
    func files() async throws {
        let bomb = try #require(Gzip.compress(Data(count: 200_000_000)))
        let other = try #require(Gzip.compress(Data("{}\n".utf8)))
        let file = try #require(fleet.job.files(in: "store/files").first)
        for key in ["partitions/000000.jsonl.gz", "files/\(file)", "partitions/000000.json", "job.json"] {
            let honest = try read(key)
            let others = [
                Data(), Data("{".utf8), Data("[]".utf8), bomb, other, honest.dropLast(), honest + Data([0]),
                Data(String(repeating: " ", count: 5_000_000).utf8),
            ]
            for (number, data) in others.enumerated() {
                // A byte behind the JSON of a file that JSON allows: white space is no forgery.
                try write(data, key)
                let name = String(key.split(separator: "/").last ?? "")
                try await refuse(Self.work, [name], told: number % 2 == 0, "\(key) \(number)")
            }
            try FileManager.default.removeItem(atPath: fleet.job.folder.path("store/\(key)"))
            try await refuse(Self.work, [key, "has no plan"], "\(key) missing")
            try write(honest, key)
        }
        #expect(try await fleet.fleet("work", "--partition", "0").exit == 0)
    }

    @Test("partitions of other places and plans")
    func places() async throws {
        let (first, second) = (try read("partitions/000000.json"), try read("partitions/000001.json"))
        try write(second, "partitions/000000.json")
        try await refuse(Self.work, ["entry is not partition 0"], "the entry of another partition")
        try write(first, "partitions/000000.json")
        try write(try read("partitions/000001.jsonl.gz"), "partitions/000000.jsonl.gz")
        try await refuse(Self.work, ["partitions/000000.jsonl.gz"], "the items of another partition")
        for partition in ["2", "202401", "1099511627776"] {
            let beyond = try await fleet.fleet("work", "--partition", partition)
            #expect(beyond.exit == 0 && beyond.output.contains("beyond the plan"), "\(beyond.errors)")
        }
        #expect(try fleet.job.data("victim/202401/file") == Data("untouched".utf8))
    }

    @Test("no field of a commit can be what contradicts")
    func commits() async throws {
        _ = try await fleet.work(0..<2)
        let honest = try read("commits/000000.json")
        for (number, forgery) in try Forgery.all(of: honest).enumerated() {
            // Any text may be the name of a machine or of a version.
            if forgery.isText, ["node", "version"].contains(forgery.name) { continue }
            try write(forgery.json, "commits/000000.json")
            let names = [forgery.name, "counts", "is no commit", "both won", "which won"]
            try await refuse(["collect"], names, told: number % 2 == 0, "commit \(forgery)")
        }
        try write(Data(String(repeating: " ", count: 100_000).utf8) + honest, "commits/000000.json")
        try await refuse(["collect"], ["commits/000000.json"], "a commit of 100 kB")
        // A worker takes none of them for the end of its partition.
        let forged: [(String, [String: Any])] = [
            ("plan is", ["plan": String(repeating: "0", count: 64)]), ("partition is", ["partition": 1]),
            ("attempt is not", ["attempt": "../x"]),
        ]
        for (name, change) in forged {
            try fleet.write(
                try fleet.commit(1).merging(["partition": 0]) { $1 }.merging(change) { $1 },
                as: 0
            )
            try await refuse(Self.work, [name], "a worker at a commit where \(name)")
        }
        try write(Data(), "commits/000000.json")
        try await refuse(Self.work, ["it is not JSON"], "a worker at an empty commit")
        try write(honest, "commits/000000.json")
        #expect(try await fleet.fleet("work", "--partition", "0").output.contains("committed already"))
        let names = ["99999999999999999999", "-00001", "00000x", "1e3", "000002"]
        for name in names {
            try write(honest, "commits/\(name).json")
            try await refuse(["collect"], [name], "commit \(name)")
            try FileManager.default.removeItem(atPath: fleet.job.folder.path("store/commits/\(name).json"))
        }
        #expect(try await fleet.fleet("collect").exit == 0)
    }

    @Test("no field of an attempt's results can be what contradicts, even if the commit vouches for it")
    func results() async throws {
        _ = try await fleet.work(0..<2)
        let commit = try fleet.commit(0)
        let id = try #require(commit["attempt"] as? String)
        let key = "attempts/000000/\(id).jsonl.gz"
        let lines = try #require(Gzip.decompress(try read(key), limit: 1 << 20)).lines
        func replace(_ text: Data) throws {
            let file = try #require(Gzip.compress(text))
            try write(file, key)
            try fleet.write(commit.merging(["sha256": Digest.sha256.hex(of: file)]) { $1 }, as: 0)
        }
        let rest = lines.dropFirst().map { $0 + Data("\n".utf8) }.reduce(Data(), +)
        let free = ["error", "message", "name", "recipe", "encoder", "reason"]
        let forgeries = try Forgery.all(of: lines[0])
        #expect(forgeries.count > 40)
        for (number, forgery) in forgeries.enumerated() {
            // Any text may be there, or none where there may be none.
            if forgery.isText, free.contains(forgery.name) { continue }
            if forgery.value == "nothing",
                ["facts", "format", "encoder", "original", "width", "height"].contains(forgery.name)
            {
                continue
            }
            if forgery.field == "outputs[0]", forgery.value == "nothing" { continue }
            try replace(forgery.json + Data("\n".utf8) + rest)
            let names = [forgery.name, "in place of item", "line 1: it "]
            try await refuse(["collect"], names, told: number % 2 == 0, "results \(forgery)")
        }
        let newline = Data("\n".utf8)
        let replacements: [(name: String, text: Data)] = [
            ("a bomb", Data(count: 300_000_000)),
            ("no lines", Data()),
            ("a line too few", rest),
            ("a line too many", lines[0] + newline + lines[0] + newline + rest),
            (
                "a megabyte",
                Data(#"{"message":"\#(String(repeating: "x", count: 2_000_000))"}\#n"#.utf8) + rest
            ),
        ]
        for (name, text) in replacements {
            try replace(text)
            try await refuse(["collect"], [key], name)
        }
        try replace(lines[0] + newline + rest)
        #expect(try await fleet.fleet("collect").exit == 0)
    }

    @Test("no field of a marker of an attempt ends status")
    func markers() async throws {
        try fleet.begin(0)
        let name = try #require(fleet.attempts(0, ".started").first)
        let key = "attempts/000000/\(name)"
        let honest = try read(key)
        for (number, forgery) in try Forgery.all(of: honest).enumerated() {
            if forgery.isText, forgery.name == "node" { continue }
            try write(forgery.json, key)
            try await refuse(["status"], [forgery.name, "it is"], told: number % 2 == 0, "marker \(forgery)")
        }
        try write(honest, key)
        for name in ["a", "%2e%2e", "..x"] {
            try write(honest, "attempts/000000/\(name).started")
        }
        let status = try await fleet.fleet("status", "--json")
        #expect(status.exit == 0, "\(status.errors)")
        let running = try ToldJob.objects(status).first?["running"] as? [Any]
        #expect(running?.count == 1)
    }
}
