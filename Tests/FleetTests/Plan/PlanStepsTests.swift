import Files
import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import TestSupport
import Testing

@testable import Fleet

/// Planning by steps, between which the lines are moved by somebody else, against planning on one machine.
@Suite struct PlanStepsTests {
    private let manifest: ManifestFolder

    init() throws {
        manifest = try ManifestFolder()
    }

    /// A list with odd rows, duplicates and hosts of all sizes.
    private func list(using random: inout SeededGenerator) -> String {
        let hosts = (0..<40).map { number in
            ["a\(number).example", "b\(number).example:8080", "bücher\(number).example"][number % 3]
        }
        let paths = ["a b", "ü", "e\u{301}", "\u{E9}", "%41", "x?q=1&r=2", "x#f"]
        return (0..<3000).map { _ in
            let host = hosts[min(Int.random(in: 0..<80, using: &random), 39)]
            let path = paths[Int.random(in: 0..<paths.count, using: &random)]
            switch Int.random(in: 0..<60, using: &random) {
            case 0: return "not a url"
            case 1: return "ftp2://\(host)/x"
            case 2: return ""
            case 3: return "# a comment"
            default: return "https://\(host)/\(path)\(Int.random(in: 0..<400, using: &random))"
            }
        }.map { $0 + "\n" }.joined()
    }

    private func limits() -> PartitionLimits {
        var limits = PartitionLimits()
        limits.items = 70
        limits.minutes = 1
        return limits
    }

    /// The rows of a manifest as `fleet key` prints them.
    private func rows(of job: Manifest) throws -> [(key: String, host: String, text: String)] {
        var rows: [(key: String, host: String, text: String)] = []
        try ItemReader(job).forEach { item in
            let line = PartitionKeys.line(of: item).split(
                separator: "\t",
                maxSplits: 2,
                omittingEmptySubsequences: false
            )
            rows.append((String(line[0]), String(line[1]), String(line[2])))
        }
        return rows
    }

