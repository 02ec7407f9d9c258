import JobStorage
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SkipsTests {
    @Test("skipped items are counted by reason from an index alone; rows with a taken path are one reason")
    func reasons() async throws {
        let job = try TestJob()
        let store = try job.open()
        #expect(try store.reader.skips() == [:])
        try store.plan((1...7).map { row($0) })
        _ = try store.beginRun(version: "1")
        let reasons = [
            "exists", "exists", "minWidth", OutputRecord.pathTaken + "urls.txt:1",
            OutputRecord.pathTaken + "urls.txt:2",
        ]
        for item in try await store.claim(limit: 7) {
            var result = done(item)
            if item.ordinal <= reasons.count {
                result.outputs[0].state = .skipped
                result.outcome = .skipped(reason: reasons[item.ordinal - 1])
            } else if item.ordinal == 6 {
                result = ItemResult(.failed(error: "http_404", message: "exists"))
            }
            try await store.record(result, of: item)
        }
        #expect(try store.reader.skips() == ["exists": 2, "minWidth": 1, "path taken": 2])
        let plan = try Connection(path: job.path, mode: .readOnly).statement(
            """
            EXPLAIN QUERY PLAN SELECT message, count(*) FROM item INDEXED BY item_skipped
            WHERE listed = 1 AND state = 'skipped' AND message IS NOT NULL GROUP BY message
            """
        ).rows { $0["detail"] as String }
        #expect(plan.count == 1 && plan[0].contains("COVERING INDEX item_skipped"), "\(plan)")
        try store.plan([row(3)])
        #expect(try store.reader.skips() == ["minWidth": 1], "only listed items count")
    }
}
