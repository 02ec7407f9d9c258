import Foundation
import JobStorage
import SQLite
import TestSupport
import Testing

/// `docs/state.md`: its reference is made from the schema, and its queries work.
@Suite(.timeLimit(.minutes(10))) struct StateDocumentTests {
    private static let page = Repository.root.appendingPathComponent("docs/state.md")
    private static let marker = "<!-- All below is made from the comments of the schema"

    private func document(_ job: TestJob) throws -> StateDocument {
        try StateDocument(Connection(path: job.path, mode: .readOnly))
    }

    @Test("every view, table and column is described")
    func described() throws {
        let job = try TestJob()
        try job.open().close()
        #expect(try document(job).undescribed == [])
    }

    @Test("the page is up to date (NUKE_BATCH_RECORD=1 rewrites it)")
    func current() throws {
        let job = try TestJob()
        try job.open().close()
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let start = try #require(page.firstRange(of: Self.marker)).lowerBound
        let end = page[start...].firstIndex(of: "\n").map { page.index(after: $0) } ?? page.endIndex
        let made = try page[..<end] + document(job).text
        if ProcessInfo.processInfo.environment["NUKE_BATCH_RECORD"] == "1" {
            try Data(made.utf8).write(to: Self.page)
        } else {
            #expect(
                page == made,
                "NUKE_BATCH_RECORD=1 swift test --filter StateDocumentTests rewrites docs/state.md"
            )
        }
    }

    @Test("the page's five queries answer while a run is going on")
    func queries() async throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...6).map { row($0) })
        _ = try store.beginRun(version: "1")
        let items = try await store.claim(limit: 3)
        try await store.record(done(items[0]), of: items[0])
        let failure = ItemResult(.failed(error: "http_404", message: "gone"))
        try await store.record(failure, of: items[1])

        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let queries = page.matches(of: /```sql\n((?s:.*?))```/).map { String($0.1) }
        #expect(queries.count == 5)
        let reader = try Connection(path: job.path, mode: .readOnly)
        for query in queries {
            let rows = try reader.statement(query.trimmingCharacters(in: .whitespacesAndNewlines)).rows { _ in
                true
            }
            #expect(!rows.isEmpty, "\(query)")
        }
        let states = try reader.statement(queries[0].trimmingCharacters(in: .whitespacesAndNewlines)).rows {
            "\($0["state"] as String) \($0["items"] as Int)"
        }
        #expect(Set(states) == ["pending 3", "running 1", "done 1", "failed 1"])
    }
}