    /// Plans by steps, and moves the lines as any program may.
    private func planBySteps(
        _ job: Manifest,
        rows: [(key: String, host: String, text: String)],
        in store: FleetStore
    )
        async throws -> FleetPlan
    {
        let steps = PlanSteps(job, limits: limits(), store: store)
        var first: [String: Int] = [:]
        for (index, row) in rows.enumerated() where first[row.key] == nil { first[row.key] = index }
        let kept = first.values.sorted()
        let counts = Dictionary(grouping: kept) { rows[$0].host }.mapValues(\.count)
        var hosts = counts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { "\($0.key)\t\($0.value)" }[...]
        var slices: [String: [(partition: Int, items: Int)]] = [:]
        try steps.pack({ hosts.popFirst() }) { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            let (partition, items) = (Int(fields[1]) ?? -1, Int(fields[2]) ?? -1)
            slices[String(fields[0]), default: []].append((partition, items))
        }
        let blocked = try blocked(rows, steps)
        var used: [String: Int] = [:]
        var lines: [(partition: Int, ordinal: Int, text: String)] = []
        for index in kept {
            let host = rows[index].host
            var rank = used[host, default: 0]
            used[host, default: 0] += 1
            let slice = try #require(
                slices[host]?.first { slice in
                    defer { rank -= slice.items }
                    return rank < slice.items
                }
            )
            lines.append((slice.partition, index + 1, rows[index].text + (blocked[index + 1] ?? "")))
        }
        lines.sort { ($0.partition, $0.ordinal) < ($1.partition, $1.ordinal) }
        var moved = lines.map { "\($0.partition)\t\($0.ordinal)\t\($0.text)" }[...]
        var written: [String] = []
        try await steps.write({ moved.popFirst() }) { written.append($0) }
        var summaries = written.reversed()[...]
        return try await steps.seal({ summaries.popFirst() }, duplicates: rows.count - kept.count)
    }

    /// The outputs that are not made, as they stand behind a row, by ordinal.
    private func blocked(
        _ rows: [(key: String, host: String, text: String)],
        _ steps: PlanSteps
    ) throws -> [Int: String] {
        var lines = rows.enumerated().map { "\($0.offset + 1)\t\($0.element.text)" }[...]
        var owners: [String: [Substring]] = [:]
        var blocked: [Int: String] = [:]
        try steps.claim({ lines.popFirst() }) { line in
            let fields = line.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false)
            let path = String(fields[3])
            if let owner = owners[path] {
                guard owner[1...] != fields[1...2] else { return }
                blocked[Int(fields[0]) ?? -1, default: ""] += "\t\(fields[1])\t\(path)"
            } else {
                owners[path] = Array(fields[0...2])
            }
        }
        return blocked
    }

    @Test("the same rows give the same plan, with the same hash and the same files")
    func equality() async throws {
        let seed = SeededGenerator.seed(of: "plan steps")
        var random = SeededGenerator(seed: seed)
        for round in 0..<3 {
            try manifest.folder.write(list(using: &random), to: "urls.txt")
            let job = try manifest.read(
                """
                {"sources": [{"list": "urls.txt", "vars": {"a": "b"}, "headers": {"X-A": "1"}}],
                 "outputs": [{"path": "{index}.{ext}", "format": "jpeg"}, {"name": "z", "path": "{host}/{stem}.png", "format": "png"},
                             {"name": "b", "path": "{stem}.webp", "format": "webp", "onCollision": "first"}],
                 "loading": {"rate": "2/s"}}
                """
            )
            let store = try FleetStore(manifest.folder.path("one-\(round)"), environment: [:], creates: true)
            let planner = FleetPlanner(
                job,
                limits: limits(),
                store: store,
                scratch: manifest.folder.path("scratch")
            )
            let plan = try await planner.plan().plan
            #expect(plan.partitions.count > 30 && plan.duplicates > 0)
            let first = try #require(try files(in: "one-\(round)")["partitions/000000.jsonl.gz"])
            let lines = String(decoding: try #require(Gzip.decompress(first, limit: 1 << 24)), as: UTF8.self)
            #expect(lines.contains(#""blocked":[{"output":"b","path""#))
            let other = try FleetStore(
                manifest.folder.path("steps-\(round)"),
                environment: [:],
                creates: true
            )
            let stepped = try await planBySteps(job, rows: rows(of: job), in: other)
            #expect(stepped.hash == plan.hash, "seed \(seed)")
            #expect(try files(in: "one-\(round)") == files(in: "steps-\(round)"), "seed \(seed)")
        }
    }

    /// The bytes of all files of a store.
    private func files(in name: String) throws -> [String: Data] {
        let folder = manifest.folder.path(name)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
        return Dictionary(
            uniqueKeysWithValues: paths.compactMap { path in
                FileManager.default.contents(atPath: "\(folder)/\(path)").map { (path, $0) }
            }
        )
    }

    @Test(
        "lines of another form or order are refused with their number",
        arguments: [
            ["b\t1", "a\t1"], ["a\t1", "a\t2"], ["a"], ["a\tx"], ["a\t0"],
        ]
    )
    func disorder(lines: [String]) async throws {
        let job = try manifest.read(#"{"sources": [{"urls": []}]}"#)
        let store = try FleetStore(manifest.folder.path("store"), environment: [:], creates: true)
        let steps = PlanSteps(job, limits: limits(), store: store)
        var rest = lines[...]
        #expect {
            try steps.pack({ rest.popFirst() }) { _ in }
        } throws: {
            "\($0)".contains("standard input, line \(lines.count)") && ($0 as? RunError)?.exit == .wrongInput
        }
    }

    @Test("the last step leaves a store that has another plan by then as it is")
    func otherPlan() async throws {
        func job(_ urls: String) throws -> Manifest {
            try manifest.folder.write(urls, to: "urls.txt")
            return try manifest.read(#"{"sources": [{"list": "urls.txt"}]}"#)
        }
        let store = try FleetStore(manifest.folder.path("store"), environment: [:], creates: true)
        let first = try job("https://a.example/1\nhttps://b.example/2\n")
        let rows = try rows(of: first)
        let plan = try await planBySteps(first, rows: rows, in: store)
        #expect(try await planBySteps(first, rows: rows, in: store).hash == plan.hash)
        let before = try #require(try files(in: "store")[FleetKey.plan])
        let second = try job("https://a.example/1\n")
        let others = try self.rows(of: second)
        await #expect {
            try await planBySteps(second, rows: others, in: store)
        } throws: {
            "\($0)".contains("holds another plan") && ($0 as? RunError)?.exit == .wrongInput
        }
        #expect(try files(in: "store")[FleetKey.plan] == before)
    }

    @Test("a plan never changes: another one is refused, the same one is not written again")
    func immutability() async throws {
        try manifest.folder.write("https://a.example/1\nhttps://b.example/2\n", to: "urls.txt")
        let job = try manifest.read(#"{"sources": [{"list": "urls.txt"}]}"#)
        let store = try FleetStore(manifest.folder.path("store"), environment: [:], creates: true)
        let scratch = manifest.folder.path("scratch")
        let plan = try await FleetPlanner(job, limits: limits(), store: store, scratch: scratch).plan().plan
        let before = try files(in: "store")
        #expect(
            try await FleetPlanner(job, limits: limits(), store: store, scratch: scratch).plan().plan.hash
                == plan.hash
        )
        #expect(try files(in: "store") == before)
        try manifest.folder.write("https://a.example/1\n", to: "urls.txt")
        await #expect {
            try await FleetPlanner(job, limits: limits(), store: store, scratch: scratch).plan()
        } throws: {
            "\($0)".contains("holds another plan")
        }
        #expect(try files(in: "store") == before)
    }
}
