import JobStorage
import TestSupport
import Testing

@Suite struct StateLocksTests {
    @Test("no run opens a locked state; afterwards, one can")
    func locked() throws {
        let folder = try TemporaryFolder()
        let (own, other) = (folder.path("state/job.sqlite"), folder.path("state/job.shard-1-of-2.sqlite"))
        let store = try JobStore(path: own)
        defer { store.close() }
        try JobStore(path: other).close()
        do {
            let locks = try StateLocks([other], besides: own)
            defer { withExtendedLifetime(locks) {} }
            #expect(throws: JobStoreError.self) { try JobStore(path: other) }
        }
        try JobStore(path: other).close()
    }

    @Test("a state that a run has open cannot be locked, and its path is named")
    func held() throws {
        let folder = try TemporaryFolder()
        let (own, other) = (folder.path("state/job.sqlite"), folder.path("state/job.shard-1-of-2.sqlite"))
        let store = try JobStore(path: other)
        defer { store.close() }
        let error = #expect(throws: JobStoreError.self) { _ = try StateLocks([other], besides: own) }
        #expect(error?.description.contains(other) == true)
    }

    @Test("states without an extension share the lock of their job, which is taken once")
    func shared() throws {
        let folder = try TemporaryFolder()
        let store = try JobStore(path: folder.path("state/job"))
        defer { store.close() }
        let others = ["job.shard-1-of-2", "job.shard-2-of-2"].map { folder.path("state/\($0)") }
        _ = try StateLocks(others, besides: folder.path("state/job"))
        #expect(throws: JobStoreError.self) {
            _ = try StateLocks(others, besides: folder.path("state/another"))
        }
    }
}
