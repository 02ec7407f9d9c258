import JobStorage
import SQLite
import TestSupport
import Testing

/// The views with readable times and durations.
@Suite(.timeLimit(.minutes(10))) struct StateViewTests {
    /// The first row of a query, its columns as text joined by `|`.
    private func row(_ job: TestJob, _ columns: String, from view: String) throws -> String {
        let text = columns.split(separator: ",").map { "coalesce(\($0), '-')" }.joined(
            separator: " || '|' || "
        )
        return try Connection(path: job.path, mode: .readOnly).statement("SELECT \(text) FROM \(view)")
            .scalar() ?? ""
    }

    private func set(_ job: TestJob, _ sql: String) throws {
        try Connection(path: job.path).execute(sql)
    }

    private func finishedJob() async throws -> TestJob {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...3).map { JobStorageTests.row($0, priority: 4) })
        _ = try store.beginRun(version: "1.2")
        let items = try await store.claim(limit: 2)
        try await store.record(done(items[0]), of: items[0])
        let attempt = AttemptResult(started: 1_700_000_000_123, milliseconds: 1500, outcome: "retry") {
            $0.http = 503
        }
        try await store.retryLater(
            items[1],
            after: 0,
            error: "http_503",
            message: "busy",
            attempt: attempt
        )
        try await store.save([HostRecord(name: "a.example", rate: 2.5) { $0.notBefore = 1_700_000_000_500 }])
        let phases = RequestRecord.Phases(
            blocked: 1_000_000,
            dns: 250_000,
            connect: nil,
            tls: nil,
            wait: 1,
            receive: 0
        )
        try await store.record([
            RequestRecord(
                load: 1,
                started: 1_700_000_000_001,
                url: "https://a.example/",
                status: 200,
                phases: phases
            )
        ])
        _ = try await store.beginShard(number: 3, of: "out")
        try store.endRun(exit: 0)
        store.close()
        return job
    }

    @Test("items read well: state, host, priority and times")
    func items() async throws {
        let job = try await finishedJob()
        try set(job, "UPDATE item SET updated_ms = 1700000000123")
        try set(job, "UPDATE item SET not_before_ms = 4000000000000 WHERE state = 'retry'")
        #expect(
            try row(
                job,
                "ordinal,state,host,priority,attempts,not_before,updated",
                from: "items_view ORDER BY ordinal"
            )
                == "1|done|a.example|veryHigh|1|-|2023-11-14T22:13:20.123Z"
        )
        #expect(
            try row(job, "state,error,message,not_before", from: "items_view WHERE ordinal = 2")
                == "retry|http_503|busy|2096-10-02T07:06:40.000Z"
        )
        let names = ["veryLow", "low", "normal", "high", "veryHigh"]
        for (number, name) in names.enumerated() {
            try set(job, "UPDATE item SET priority = \(number)")
            #expect(try row(job, "priority", from: "items_view") == name)
        }
        try set(job, "UPDATE item SET listed = 0 WHERE ordinal = 1")
        #expect(try job.integer("SELECT count(*) FROM items_view") == 2, "only what the manifest lists")
    }

    @Test("outputs say whether they are wanted")
    func outputs() async throws {
        let job = try await finishedJob()
        try set(job, "UPDATE output SET done_ms = 1700000000000")
        #expect(
            try row(job, "name,state,path,bytes,wanted,recorded", from: "outputs_view")
                == "small|done|small/1.jpg|4000|1|2023-11-14T22:13:20.000Z"
        )
        try set(job, "UPDATE item SET listed = 0")
        #expect(try row(job, "wanted", from: "outputs_view") == "0")
        try set(job, "UPDATE item SET listed = 1; DELETE FROM wanted")
        #expect(try row(job, "wanted", from: "outputs_view") == "0")
    }

    @Test("attempts and requests have durations in seconds")
    func durations() async throws {
        let job = try await finishedJob()
        #expect(
            try row(
                job,
                "n,run_id,started,seconds,outcome,http",
                from: "attempts_view WHERE outcome = 'retry'"
            )
                == "1|1|2023-11-14T22:13:20.123Z|1.5|retry|503"
        )
        #expect(
            try row(job, "started,status,seconds,blocked,dns,connect,wait", from: "requests_view")
                == "2023-11-14T22:13:20.001Z|200|1.250001|1.0|0.25|-|1.0e-06"
        )
    }

    @Test("runs, hosts, revisions and shards have readable times")
    func others() async throws {
        let job = try await finishedJob()
        try set(job, "UPDATE run SET started_ms = 1700000000000, ended_ms = 1700000002250")
        #expect(
            try row(job, "run_id,started,ended,seconds,exit,version", from: "runs_view")
                == "1|2023-11-14T22:13:20.000Z|2023-11-14T22:13:22.250Z|2.25|0|1.2"
        )
        try set(job, "UPDATE run SET ended_ms = NULL, exit = NULL")
        #expect(try row(job, "ended,seconds,exit", from: "runs_view") == "-|-|-")
        #expect(
            try row(job, "name,rate,not_before,fail_streak,breaker", from: "hosts_view")
                == "a.example|2.5|2023-11-14T22:13:20.500Z|0|-"
        )
        try set(job, "UPDATE revision SET planned_ms = 1700000000000")
        #expect(
            try row(job, "revision_id,planned,items,duplicates", from: "revisions_view")
                == "1|2023-11-14T22:13:20.000Z|3|0"
        )
        #expect(try row(job, "destination,number,items,completed", from: "shards_view") == "out|3|0|-")
    }
}
