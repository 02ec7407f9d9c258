import Files
import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobReports
import JobStorage
import TestSupport
import Testing

@Suite struct PruningTests {
    /// A job of four finished items, of which the manifest then lists those with these numbers.
    private func job(listing numbers: [Int]) async throws -> PlannedJob {
        var job = try PlannedJob(items: 4)
        try await job.run { store, item in try await job.finish(item, in: store) }
        try job.write(PlannedJob.manifest(numbers.map { "https://a.example/\($0).jpg" }))
        try job.plan()
        return job
    }

    private func left(_ job: PlannedJob) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: job.folder.folder.path("out")).sorted()
    }

    @Test("nothing is orphaned in a job as it was run, or in one that never ran")
    func nothing() async throws {
        let job = try PlannedJob(items: 2)
        try await job.run { store, item in try await job.finish(item, in: store) }
        #expect(try await Pruning(job.manifest).files.isEmpty)
        let manifest = try ManifestFolder().read(PlannedJob.manifest(["https://a.example/1.jpg"]))
        #expect(try await Pruning(manifest).files.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: RunOptions().statePath(of: manifest)))
    }

    @Test("orphaned files go; changed ones stay, also after a second pruning; missing ones are forgotten")
    func actions() async throws {
        let job = try await job(listing: [1])
        try job.folder.folder.write("mine now", to: "out/small/2.jpg")
        try FileManager.default.removeItem(atPath: job.folder.folder.path("out/small/3.jpg"))
        try job.folder.folder.write("never ours", to: "out/small/notes.txt")
        let pruning = try await Pruning(job.manifest)
        #expect(pruning.files.map(\.path) == ["small/2.jpg", "small/3.jpg", "small/4.jpg"])
        #expect(pruning.files.map(\.fate) == [.changed, .gone, .remove])
        #expect(pruning.files.map(\.url) == (2...4).map { "https://a.example/\($0).jpg" })
        #expect(pruning.files.allSatisfy { $0.name == "small" && $0.bytes == 17 })
        #expect(try left(job).count == 5, "looking removes nothing")
        try await pruning.remove()
        #expect(try left(job) == ["small", "small/1.jpg", "small/2.jpg", "small/notes.txt"])
        let again = try await Pruning(job.manifest)
        #expect(again.files.map(\.fate) == [.changed])
        try await again.remove()
        #expect(try left(job) == ["small", "small/1.jpg", "small/2.jpg", "small/notes.txt"])
    }

    @Test("a destination without any output of the job makes nothing forgotten; one that has others does")
    func otherDestination() async throws {
        let job = try await job(listing: [1])
        var elsewhere = RunOptions()
        elsewhere.destination = job.folder.folder.path("elsewhere")
        let pruning = try await Pruning(job.manifest, options: elsewhere)
        #expect(pruning.files.map(\.fate) == [.gone, .gone, .gone])
        let error = await #expect(throws: RunError.self) { try await pruning.remove() }
        #expect(
            error?.exit == .wrongInput && "\(error?.description ?? "")".contains("elsewhere has no output")
        )
        #expect(try await Pruning(job.manifest).files.map(\.fate) == [.remove, .remove, .remove])
        try job.folder.folder.write("moved here", to: "elsewhere/small/1.jpg")
        try await Pruning(job.manifest, options: elsewhere).remove()
        #expect(try await Pruning(job.manifest).files.isEmpty)
        #expect(try left(job).count == 5)
    }

    @Test("a file that is also that of a wanted path in other letters, as where case does not count, stays")
    func otherLetters() async throws {
        var job = try PlannedJob(items: 4)
        try await job.run { store, item in
            var result = try job.done(item)
            // As two names of one text, for a file system that takes them for one: of the fourth item, they are two files.
            result.outputs[0].path =
                ["small/a.jpg", "small/A.jpg", "small/b.jpg", "small/B.jpg"][item.ordinal - 1]
            let bytes = "output small of \(item.ordinal)"
            try job.folder.folder.write(bytes, to: "out/small/\(["a", "a", "b", "B"][item.ordinal - 1]).jpg")
            result.outputs[0].sha256 = Digest.sha256.hex(of: bytes)
            try await store.record(result, of: item)
        }
        let out = job.folder.folder.path("out/small")
        try FileManager.default.linkItem(atPath: "\(out)/a.jpg", toPath: "\(out)/A.jpg")
        try job.write(PlannedJob.manifest([1, 3].map { "https://a.example/\($0).jpg" }))
        try job.plan()
        let pruning = try await Pruning(job.manifest)
        #expect(pruning.files.map(\.path) == ["small/A.jpg", "small/B.jpg"])
        #expect(pruning.files.map(\.fate) == [.taken, .remove])
        try await pruning.remove()
        #expect(try left(job).contains("small/A.jpg") && left(job).contains("small/a.jpg"))
        #expect(try !left(job).contains("small/B.jpg") && left(job).contains("small/b.jpg"))
        #expect(try await Pruning(job.manifest).files.isEmpty)
    }

    @Test("same length, other bytes is a change")
    func sameLength() async throws {
        let job = try await job(listing: [1, 2, 3])
        try job.folder.folder.write("output small of X", to: "out/small/4.jpg")
        #expect(try await Pruning(job.manifest).files.map(\.fate) == [.changed])
    }

    @Test("a path that a listed output has now is not removed")
    func taken() async throws {
        var job = try PlannedJob(items: 2)
        try await job.run { store, item in try await job.finish(item, in: store) }
        // The second item takes the first one's place and path.
        try job.write(PlannedJob.manifest(["https://a.example/2.jpg"]))
        try job.plan()
        try await job.run { store, item in try await job.finish(item, in: store) }
        let pruning = try await Pruning(job.manifest)
        let first = try #require(pruning.files.first { $0.path == "small/1.jpg" })
        #expect(first.fate == .taken, "\(pruning.files)")
        try await pruning.remove()
        #expect(try left(job) == ["small", "small/1.jpg"])
        #expect(try await Verification(job.manifest).damaged.isEmpty)
    }

    @Test("folders that are empty then go, others stay")
    func folders() async throws {
        let job = try await job(listing: [5])
        try job.folder.folder.write("mine", to: "out/mine/a.txt")
        try await Pruning(job.manifest).remove(atMost: .percent(100))
        #expect(try left(job) == ["mine", "mine/a.txt"])
        #expect(try await Pruning(job.manifest).files.isEmpty)
    }

    @Test("a job that a run holds is not pruned")
    func held() async throws {
        let job = try await job(listing: [1])
        let pruning = try await Pruning(job.manifest)
        let store = try job.open()
        defer { store.close() }
        let error = await #expect(throws: RunError.self) { try await pruning.remove(atMost: .percent(100)) }
        #expect(error?.exit == .held)
        #expect(try left(job).count == 5)
    }
}
