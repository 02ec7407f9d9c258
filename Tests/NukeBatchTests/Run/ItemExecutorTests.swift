import Foundation
import JobFixtures
import JobStorage
import Originals
import TestSupport
import Testing

@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct ItemExecutorTests {
    private static let text = #"""
        {"sources": [{"urls": ["https://a.example/1.jpg"]}], "cache": {"policy": "none"},
         "outputs": [{"name": "small", "format": "jpeg", "processors": [{"resize": {"width": 2}}]}]}
        """#

    private let job: RunningJob

    init() throws {
        job = try RunningJob(Self.text)
    }

    /// Executes the items of `files` below the job's folder with `destination`.
    private func execute(_ files: [String], _ destination: FakeDestination) async throws -> [ItemRecord] {
        let test = try TestPipeline(job, destination)
        let executor = ItemExecutor(
            pipeline: test.pipeline,
            recorder: ItemRecorder(test.context, test.loader.rateLimiter, spent: SpentAttempts())
        )
        let items = try await job.claim(urls: files.map { "file://\(job.files.folder.path($0))" })
        for item in items { await executor.execute(item) }
        #expect(destination.released.all == items.map(\.itemID))
        return try items.map { try job.record(of: $0) }
    }

    @Test("each item has the record of its own end, and gives its paths back")
    func records() async throws {
        let data = try pngFile(4, 2)
        try job.files.folder.write(data, to: "1.png")
        try job.files.folder.write("no image", to: "2.png")
        let destination = FakeDestination()
        let records = try await execute(["1.png", "2.png", "gone.png"], destination)
        #expect(records.map(\.state) == [.done, .failed, .failed])
        #expect(records.map(\.error) == [nil, "wrong_type", "not_found"])
        #expect(destination.writes.all == [["small"]])
        #expect(records[0].originalSHA256 == original(data).sha256)
        #expect(records.map { $0.lastAttempt?.result.outcome } == ["done", "failed", "failed"])
        #expect(records[0].lastAttempt?.result.bytes == data.count)
    }

    @Test("an item whose outputs cannot be written now gives its paths back, and waits")
    func local() async throws {
        try job.files.folder.write(pngFile(4, 2), to: "1.png")
        let failure = itemError("local", "the disk is full", handling: .local)
        let records = try await execute(["1.png"], FakeDestination(failure: failure))
        #expect(records[0].state == .pending && records[0].attempts == 0)
        #expect(records[0].message == "the disk is full")
    }
}
