import Foundation
import JobStorage
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct PlanningTests {
    @Test("equal rows are one item, also far apart; another id or other headers make another item")
    func duplicates() throws {
        let job = try TestJob()
        let store = try job.open()
        var items = (1...30_000).map { row($0) }
        for (offset, ordinal) in [1, 1, 20_500, 30_000].enumerated() {
            var copy = row(ordinal)
            copy.ordinal = 30_001 + offset
            copy.location = "again"
            items.append(copy)
        }
        var withID = row(5)
        (withID.ordinal, withID.id) = (40_000, "sku-5")
        var withHeaders = row(5)
        (withHeaders.ordinal, withHeaders.headersJSON) = (40_001, #"{"Accept":"image/webp"}"#)
        items += [withID, withHeaders]

        let counts = try store.plan(items)
        #expect(counts.items == 30_002)
        #expect(counts.duplicates == 4)
        #expect(counts.states[.pending] == 30_002)
        #expect(try job.integer("SELECT count(*) FROM item WHERE location = 'again'") == 0)

        // The same in a later planning, where rows are compared with what is there.
        let again = try store.plan(items)
        #expect(again.items == 30_002 && again.duplicates == 4)
        #expect(again.new == 0 && again.changed == 0 && again.left == 0)
    }

    @Test("a bad row is a failed item at once, and pending when the manifest allows it later")
    func badRows() async throws {
        let store = try TestJob().open()
        var bad = row(2)
        bad.problem = .init(error: "scheme", message: "gopher is not allowed")
        #expect(try store.plan([row(1), bad]).states[.failed] == 1)
        #expect(try store.reader.failures() == ["scheme": 1])
        let failed = try #require(try store.reader.items(ItemFilter(states: [.failed])).first)
        #expect(failed.ordinal == 2 && failed.message == "gopher is not allowed")

        let counts = try store.plan([row(1), row(2)])
        #expect(counts.changed == 1 && counts.states[.pending] == 2)
        #expect(try store.plan([row(1), bad]).states[.failed] == 1)
    }

    @Test("items whose keys are equal by chance stay apart")
    func equalKeys() throws {
        let job = try TestJob()
        var store = try job.open()
        try store.plan([row(1), row(2)])
        store.close()
        try Connection(path: job.path).statement("UPDATE item SET item_key = ? WHERE ordinal = 1")
            .run(.integer(row(3).key))
        store = try job.open()
        let counts = try store.plan([row(2), row(3)])
        #expect(counts.new == 1 && counts.left == 1 && counts.items == 2)
        #expect(try store.reader.items().map(\.url) == [row(2).url, row(3).url])
    }

    @Test("keys stay what they are, as they are part of the file")
    func key() {
        // printf 'https://a.example/1.jpg\0\0' | sha256sum | head -c 16
        #expect(
            NewItem(ordinal: 1, url: "https://a.example/1.jpg", host: "a.example").key
                == 7_707_022_664_842_645_208
        )
    }

    @Test("a first planning that never finished leaves nothing")
    func abandonedFirst() throws {
        let job = try TestJob()
        var store = try job.open()
        var planning: Planning? = try store.beginPlanning(manifestSHA256: "m", lists: "l")
        try planning?.add((1...45_000).map { row($0) })
        planning = nil
        #expect(try store.reader.counts().total == 0)
        store.close()
        #expect(try job.integer("SELECT count(*) FROM item") > 0)

        store = try job.open()
        #expect(try store.reader.revision() == nil)
        #expect(try job.integer("SELECT count(*) FROM item") == 0)
        #expect(try store.plan([row(1)]).new == 1)
        #expect(
            try job.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'item\\_%' ESCAPE '\\'") == 6
        )
    }

    @Test("a later planning that never finished leaves the revision before it in force")
    func abandonedLater() throws {
        let job = try TestJob()
        var store = try job.open()
        try store.plan([row(1), row(2)])
        let planning = try store.beginPlanning(manifestSHA256: "other", lists: "l")
        try planning.add((2...30_000).map { row($0) })
        #expect(try store.reader.revision()?.manifestSHA256 == "m")
        store.close()
        store = try job.open()
        #expect(try store.reader.revision()?.manifestSHA256 == "m")
        #expect(try store.reader.items().map(\.ordinal) == [1, 2])
        #expect(try store.plan([row(2), row(3)]).new == 1)
    }

    @Test("a manifest without items can be planned, and filled later")
    func empty() throws {
        let store = try TestJob().open()
        #expect(try store.plan([]).items == 0)
        #expect(try store.plan((1...3).map { row($0) }).new == 3)
        #expect(try store.reader.counts()[.pending] == 3)
    }
}
