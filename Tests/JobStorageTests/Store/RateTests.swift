import Foundation
import JobStorage
import SQLite
import TestSupport
import Testing

/// Prints how fast the store is; only what it holds is asserted, as machines differ.
///
/// `JOB_STORAGE_ITEMS=1000000` measures a larger job.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RateTests {
    @Test("a large list is imported, counted, claimed and recorded")
    func rates() async throws {
        let count = Int(ProcessInfo.processInfo.environment["JOB_STORAGE_ITEMS"] ?? "") ?? 200_000
        let recorded = min(
            count,
            Int(ProcessInfo.processInfo.environment["JOB_STORAGE_RECORDS"] ?? "") ?? 20_000
        )
        let job = try TestJob()
        let clock = ContinuousClock()
        let store = try job.open()
        var counts: PlanCounts?
        let importing = try clock.measure {
            let planning = try store.beginPlanning(manifestSHA256: "m")
            for start in stride(from: 1, through: count, by: 1000) {
                try planning.add(
                    (start..<min(start + 1000, count + 1)).map { row($0, host: "h\($0 % 50).example") }
                )
            }
            counts = try planning.finish(lists: "l", recipes: [small])
        }
        #expect(counts?.items == count)
        #expect(counts?.new == count)
        report("import", count, importing)
        try report("state after import", bytes: job.size(), count)

        _ = try store.beginRun(version: "1.0")
        var done = 0
        let working = try await clock.measure {
            while done < recorded {
                let items = try await store.claim(limit: 256, perHost: 64)
                try await withThrowingTaskGroup { group in
                    for item in items {
                        group.addTask { try await store.record(JobStorageTests.done(item), of: item) }
                    }
                    try await group.waitForAll()
                }
                done += items.count
            }
        }
        report("claim and record", done, working)
        var states: JobCounts?
        let counting = try clock.measure { states = try store.reader.counts() }
        #expect(states?[.done] == done)
        report("count", count, counting)
        try store.endRun(exit: 0)
        store.close()
        try report("state after the run", bytes: job.size(), done)

        let opening = try await clock.measure {
            let again = try job.open()
            states = try again.reader.counts()
            _ = try await again.timeUntilReady()
            again.close()
        }
        #expect(states?.total == count)
        report("open and count", count, opening)
        let store2 = try job.open()
        let replan = try clock.measure {
            let planning = try store2.beginPlanning(manifestSHA256: "n")
            for start in stride(from: 1, through: count, by: 1000) {
                try planning.add(
                    (start..<min(start + 1000, count + 1)).map { row($0, host: "h\($0 % 50).example") }
                )
            }
            counts = try planning.finish(lists: "l", recipes: [small])
        }
        #expect(counts?.items == count)
        #expect(counts?.new == 0 && counts?.changed == 0 && counts?.left == 0)
        report("plan again", count, replan)
    }

    private func report(_ what: String, _ count: Int, _ time: Duration) {
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        print("\(what): \(count) items in \(Int(seconds * 1000)) ms, \(Int(Double(count) / seconds)) items/s")
    }

    private func report(_ what: String, bytes: Int, _ count: Int) {
        print("\(what): \(bytes / max(1, count)) bytes an item")
    }
}
