import Foundation
import JobStorage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct RefusedRunTests {
    private func messages(_ job: TestJob) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: job.folder.path("state"))
            .filter { $0.hasPrefix("job.refused-") }
    }

    @Test("a refused run is counted with the run that held the job, by it or by the next one")
    func counted() async throws {
        let job = try TestJob()
        let store = try job.open()
        _ = try store.beginRun(version: "1")
        try await RefusedRun().leave(beside: job.path)
        #expect(try messages(job).count == 1)
        // Before anybody has counted it.
        let known = RefusedRun.adding(to: try store.reader.runs(), beside: job.path)
        #expect(known.map(\.refused) == [1] && known[0].lastRefused != nil)
        #expect(try store.reader.runs().map(\.refused) == [0])
        #expect(try await RefusedRun.count(in: store) == [])
        #expect(try messages(job) == [])
        #expect(try store.reader.runs().map(\.refused) == [1])
        // The run is killed: its last refusal is counted by the next one.
        try await RefusedRun().leave(beside: job.path)
        let runs = RefusedRun.adding(to: try store.reader.runs(), beside: job.path)
        let last = try #require(runs[0].lastRefused)
        store.close()
        // The next run begins in a later millisecond.
        try await eventually { Int64(Date().timeIntervalSince1970 * 1000) > last }
        let again = try job.open()
        _ = try again.beginRun(version: "1")
        #expect(try await RefusedRun.count(in: again) == [])
        #expect(try again.reader.runs().map(\.refused) == [0, 2])
        #expect(try again.reader.runs()[1].lastRefused == last)
        #expect(try await RefusedRun.count(in: again) == [])
        #expect(try again.reader.runs().map(\.refused) == [0, 2])
    }

    @Test("a file that is no message is told of and removed; one before the first run counts with none")
    func others() async throws {
        let job = try TestJob()
        let store = try job.open()
        try await RefusedRun().leave(beside: job.path)
        try job.folder.write("nonsense", to: "state/job.refused-1-1")
        let warnings = try await RefusedRun.count(in: store)
        #expect(warnings.count == 1 && warnings[0].contains("job.refused-1-1"), "\(warnings)")
        #expect(try messages(job) == [] && store.reader.runs().isEmpty)
        #expect(RefusedRun.adding(to: [], beside: job.path).isEmpty)
    }
}
