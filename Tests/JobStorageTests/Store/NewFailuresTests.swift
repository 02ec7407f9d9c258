import JobStorage
import SQLite
import TestSupport
import Testing

/// Failures are new until a run has reported them, and again after their items were done or unlisted.
@Suite(.timeLimit(.minutes(10))) struct NewFailuresTests {
    private let job: TestJob
    private let store: JobStore

    init() throws {
        job = try TestJob()
        store = try job.open()
        try store.plan((1...3).map { row($0) })
        _ = try store.beginRun(version: "1")
    }

    private func failAll(_ error: String = "http_404") async throws {
        for item in try await store.claim(limit: 10) {
            try await store.record(ItemResult(.failed(error: error, message: "m")), of: item)
        }
    }

    private func new() throws -> [Int] {
        try store.reader.newFailures(limit: 10).first.map(\.ordinal)
    }

    @Test("counts by error and lists the first, until they are reported")
    func reported() async throws {
        #expect(try store.reader.newFailures(limit: 10).count == 0)
        try await failAll()
        let failures = try store.reader.newFailures(limit: 2)
        #expect(failures.errors == ["http_404": 3] && failures.first.map(\.ordinal) == [1, 2])
        try store.markFailuresReported()
        #expect(try new() == [])
    }

    @Test("a reported item that fails again, also with another error, is not new")
    func again() async throws {
        try await failAll()
        try store.markFailuresReported()
        #expect(try store.requeueFailed() == 3)
        #expect(try new() == [])
        try await failAll("dns")
        #expect(try new() == [] && store.reader.failures() == ["dns": 3])
    }

    @Test("an item that was done or skipped in between is new")
    func healed() async throws {
        try await failAll()
        try store.markFailuresReported()
        try store.requeueFailed()
        for item in try await store.claim(limit: 2) {
            let skipped = ItemResult(.skipped(reason: "exists"))
            try await store.record(item.ordinal == 1 ? done(item) : skipped, of: item)
        }
        try store.requeue([1, 2])
        try await failAll()
        #expect(try new() == [1, 2])
    }

    @Test("an item that left the manifest and came back is new")
    func unlisted() async throws {
        try await failAll()
        try store.markFailuresReported()
        try store.plan([row(1)])
        try store.plan([row(1), row(2)])
        #expect(try new() == [2])
    }
}
