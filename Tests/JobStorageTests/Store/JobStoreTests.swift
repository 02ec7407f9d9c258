import Foundation
import JobStorage
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct JobStoreTests {
    @Test("a job is planned, run and found finished when it is opened again")
    func wholeJob() async throws {
        let job = try TestJob()
        let store = try job.open()
        #expect(try store.reader.revision() == nil)
        let counts = try store.plan((1...10).map { row($0) })
        #expect(counts.items == 10 && counts.new == 10 && counts.duplicates == 0)
        #expect(counts.states[.pending] == 10)
        let run = try store.beginRun(version: "1.0")
        #expect(run.runID == 1)
        try await store.finishAll()
        #expect(try await store.timeUntilReady() == nil)
        try store.endRun(exit: 0, countersJSON: "{}")
        store.close()

        let again = try job.open()
        #expect(!again.endedUncleanly && again.orphans == 0)
        #expect(try again.reader.counts()[.done] == 10)
        #expect(try again.reader.counts().unfinished == 0)
        let revision = try #require(try again.reader.revision())
        #expect(revision.revisionID == 1 && revision.manifestSHA256 == "m" && revision.lists == "l")
        #expect(revision.items == 10 && revision.duplicates == 0)
        _ = try again.beginRun(version: "1.0")
        #expect(try await again.claim(limit: 10).isEmpty)
        #expect(try again.reader.runs().map(\.exit) == [nil, 0])
    }
}
