import Foundation
import JobStorage
import SQLite
import TestSupport
import Testing

/// States of earlier releases, brought up to date with what they hold.
@Suite(.timeLimit(.minutes(10))) struct UpgradeTests {
    /// A job with the state of release 0.1.0: 7 of 12 items done, 1 failed, 4 held by a run that was killed.
    private func earlierJob() throws -> TestJob {
        let job = try TestJob()
        try FileManager.default.createDirectory(
            atPath: job.folder.path("state"),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let fixture = "Tests/CommandLineTests/Fixtures/UnfinishedJobs/.nuke-batch/files.sqlite"
        for ending in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: Repository.root.appendingPathComponent(fixture + ending).path,
                toPath: job.path + ending
            )
        }
        return job
    }

    /// The definitions of everything in a state, without comments and the white space around them.
    private func schema(_ job: TestJob) throws -> [String] {
        try Connection(path: job.path, mode: .readOnly).statement(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name"
        ).rows { row in
            (row["sql"] as String).replacing(/\/\*.*?\*\//, with: "").replacing(/--[^\n]*/, with: "")
                .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    @Test("a reader refuses an earlier state and says that a run brings it up to date")
    func reader() throws {
        let job = try earlierJob()
        let error = #expect(throws: JobStoreError.self) { try JobReader(path: job.path) }
        guard case .older(job.path) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("items, outputs and attempts are what they were; items that were held wait again")
    func contents() async throws {
        let job = try earlierJob()
        let store = try job.open()
        #expect(store.endedUncleanly && store.orphans == 4)
        let counts = try store.reader.counts()
        #expect(counts[.done] == 7 && counts[.failed] == 1 && counts[.pending] == 4 && counts.total == 12)
        let items = try store.reader.items(withAttempts: true)
        #expect(items.map(\.id) == (1...12).map { "sku-\($0)" })
        for item in items where item.state == .done {
            #expect(item.originalSHA256?.count == 64 && item.outputs.first?.path == "\(item.id ?? "").png")
            #expect(item.lastAttempt?.result.outcome == "done" && item.lastAttempt?.result.http == 200)
        }
        let failed = try #require(items.first { $0.state == .failed })
        #expect(failed.error == "http_404" && failed.lastAttempt?.result.http == 404)
        #expect(items.filter { $0.state == .pending }.allSatisfy { $0.attempts == 0 })
        #expect(try store.reader.revision()?.items == 12)
        #expect(try store.reader.runs().map(\.exit) == [nil, 5])

        _ = try store.beginRun(version: "2")
        let claimed = try await store.claim(limit: 100)
        #expect(claimed.map(\.ordinal) == [9, 10, 11, 12])
        for item in claimed { try await store.record(done(item), of: item) }
        #expect(try store.reader.counts().unfinished == 0)
    }

    @Test("an earlier state and a new one have the same schema in the end")
    func sameSchema() throws {
        let (earlier, new) = (try earlierJob(), try TestJob())
        try earlier.open().close()
        try new.open().close()
        #expect(try schema(earlier) == schema(new))
        #expect(try earlier.integer("PRAGMA user_version") == new.integer("PRAGMA user_version"))
        #expect(
            try Connection(path: earlier.path).statement("PRAGMA integrity_check").scalar()
                == "ok"
        )
    }

    @Test("columns that nothing filled are gone, and a second opening changes nothing")
    func unused() throws {
        let job = try earlierJob()
        try job.open().close()
        let unused = "'code', 'manifest_json', 'concurrency'"
        let columns =
            "SELECT count(*) FROM sqlite_schema s, pragma_table_info(s.name) c WHERE c.name IN (\(unused))"
        #expect(try job.integer(columns) == 0)
        #expect(
            try job.integer("SELECT count(*) FROM pragma_table_info('attempt') WHERE name = 'peer_ip'") == 0
        )
        let before = try Data(contentsOf: URL(fileURLWithPath: job.path))
        try job.open().close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: job.path)) == before)
    }
}
