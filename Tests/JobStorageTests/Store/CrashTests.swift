import JobStorage
import Testing

@Suite(.timeLimit(.minutes(10))) struct CrashTests {
    @Test("a crash is counted for what is not finished, and stays until the item is finished well")
    func crashes() async throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...3).map { row($0) })
        _ = try store.beginRun(version: "1")
        var items = try await store.claim(limit: 3)
        #expect(items.map(\.crashes) == [0, 0, 0])
        let ids = items.map(\.itemID)
        try await store.record(done(items[0]), of: items[0])
        try await store.putBack(items[1])
        try await store.putBack(items[2])
        // The second twice, and one that no list has.
        try store.addCrash(to: ids + [ids[1], 4711])
        #expect(try counts(job) == [0, 2, 1])

        items = try await store.claim(limit: 3)
        #expect(items.map(\.crashes) == [2, 1])
        let crashed = ItemResult(.quarantined(error: "crashed", message: "SIGSEGV"))
        try await store.record(crashed, of: items[0])
        try await store.record(ItemResult(.failed(error: "http_404", message: "gone")), of: items[1])
        #expect(try counts(job) == [0, 3, 1])
        #expect(try store.requeueFailed() == 2)
        items = try await store.claim(limit: 3)
        #expect(items.map(\.crashes) == [3, 1])
        try await store.record(done(items[0]), of: items[0])
        try await store.record(ItemResult(.skipped(reason: nil)), of: items[1])
        #expect(try counts(job) == [0, 0, 0])
        try store.endRun(exit: 0)
    }

    private func counts(_ job: TestJob) throws -> [Int] {
        try (1...3).map { try job.integer("SELECT crashes FROM item WHERE ordinal = \($0)") }
    }
}
