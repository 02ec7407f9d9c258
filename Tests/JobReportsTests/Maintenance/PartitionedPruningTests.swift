import Files
import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import TestSupport
import Testing

@testable import JobReports

/// The orphaned files of one partition among those that the other states of the job ask for.
@Suite struct PartitionedPruningTests {
    private static let count = 8

    /// A manifest of these items with ids that begin with `prefix`.
    private static func text(_ prefix: String, _ numbers: ClosedRange<Int> = 1...count) -> String {
        let entries = numbers.map { #"{"url": "https://a.example/\#($0).jpg", "id": "\#(prefix)\#($0)"}"# }
        return PlannedJob.manifest(["ITEMS"]).replacing("\"ITEMS\"", with: entries.joined(separator: ", "))
    }

    /// The two partitions of a job whose items are done.
    private func partitions() async throws -> [PlannedJob] {
        let jobs = try PlannedJob(Self.text("a")).partitions(2)
        for job in jobs { try await finish(job) }
        return jobs
    }

    private func finish(_ job: PlannedJob) async throws {
        try await job.run { store, item in try await job.finish(item, in: store) }
    }

    /// Lists the items of `text` in these partitions instead, and makes what is new.
    private func change(_ jobs: inout [PlannedJob], to text: String) async throws {
        for index in jobs.indices {
            try jobs[index].write(text)
            try jobs[index].plan()
            try await finish(jobs[index])
        }
    }

    private func pruning(_ job: PlannedJob) async throws -> Pruning {
        try await Pruning(job.manifest, options: job.options)
    }

    private func files(_ jobs: [PlannedJob]) async throws -> [[Pruning.File]] {
        var files: [[Pruning.File]] = []
        for job in jobs { files.append(try await pruning(job).files) }
        return files
    }

    private func left(_ job: PlannedJob) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: job.folder.folder.path("out")).sorted()
    }

    private func paths(_ numbers: ClosedRange<Int>) -> [String] {
        ["small"] + numbers.map { "small/\($0).jpg" }
    }

    @Test("a file whose item moved to the other partition is kept, although its bytes are the same")
    func moved() async throws {
        var jobs = try await partitions()
        try await change(&jobs, to: Self.text("b"))
        let files = try await files(jobs).joined()
        let moved = files.filter { $0.fate == .taken }.map(\.path)
        // The other items have new ids as well, but stayed in their partitions.
        let wanted = try jobs.map { job in
            let reader = try #require(try JobReader(path: job.options.statePath(of: job.manifest)))
            let among = Set(paths(1...Self.count).map { BytePath($0) })
            return try Set(reader.wantedPaths(among: among).map(\.description))
        }
        let orphans = try await self.files(jobs).map { Set($0.map(\.path)) }
        #expect(!orphans[0].isDisjoint(with: wanted[1]), "choose other ids: no item moved from 1/2 to 2/2")
        #expect(!orphans[1].isDisjoint(with: wanted[0]), "choose other ids: no item moved from 2/2 to 1/2")
        #expect(files.count == Self.count && moved.count == Self.count)
        for job in jobs { try await pruning(job).remove() }
        #expect(try left(jobs[0]) == paths(1...Self.count))
        for job in jobs {
            #expect(try await pruning(job).files.isEmpty)
            #expect(try await Verification(job.manifest, options: job.options).damaged.isEmpty)
        }
    }

    @Test("orphans that no partition asks for go, each with its partition's pruning")
    func orphans() async throws {
        var jobs = try await partitions()
        try await change(&jobs, to: Self.text("a", 1...5))
        let files = try await files(jobs)
        #expect(files.flatMap { $0 }.map(\.fate) == [.remove, .remove, .remove])
        try await pruning(jobs[0]).remove(atMost: .percent(100))
        #expect(try left(jobs[0]).count == 1 + Self.count - files[0].count)
        try await pruning(jobs[1]).remove(atMost: .percent(100))
        #expect(try left(jobs[0]) == paths(1...5))
    }

    @Test("files that the state of the whole job asks for are kept, and the other way round")
    func wholeJob() async throws {
        var jobs = try await partitions()
        var whole = jobs[0]
        whole.options.shard = nil
        try whole.plan()
        try await finish(whole)
        try await change(&jobs, to: Self.text("a", 1...5))
        #expect(try await files(jobs).joined().map(\.fate) == [.taken, .taken, .taken])
        for job in jobs { try await pruning(job).remove() }
        #expect(try left(whole) == paths(1...Self.count))
        // Now the state of the whole job is the only one that knows these files.
        try whole.write(Self.text("a", 1...2))
        try whole.plan()
        let fates = try await pruning(whole).files.map(\.fate)
        #expect(fates == [.taken, .taken, .taken, .remove, .remove, .remove])
        try await pruning(whole).remove()
        #expect(try left(whole) == paths(1...5))
    }

    @Test("nothing is removed during a run of another partition, which could write the same file")
    func held() async throws {
        var jobs = try await partitions()
        try await change(&jobs, to: Self.text("a", 1...2))
        let pruning = try await pruning(jobs[0])
        #expect(pruning.files.contains { $0.fate == .remove })
        let running = try jobs[1].open()
        let error = await #expect(throws: RunError.self) { try await pruning.remove(atMost: .percent(100)) }
        #expect(error?.exit == .held && error?.description.contains("job.shard-2-of-2") == true)
        #expect(try left(jobs[0]) == paths(1...Self.count))
        running.close()
        try await pruning.remove(atMost: .percent(100))
        #expect(try left(jobs[0]).count == 1 + Self.count - pruning.files.count)
    }
}
