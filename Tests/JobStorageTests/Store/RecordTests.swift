import Files
import Foundation
import JobStorage
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct RecordTests {
    private func claimed(_ count: Int) async throws -> (TestJob, JobStore, [ClaimedItem]) {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...count).map { row($0) })
        _ = try store.beginRun(version: "1")
        return (job, store, try await store.claim(limit: 1000))
    }

    @Test("an item's way to the end is on record, with its output")
    func done() async throws {
        let (job, store, items) = try await claimed(2)
        #expect(try await store.timeUntilReady() == nil, "an item that the run holds is not ready")
        try await store.record(JobStorageTests.done(items[0]), of: items[0])
        let record = try #require(try store.reader.items(ItemFilter(states: [.done])).first)
        #expect(record.originalSHA256 == originalHash && record.attempts == 1 && record.error == nil)
        #expect(record.outputs == [output(small, path: "small/1.jpg")])
        #expect(
            try job.integer("SELECT count(*) FROM attempt WHERE http = 200 AND n = 1 AND run_id = 1") == 1
        )
        #expect(try job.integer("SELECT count(*) FROM item WHERE run_id IS NULL AND state = 'done'") == 1)
    }

    @Test("skipped and quarantined are ends too")
    func otherEnds() async throws {
        let (_, store, items) = try await claimed(2)
        let skipped = OutputRecord(name: "small", recipe: small.recipe, state: .skipped, reason: "exists")
        try await store.record(ItemResult(.skipped(reason: "exists"), outputs: [skipped]), of: items[0])
        try await store.record(ItemResult(.quarantined(error: "crashed", message: "signal 11")), of: items[1])
        let counts = try store.reader.counts()
        #expect(counts[.skipped] == 1 && counts[.quarantined] == 1 && counts.unfinished == 0)
        let keeping = OutputRecipe(source: 0, output: "small", recipe: small.recipe) {
            $0.replacesFiles = false
        }
        #expect(try store.plan((1...2).map { row($0) }, recipes: [keeping]).changed == 0)
        // What was kept for a file in its place is made once files may be replaced.
        #expect(try store.plan((1...2).map { row($0) }).changed == 1)
        #expect(try store.reader.counts()[.skipped] == 0)
    }

    @Test("an item whose original is not the listed one is planned again, though its list stays the same")
    func forgottenListing() async throws {
        let job = try TestJob()
        let store = try job.open()
        let rows = (1...2).map { number in
            var item = row(number)
            item.validator = "5 tag\(number)"
            return item
        }
        try store.plan(rows)
        _ = try store.beginRun(version: "1")
        for item in try await store.claim(limit: 10) {
            if item.ordinal == 2 { try await store.forgetListing(of: item) }
            try await store.record(JobStorageTests.done(item), of: item)
        }
        #expect(try store.reader.revision()?.lists == "")
        #expect(try store.plan(rows).changed == 1)
        let again = try await store.claim(limit: 10)
        #expect(again.map(\.ordinal) == [2] && again.first?.validator == "5 tag2")
        #expect(try store.reader.revision()?.lists == "l")
    }

    @Test("an item that is put back has spent no attempt, and says why it waits")
    func putBack() async throws {
        let (_, store, items) = try await claimed(2)
        try await store.retryLater(items[1], after: 0, error: "timeout", message: "slow")
        let second = try #require(try await store.claim(limit: 1).first)
        try await store.putBack(items[0], reason: "interrupted")
        try await store.putBack(second)
        let waiting = try store.reader.items()
        #expect(waiting.map(\.state) == [.pending, .pending])
        #expect(waiting.map(\.attempts) == [0, 1] && waiting.map(\.message) == ["interrupted", nil])
        let again = try await store.claim(limit: 10)
        #expect(Set(again.map(\.attempts)) == [1, 2])
        for item in again { try await store.record(JobStorageTests.done(item), of: item) }
        #expect(try store.reader.counts()[.done] == 2)
    }

    @Test("an attempt is spent unless the host asked for the wait")
    func retryLater() async throws {
        let (_, store, items) = try await claimed(2)
        try await store.retryLater(items[0], after: 0, error: "timeout", message: "slow")
        try await store.retryLater(
            items[1],
            after: 0,
            error: "http_429",
            message: "asked to wait",
            spendsAttempt: false
        )
        #expect(try store.reader.items().map(\.attempts) == [1, 0])
        #expect(try store.reader.items().map(\.error) == ["timeout", "http_429"])
        #expect(try await store.claim(limit: 10).map(\.attempts) == [2, 1])
    }

    @Test("a second record, or one of an item that was given back, is refused and writes nothing")
    func refused() async throws {
        let (job, store, items) = try await claimed(2)
        try await store.record(JobStorageTests.done(items[0]), of: items[0])
        await #expect(throws: JobStoreError.self) {
            try await store.record(ItemResult(.failed(error: "timeout", message: "late")), of: items[0])
        }
        try await store.putBack(items[1])
        await #expect(throws: JobStoreError.self) {
            try await store.record(JobStorageTests.done(items[1]), of: items[1])
        }
        #expect(try store.reader.items().map(\.state) == [.done, .pending])
        #expect(try job.integer("SELECT count(*) FROM attempt") == 1)
    }

    @Test("done without an original, and an output without its file, are refused; others in the commit stay")
    func constraints() async throws {
        let (_, store, items) = try await claimed(40)
        let failures = await withTaskGroup(of: Bool.self) { group in
            for item in items {
                group.addTask {
                    var result = JobStorageTests.done(item)
                    if item.ordinal % 10 == 1 { result.originalSHA256 = nil }
                    if item.ordinal % 10 == 2 { result.outputs[0].sha256 = nil }
                    do {
                        try await store.record(result, of: item)
                        return false
                    } catch {
                        return true
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 8)
        let counts = try store.reader.counts()
        #expect(counts[.done] == 32 && counts[.running] == 8)
    }

    @Test("an output that moves leaves its former path for prune")
    func leftover() async throws {
        let (job, store, items) = try await claimed(1)
        try await store.record(JobStorageTests.done(items[0]), of: items[0])
        let smaller = OutputRecipe(source: 0, output: "small", recipe: "width 160")
        try store.plan([row(1)], recipes: [smaller])
        let item = try #require(try await store.claim(limit: 1).first)
        var result = JobStorageTests.done(item, [smaller])
        result.outputs[0].path = "thumbs/1.jpg"
        try await store.record(result, of: item)
        #expect(try job.integer("SELECT count(*) FROM leftover WHERE path = 'small/1.jpg'") == 1)
        #expect(try job.integer("SELECT count(*) FROM output") == 1)
    }

    @Test("paths of one text in two Unicode forms are two files")
    func unicodeForms() async throws {
        let (job, store, items) = try await claimed(1)
        var result = JobStorageTests.done(items[0])
        result.outputs[0].path = "\u{E9}.jpg"
        try await store.record(result, of: items[0])
        try store.requeueFinished()
        let item = try #require(try await store.claim(limit: 1).first)
        #expect(item.outputs[0].isAt("\u{E9}.jpg") && !item.outputs[0].isAt("e\u{301}.jpg"))
        result.outputs[0].path = "e\u{301}.jpg"
        try await store.record(result, of: item)
        #expect(try job.integer("SELECT count(*) FROM leftover WHERE hex(path) = 'C3A92E6A7067'") == 1)
        let forms = [BytePath("\u{E9}.jpg"), BytePath("e\u{301}.jpg")]
        #expect(try store.reader.wantedPaths(among: Set(forms)) == [forms[1]])
        #expect(try store.reader.wantedPaths(likened: [forms[0]]).map(\.wanted) == [forms[1]])
    }

    @Test("the last twenty attempts are kept")
    func attempts() async throws {
        let (job, store, items) = try await claimed(1)
        var item = items[0]
        for number in 1...25 {
            let attempt = AttemptResult(started: Int64(number), milliseconds: 1, outcome: "retry") {
                $0.error = "timeout"
            }
            try await store.retryLater(
                item,
                after: 0,
                error: "timeout",
                message: "slow",
                attempt: attempt
            )
            item = try #require(try await store.claim(limit: 1).first)
        }
        #expect(try job.integer("SELECT count(*) FROM attempt") == 20)
        #expect(try job.integer("SELECT min(n) FROM attempt") == 6)
        #expect(try job.integer("SELECT max(started_ms) FROM attempt") == 25)
    }
}
