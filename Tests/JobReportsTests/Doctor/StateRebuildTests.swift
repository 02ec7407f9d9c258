import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobReports
import JobStorage
import SQLite
import TestSupport
import Testing

@Suite struct StateRebuildTests {
    private func rebuild(_ job: PlannedJob) async throws -> StateRebuild? {
        try await StateRebuild.perform(job.manifest, options: job.options)
    }

    /// Destroys an index, so that the tables can still be read.
    private func damage(_ job: PlannedJob) throws {
        let path = job.options.statePath(of: job.manifest)
        let connection = try Connection(path: path)
        let page = try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'item_by_ordinal'")
        let size = try connection.integer("PRAGMA page_size")
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64((page - 1) * size))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 512))
        try file.close()
    }

    @Test("an intact state and a missing one are left alone")
    func intact() async throws {
        let job = try PlannedJob(items: 2)
        #expect(try await rebuild(job) == nil)
        let manifest = try ManifestFolder().read(PlannedJob.manifest(["https://a.example/1.jpg"]))
        #expect(try await StateRebuild.perform(manifest) == nil)
        #expect(!FileManager.default.fileExists(atPath: RunOptions().statePath(of: manifest)))
    }

    @Test("an output is believed only if its file is what was recorded")
    func proof() async throws {
        let job = try PlannedJob(items: 5)
        try await job.run { store, item in
            switch item.ordinal {
            case 5: try await job.fail(item, in: store)
            case 4:
                var result = try job.done(item)
                result.outputs[0].spec = String(repeating: "ab", count: 32)
                try await store.record(result, of: item)
            default: try await job.finish(item, in: store)
            }
        }
        try job.folder.folder.write("output small of X", to: "out/small/2.jpg")
        try FileManager.default.removeItem(atPath: job.folder.folder.path("out/small/3.jpg"))
        try damage(job)
        let rebuilt = try #require(try await rebuild(job))
        #expect(rebuilt.items == 5 && rebuilt.finished == 2 && rebuilt.outputs == 1)
        #expect(FileManager.default.fileExists(atPath: rebuilt.aside) && rebuilt.warnings.isEmpty)
        let store = try job.open()
        defer { store.close() }
        var states: [ItemState] = []
        try store.reader.forEachItem { states.append($0.state) }
        #expect(states == [.done, .pending, .pending, .pending, .failed])
    }

    @Test("with nothing left to read, everything waits")
    func nothingLeft() async throws {
        let job = try PlannedJob(items: 3)
        try await job.run { store, item in try await job.finish(item, in: store) }
        let path = job.options.statePath(of: job.manifest)
        for name in [path + "-wal", path + "-shm"] { try? FileManager.default.removeItem(atPath: name) }
        try Data(repeating: 0x5A, count: 4096).write(to: URL(fileURLWithPath: path))
        let rebuilt = try #require(try await rebuild(job))
        #expect(rebuilt.items == 3 && rebuilt.finished == 0 && rebuilt.outputs == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: rebuilt.aside)).count == 4096, "it is kept")
    }
}
