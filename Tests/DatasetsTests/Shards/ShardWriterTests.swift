import Files
import Foundation
import JobFixtures
import JobManifest
import JobStorage
import TestSupport
import Testing

@testable import Datasets

@Suite(.timeLimit(.minutes(10))) struct ShardWriterTests {
    private let job: RunningJob
    private let files: ShardFolder
    private let warnings = Recorded<String>()

    init() throws {
        job = try RunningJob()
        files = try ShardFolder(job.manifest, job.store) { [warnings] in warnings.add($0) }
    }

    private func writer(_ itemsPerFile: Int) -> ShardWriter {
        ShardWriter(files, job.store, itemsPerFile: itemsPerFile)
    }

    private func entry(_ item: ClaimedItem, _ text: String = "members!") -> ShardWriter.Entry {
        var packed = output("small", path: "\(item.ordinal).jpg")
        packed.shardOffset = 3
        let skipped = output("web", .skipped, reason: "exists")
        return ShardWriter.Entry(item: item, members: Data(text.utf8), outputs: [packed, skipped])
    }

    private func names() throws -> [String] {
        try files.folder.names().filter { $0.contains(".tar") }.sorted()
    }

    @Test("items stand one after the other, and a full shard gets its name")
    func append() async throws {
        let items = try await job.claim(hosts: Array(repeating: "a.example", count: 5))
        let writer = writer(2)
        var outputs: [[OutputResult]] = []
        for item in items { outputs.append(try await writer.append(entry(item))) }
        #expect(outputs.map { $0[0].shardOffset } == [3, 11, 3, 11, 3])
        #expect(
            outputs.map { $0[0].path } == [
                "00000.tar/1.jpg", "00000.tar/2.jpg", "00001.tar/3.jpg", "00001.tar/4.jpg", "00002.tar/5.jpg",
            ]
        )
        #expect(outputs.allSatisfy { $0.count == 2 && $0[1].shardOffset == nil })
        #expect(try names() == ["00000.tar", "00001.tar", "00002.tar.part"])
        try await writer.finish()
        #expect(try names() == ["00000.tar", "00001.tar", "00002.tar"])
        let end = Data(count: 1024)
        #expect(try files.folder.read("00000.tar", limit: 10_000) == Data("members!members!".utf8) + end)
        #expect(try files.folder.read("00002.tar", limit: 10_000) == Data("members!".utf8) + end)
        #expect(try !files.hasOpenShard)
        #expect(warnings.all.isEmpty)
    }

    @Test("the next run goes on where the last commit was")
    func resume() async throws {
        let items = try await job.claim(hosts: Array(repeating: "a.example", count: 3))
        _ = try await writer(10).append(entry(items[0]))
        #expect(try files.hasOpenShard)
        // The first writer still holds the file for a moment.
        try await eventually { try HeldFile("00000.tar.part", in: files.folder) != nil }
        // A killed run may have left bytes that have no rows.
        let part = files.folder.path + "/00000.tar.part"
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: part))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("not recorded".utf8))
        try handle.close()
        let next = writer(10)
        let outputs = try await next.append(entry(items[1]))
        #expect(outputs[0].shardOffset == 11)
        try await next.finish()
        #expect(try names() == ["00000.tar"])
        let bytes = try files.folder.read("00000.tar", limit: 10_000)
        #expect(bytes == Data("members!members!".utf8) + Data(count: 1024))
        #expect(warnings.all.isEmpty)
    }

    @Test("a shard that is gone or shorter is told, and its number is not given again", arguments: [nil, 7])
    func lost(length: UInt64?) async throws {
        let items = try await job.claim(hosts: Array(repeating: "a.example", count: 2))
        _ = try await writer(10).append(entry(items[0]))
        let part = files.folder.path + "/00000.tar.part"
        if let length {
            try FileHandle(forWritingTo: URL(fileURLWithPath: part)).truncate(atOffset: length)
        } else {
            try FileManager.default.removeItem(atPath: part)
        }
        let outputs = try await writer(10).append(entry(items[1]))
        #expect(outputs[0].path == "00001.tar/2.jpg")
        #expect(warnings.all.count == 1)
        #expect(try names() == ["00001.tar.part"])
    }

    @Test("shards of others are followed, never written over")
    func others() async throws {
        let path = files.folder.path
        try Data("other".utf8).write(to: URL(fileURLWithPath: path + "/00006.tar"))
        let item = try #require(try await job.claim(hosts: ["a.example"]).first)
        let outputs = try await writer(1).append(entry(item))
        #expect(outputs[0].path == "00007.tar/1.jpg")
        #expect(try files.folder.read("00006.tar", limit: 100) == Data("other".utf8))
        #expect(warnings.all.count == 1)
    }

    @Test("a shard that the limit has made full since is completed first")
    func smaller() async throws {
        let items = try await job.claim(hosts: Array(repeating: "a.example", count: 3))
        for item in items.prefix(2) {
            _ = try await writer(10).append(entry(item))
            try await eventually { try HeldFile("00000.tar.part", in: files.folder) != nil }
        }
        let outputs = try await writer(2).append(entry(items[2]))
        #expect(outputs[0].path == "00001.tar/3.jpg")
        #expect(try names() == ["00000.tar", "00001.tar.part"])
        #expect(warnings.all.isEmpty)
    }

    @Test("a shard that got its name before a kill is complete")
    func renamed() async throws {
        let items = try await job.claim(hosts: Array(repeating: "a.example", count: 2))
        _ = try await writer(10).append(entry(items[0]))
        try await eventually { try HeldFile("00000.tar.part", in: files.folder) != nil }
        let (record, shard) = try await files.openShard()
        try await shard.complete(record)
        let outputs = try await writer(10).append(entry(items[1]))
        #expect(outputs[0].path == "00001.tar/2.jpg")
        let bytes = try files.folder.read("00000.tar", limit: 10_000)
        #expect(bytes == Data("members!".utf8) + Data(count: 1024))
        #expect(warnings.all.isEmpty)
    }

    @Test("after an error nothing more is written, since nobody knows what the disk has")
    func failure() async throws {
        let items = try await job.claim(hosts: Array(repeating: "a.example", count: 3))
        let writer = writer(10)
        _ = try await writer.append(entry(items[0]))
        try await job.store.putBack(items[1])
        for item in items[1...] {
            let error = await #expect(throws: DestinationTrouble.self) {
                try await writer.append(entry(item))
            }
            guard case .local(let message)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(message.hasPrefix("the shard cannot be written: "))
        }
        await #expect(throws: JobStoreError.self) { try await writer.finish() }
        // What was recorded before is whole.
        #expect(try job.reader.openShard(of: job.manifest.destinationText)?.items == 1)
        #expect(try names() == ["00000.tar.part"])
    }

    @Test("a shard without an item leaves nothing")
    func empty() async throws {
        let (record, shard) = try await files.openShard()
        #expect(record.number == 0)
        #expect(try names() == ["00000.tar.part"])
        try await shard.complete(record)
        #expect(try names() == [])
    }

    @Test("items that come at once are all written, each once")
    func many() async throws {
        let items = try await job.claim(hosts: Array(repeating: "a.example", count: 40))
        let writer = writer(7)
        let places = try await withThrowingTaskGroup(of: String.self) { group in
            for item in items {
                group.addTask {
                    let outputs = try await writer.append(entry(item))
                    let shard = outputs[0].path?.prefix(9) ?? ""
                    return "\(shard) \(outputs[0].shardOffset ?? 0)"
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await writer.finish()
        let expected = (0..<40).map { "0000\($0 / 7).tar \($0 % 7 * 8 + 3)" }
        #expect(places.sorted() == expected.sorted())
        #expect(try names() == (0..<6).map { "0000\($0).tar" })
    }
}
