import JobStorage
import Testing

/// Files of markup in the state, and what becomes of those that a pass does not want.
@Suite struct MarkupRecordTests {
    private func record(_ path: String, item: Int64? = nil) -> MarkupRecord {
        MarkupRecord(
            path: path,
            itemID: item,
            name: "photo",
            bytes: 5,
            sha256: String(repeating: "c3", count: 32)
        )
    }

    private func current(_ store: JobStore) throws -> [String] {
        var paths: [String] = []
        paths += try store.reader.markupFiles().map(\.path)
        return paths
    }

    private func orphaned(_ store: JobStore) throws -> [String] {
        try store.reader.unwantedFiles().map(\.path)
    }

    @Test("a file that a whole pass does not want is orphaned, counted, and can be forgotten")
    func passes() async throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan([row(1), row(2)])
        #expect(try !store.reader.hasMarkup())
        let first = try store.newMarkupPass()
        try store.recordMarkup(
            [record("b.html", item: 2), record("a.html", item: 1), record("i.json")],
            pass: first
        )
        #expect(try current(store) == ["a.html", "b.html", "i.json"] && orphaned(store).isEmpty)
        try store.endMarkupPass(first)
        #expect(try current(store) == ["a.html", "b.html", "i.json"] && orphaned(store).isEmpty)
        #expect(try store.reader.hasMarkup() && store.reader.hasMarkup(at: "a.html"))
        #expect(try !store.reader.hasMarkup(at: "c.html"))

        // A pass that comes to no end orphans nothing, and leaves nothing behind for the next one.
        let second = try store.newMarkupPass()
        #expect(second > first)
        try store.recordMarkup([record("a.html", item: 1)], pass: second)
        #expect(try current(store).count == 3 && orphaned(store).isEmpty)
        let third = try store.newMarkupPass()
        #expect(third > second)
        try store.recordMarkup([record("b.html", item: 2)], pass: third)
        try store.endMarkupPass(third)
        #expect(try current(store) == ["b.html"] && orphaned(store) == ["a.html", "i.json"])
        #expect(try store.reader.outputCounts().prune == 2)
        let files = try store.reader.unwantedFiles()
        #expect(files.map(\.url) == ["https://a.example/photos/2024/1.jpg", ""])
        #expect(files.map(\.bytes) == [5, 5] && files.allSatisfy { !$0.isShared })

        var known: [String] = []
        try store.reader.forEachOutputPath { known.append($0) }
        #expect(known.sorted() == ["a.html", "b.html", "i.json"])
        try store.forget(files)
        #expect(try orphaned(store).isEmpty && current(store) == ["b.html"])
        // What a pass wants again is no orphan.
        try store.recordMarkup([record("a.html", item: 1)], pass: try store.newMarkupPass())
        #expect(try current(store) == ["a.html", "b.html"] && store.reader.outputCounts().prune == 0)
    }
}
