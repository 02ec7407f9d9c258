import Foundation
import LoopbackServer
import SQLite
import TestSupport
import Testing

/// Unfinished jobs of an earlier release, resumed by this one: promises P1 and P2 over an upgrade.
///
/// `Fixtures/record-state` made them with release 0.1.0: seven of twelve images are done, image 3 is missing at its
/// origin, and a run was killed while it waited for images 9 to 12.
@Suite(.timeLimit(.minutes(10))) struct EarlierStateTests {
    private static let done = [1, 2, 4, 5, 6, 7, 8]
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        let fixture = Repository.root.appendingPathComponent("Tests/CommandLineTests/Fixtures/UnfinishedJobs")
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.path) {
            try FileManager.default.copyItem(
                atPath: fixture.appendingPathComponent(name).path,
                toPath: folder.path(name)
            )
        }
        // A checkout keeps no permissions of folders.
        for name in [".nuke-batch", "cache"] {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o700],
                ofItemAtPath: folder.path(name)
            )
        }
        server = try LoopbackServer { request in
            guard let number = Self.number(request), number != 3, let image = try? TestImages.tiny(number)
            else {
                return .status(404)
            }
            return .resource(image, type: "image/png", etag: "\"\(number)\"", for: request)
        }
    }

    /// The image's number in a request to the proxy, such as `http://photos.example/7.png`.
    private static func number(_ request: LoopbackServer.Request) -> Int? {
        request.path.split(separator: "/").last.flatMap { Int($0.dropLast(4)) }
    }

    private func run(_ words: String...) async throws -> Program.Outcome {
        try await Program.run(
            "nuke-batch",
            words,
            in: folder.path,
            environment: ["http_proxy": server.address]
        )
    }

    private func digests(_ name: String) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(name))
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try Data(contentsOf: URL(fileURLWithPath: folder.path("\(name)/\($0)"))))
            }
        )
    }

    private func integer(_ job: String, _ sql: String) throws -> Int64 {
        try Connection(path: folder.path(".nuke-batch/\(job).sqlite"), mode: .readOnly).integer(sql)
    }

    @Test("files: what is done is neither loaded nor made again, and the rest is finished")
    func files() async throws {
        let before = try digests("thumbnails")
        #expect(before.count == Self.done.count)
        let resumed = try await run("run", "files.json")
        #expect(resumed.exit == 1, "image 3 stays missing: \(resumed.output)\(resumed.errors)")
        #expect(resumed.output.contains("4 made"), "\(resumed.output)")
        #expect(Set(server.requests.compactMap(Self.number)).isSubset(of: [3, 9, 10, 11, 12]))
        let after = try digests("thumbnails")
        #expect(after.count == 11)
        for (name, bytes) in before { #expect(after[name] == bytes, "\(name)") }
        #expect(try integer("files", "SELECT count(*) FROM item WHERE state = 'done' AND attempts = 1") == 11)
        #expect(try integer("files", "SELECT count(*) FROM attempt WHERE outcome = 'done'") == 11)
        #expect(try await run("verify", "files.json").output == "11 outputs checked, 0 damaged\n")

        let count = server.requests.count
        let again = try await run("run", "files.json")
        #expect(again.exit == 1 && server.requests.count == count)
        #expect(try digests("thumbnails") == after)
    }

    @Test("dataset: a half-written shard is continued, and complete ones stay as they are")
    func dataset() async throws {
        let complete = try #require(try digests("shards")["00000.tar"])
        #expect(try digests("shards").keys.contains("00001.tar.part"))
        let resumed = try await run("run", "dataset.json")
        #expect(resumed.exit == 1, "image 3 stays missing: \(resumed.output)\(resumed.errors)")
        #expect(Set(server.requests.compactMap(Self.number)).isSubset(of: [3, 9, 10, 11, 12]))
        let shards = try digests("shards")
        // Of the first two, the earlier release has not recorded what the statistics tell.
        #expect(
            shards.keys.sorted() == [
                "00000.tar", "00001.tar", "00002.tar", "00002_stats.json", "index.jsonl",
            ]
        )
        #expect(shards["00000.tar"] == complete)
        let read = try await ReadShards(folder.path("shards"))
        #expect(read.groups.count == 11 && Set(read.groups).count == 11)
        #expect(read.members.count == 22)
        #expect(try integer("dataset", "SELECT count(*) FROM item WHERE state = 'done'") == 11)
        #expect(try integer("dataset", "SELECT count(*) FROM shard WHERE complete_ms IS NULL") == 0)
        #expect(try await run("verify", "dataset.json").output == "11 outputs checked, 0 damaged\n")
        let rows = String(decoding: shards["index.jsonl"] ?? Data(), as: UTF8.self)
        #expect(rows.split(separator: "\n").count == 11)
    }
}
