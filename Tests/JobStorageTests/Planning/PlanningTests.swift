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
        bad.problem = .init(code: "scheme", message: "gopher is not allowed")
        #expect(try store.plan([row(1), bad]).states[.failed] == 1)
        #expect(try store.reader.failures() == ["scheme": 1])
        let failed = try #require(try store.reader.items(ItemFilter(states: [.failed])).first)
        #expect(failed.ordinal == 2 && failed.message == "gopher is not allowed")

        let counts = try store.plan([row(1), row(2)])
        #expect(counts.changed == 1 && counts.states[.pending] == 2)
        #expect(try store.plan([row(1), bad]).states[.failed] == 1)
    }

    @Test("a first planning, which does not evaluate the table's conditions, breaks none of them")
    func conditions() throws {
        let job = try TestJob()
        var store = try job.open()
        var bad = row(2, priority: 0)
        bad.problem = .init(code: "scheme", message: "gopher is not allowed")
        let others = (3...500).map { row($0, host: "\($0 % 7).example", priority: $0 % 5) }
        try store.plan(others + [row(1), bad])
        store.close()
        let connection = try Connection(path: job.path)
        let table = try #require(
            try connection.statement("SELECT sql FROM sqlite_schema WHERE name = 'item'").scalar() as String?
        )
        #expect(table.hasPrefix("CREATE TABLE item("))
        try connection.execute("CREATE TABLE copy(" + table.dropFirst("CREATE TABLE item(".count))
        let copy = "INSERT INTO copy SELECT * FROM item"
        try connection.execute(copy)

        // A control: a copy is refused if a row breaks a condition.
        try connection.execute(
            """
            DELETE FROM copy; PRAGMA ignore_check_constraints=ON; UPDATE item SET priority = 9 WHERE ordinal = 1;
            PRAGMA ignore_check_constraints=OFF
            """
        )
        #expect(throws: SQLiteError.self) { try connection.execute(copy) }
        try connection.execute("DROP TABLE copy; UPDATE item SET priority = 0 WHERE ordinal = 1")

        // From then on they are evaluated again.
        store = try job.open()
        #expect(throws: JobStoreError.self) { try store.plan([row(1, priority: 9)]) }
    }

    @Test("items whose keys are equal by chance stay apart")
    func equalKeys() throws {
        let job = try TestJob()
        var store = try job.open()
        try store.plan([row(1), row(2)])
        store.close()
        try Connection(path: job.path).statement("UPDATE item SET item_key = ? WHERE ordinal = 1")
            .run(row(3).key)
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
        var planning: Planning? = try store.beginPlanning(manifestSHA256: "m")
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
            try job.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'item\\_%' ESCAPE '\\'") == 7
        )
    }

    @Test(
        "the first planning ends with all indexes, and the same rows, whether hosts and priorities take turns or not",
        arguments: [1, 3, 20_000]
    )
    func order(run: Int) throws {
        let job = try TestJob()
        let store = try job.open()
        let rows = (1...45_250).map { row($0, host: "\($0 / run % 7).example", priority: $0 / run % 5) }
        #expect(try store.plan(rows).new == rows.count)
        store.close()
        #expect(
            try job.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'item\\_%' ESCAPE '\\'") == 7
        )
        #expect(
            try job.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'") == 1
        )
        let ordered = "SELECT count(*) FROM item INDEXED BY item_ready JOIN host USING (host_id)"
        #expect(
            try job.integer(
                """
                \(ordered) WHERE listed = 1 AND (state = 'pending' OR state = 'retry')
                    AND url = 'https://' || name || '/photos/2024/' || ordinal || '.jpg' AND item_id = ordinal
                """
            ) == rows.count
        )
    }

    @Test("a row keeps all its texts, and lacks those that it has not")
    func texts() throws {
        let job = try TestJob()
        let store = try job.open()
        let full = NewItem(ordinal: 1, url: "https://a.example/ä", id: "sku", host: "a.example") {
            $0.headersJSON = #"{"A":"b"}"#
            $0.priority = 4
            $0.source = 2
            $0.varsJSON = "{}"
            $0.location = "urls.txt:1"
            $0.validator = "1:2"
            $0.placement = -5
            $0.problem = .init(code: "scheme", message: "not allowed")
        }
        try store.plan([full, NewItem(ordinal: 2, url: "", host: "") { $0.location = "" }])
        store.close()
        #expect(
            try job.integer(
                """
                SELECT count(*) FROM item WHERE (ordinal = 1 AND url = 'https://a.example/ä' AND headers_json = '{"A":"b"}'
                    AND id = 'sku' AND priority = 4 AND source = 2 AND vars_json = '{}' AND location = 'urls.txt:1'
                    AND validator = '1:2' AND placement = -5 AND state = 'failed' AND error = 'scheme'
                    AND message = 'not allowed')
                OR (ordinal = 2 AND url = '' AND headers_json IS NULL AND id IS NULL AND priority = 2 AND source = 0
                    AND vars_json IS NULL AND location = '' AND validator IS NULL AND placement IS NULL
                    AND state = 'pending' AND error IS NULL AND message IS NULL)
                """
            ) == 2
        )
    }

    @Test("a later planning that never finished leaves the revision before it in force")
    func abandonedLater() throws {
        let job = try TestJob()
        var store = try job.open()
        try store.plan([row(1), row(2)])
        let planning = try store.beginPlanning(manifestSHA256: "other")
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
