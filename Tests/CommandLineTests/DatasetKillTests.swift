import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// Promises P1 to P4 for shards: `kill -9` at random moments, then a plain `run`.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DatasetKillTests {
    private static let (count, perFile, kills) = (1200, 37, 20)

    @Test(
        "20 kills over 1,200 items: each is in one shard once, no complete shard changes, no half of one is left",
        arguments: ["tar", "parquet"]
    )
    func kills(pack: String) async throws {
        let seed = SeededGenerator.seed(of: "dataset kill test of \(pack)")
        var random = SeededGenerator(seed: seed)
        let images = try (0..<Self.count).map { try TestImages.tiny($0) }
        let supply = LimitedSupply(limit: Self.count * 9 / 10)
        let server = try LoopbackServer { request in
            guard supply.answers(request.path) else { return .status(503) }
            guard let number = Int(request.path.dropFirst()), images.indices.contains(number) else {
                return .status(404)
            }
            return .data(images[number], type: "image/png")
        }
        let folder = try TemporaryFolder()
        try folder.write(Self.manifest(server, pack: pack), to: "job.json")
        let environment = pack == "parquet" ? ParquetInstallation.environment : [:]
        var complete: [String: String] = [:]
        var statistics: [String: Data] = [:]
        var acknowledged: Set<String> = []
        var (number, tails, finished) = (0, 0, false)
        while number < Self.kills, !finished {
            let moment = Int.random(in: 1...12, using: &random)
            let delay = Double.random(in: 0...0.006, using: &random)
            let heard = Mutex<(urls: [String], kill: (@Sendable () -> Void)?)>(([], nil))
            let words = ["run", "job.json", "--json"]
            let program = try Program("nuke-batch", words, in: folder.path, environment: environment) {
                line in
                guard line.contains(#""event":"item_finished""#), let url = Self.url(line) else { return }
                let kill = heard.withLock { heard in
                    heard.urls.append(url)
                    return heard.urls.count == moment ? heard.kill : nil
                }
                // A little later, so that some fall between a sync and the rows of it.
                if let kill { DispatchQueue.global().asyncAfter(deadline: .now() + delay) { kill() } }
            }
            heard.withLock { heard in
                heard.kill = { program.signal(SIGKILL) }
                if heard.urls.count >= moment { program.signal(SIGKILL) }
            }
            supply.run { program.signal(SIGKILL) }
            let outcome = await program.wait()
            supply.endRun()
            #expect(outcome.exit == 128 + SIGKILL || outcome.exit == 0, "run \(number): \(outcome.errors)")
            finished = outcome.exit == 0
            number += 1
            acknowledged.formUnion(heard.withLock { $0.urls })
            let read = try await ReadShards(folder.path("out"), pack: pack)
            for (shard, sha256) in complete { #expect(read.shards[shard] == sha256, "\(shard) was changed") }
            complete = read.shards
            let told = try Self.statistics(folder)
            for (name, before) in statistics { #expect(told[name] == before, "\(name) was changed") }
            statistics = told
            tails += try Self.parts(folder).isEmpty ? 0 : 1
        }
        #expect(!finished)
        supply.lift()
        #expect(tails > 0, "no kill met a shard that was being written")

        let before = Self.counts(server)
        let last = try await Program.run(
            "nuke-batch",
            ["run", "job.json"],
            in: folder.path,
            environment: environment
        )
        #expect(last.exit == 0, "\(last.output)\(last.errors)")
        let after = Self.counts(server)
        for url in acknowledged { #expect(before[url] == after[url], "\(url) was requested again") }
        let read = try await ReadShards(folder.path("out"), pack: pack)
        for (shard, sha256) in complete { #expect(read.shards[shard] == sha256, "\(shard) was changed") }
        #expect(read.members.count == 2 * Self.count)
        #expect(read.groups.count == Self.count && Set(read.groups).count == Self.count)
        #expect(Set(read.members.compactMap(\.url)).count == Self.count)
        let sizes = Dictionary(grouping: read.members, by: \.shard).sorted { $0.key < $1.key }.map {
            $0.value.count / 2
        }
        let told = try Self.statistics(folder).sorted { $0.key < $1.key }
        #expect(try told.map { try Self.count($0.value) } == sizes)
        #expect(sizes.dropLast().allSatisfy { $0 == Self.perFile } && sizes.count == 33, "\(sizes)")
        #expect(try Self.parts(folder).isEmpty)
        let verified = try await Program.run(
            "nuke-batch",
            ["verify", "job.json"],
            in: folder.path,
            environment: environment
        )
        #expect(verified.output == "1,200 outputs checked, 0 damaged\n", "\(verified.output)")
        let index = try String(contentsOfFile: folder.path("out/index.jsonl"), encoding: .utf8)
        #expect(index.split(separator: "\n").count == Self.count)
        print(
            "dataset kill test of \(pack): \(number) kills, \(tails) met a shard being written, \(acknowledged.count) acknowledged before"
        )
    }

    private static func parts(_ folder: TemporaryFolder) throws -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path("out"))) ?? []
        return names.filter { name in
            name != "index.jsonl" && ![".tar", ".parquet", "_stats.json"].contains { name.hasSuffix($0) }
        }
    }

    /// The statistics of complete shards, by their names.
    private static func statistics(_ folder: TemporaryFolder) throws -> [String: Data] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path("out"))) ?? []
        return try Dictionary(
            uniqueKeysWithValues: names.filter { $0.hasSuffix("_stats.json") }.map {
                ($0, try Data(contentsOf: URL(fileURLWithPath: folder.path("out/\($0)"))))
            }
        )
    }

    /// The number of items that statistics tell of.
    private static func count(_ statistics: Data) throws -> Int {
        let object = try JSONSerialization.jsonObject(with: statistics) as? [String: Any]
        return try #require(object?["count"] as? Int)
    }

    private static func url(_ line: String) -> String? {
        let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return (event?["item"] as? [String: Any])?["url"] as? String
    }

    private static func counts(_ server: LoopbackServer) -> [String: Int] {
        var counts: [String: Int] = [:]
        for request in server.requests { counts[server.address + request.path, default: 0] += 1 }
        return counts
    }

    private static func manifest(_ server: LoopbackServer, pack: String) -> String {
        let urls = (0..<count).map { "\"\(server.url("/\($0)"))\"" }.joined(separator: ", ")
        return """
            {"sources": [{"urls": [\(urls)]}], "outputs": [{"format": "png"}],
             "dataset": {"pack": "\(pack)", "itemsPerFile": \(perFile), "index": "index.jsonl", "honourRobots": false},
             "cache": {"directory": "cache"}, "network": {"allow": ["127.0.0.1"]},
             "loading": {"rate": "5000/s", "burst": 100}}
            """
    }
}
