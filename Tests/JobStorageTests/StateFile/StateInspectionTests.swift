import Foundation
import JobStorage
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct StateInspectionTests {
    @Test("no state is no finding")
    func missing() throws {
        let job = try TestJob()
        #expect(try StateInspection(path: job.path) == nil)
        #expect(!FileManager.default.fileExists(atPath: job.folder.path("state")))
    }

    @Test("an intact state is described while it is held and after")
    func intact() throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...100).map { row($0) })
        let held = try #require(try StateInspection(path: job.path))
        #expect(held.holder == ProcessInfo.processInfo.processIdentifier)
        #expect(held.permissions == 0o600 && held.folderPermissions & 0o022 == 0)
        #expect(held.logBytes > 0 && held.damage.isEmpty)
        store.close()
        let free = try #require(try StateInspection(path: job.path))
        #expect(free.holder == nil && free.logBytes == 0)
        #expect(try free.bytes == job.size())
        #expect(free.version == free.knownVersion && free.knownVersion == 21)
    }

    @Test("damage is named, and the file stays as it is")
    func damaged() throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...2000).map { row($0) })
        store.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: job.path))
        let middle = bytes.count / 2 / 4096 * 4096
        bytes.replaceSubrange(middle..<middle + 4096, with: Data(repeating: 0xa5, count: 4096))
        try bytes.write(to: URL(fileURLWithPath: job.path))
        let found = try #require(try StateInspection(path: job.path))
        #expect(!found.damage.isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: job.path)) == bytes)

        try Data().write(to: URL(fileURLWithPath: job.path))
        let empty = try #require(try StateInspection(path: job.path))
        #expect(empty.version == nil && empty.damage.count == 1 && empty.bytes == 0)
    }

    @Test(
        "damage that only the schema shows is named, and the store names the remedy",
        arguments: [
            ("item_by_key ON item(item_key)", "item_by_key ON item(priority)", "item_by_key"),
            ("CREATE INDEX item_problem ON", "CREATE INDEX item_qroblem ON", "item_problem"),
            ("planned_ms INTEGER", "planned_mt INTEGER", "planned_ms"),
            ("lists_json TEXT", "lists_jron TEXT", "no column revision.lists_json"),
            ("CHECK (state = 'retry'", "CHECK (rtate = 'retry'", "rtate"),
            ("CREATE VIEW items", "CREATE VIEW itemt", "items_view"),
        ]
    )
    func schema(of text: String, damage: String, expected: String) throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...100).map { row($0) })
        store.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: job.path))
        #expect(bytes.range(of: Data(text.utf8)) != nil)
        // Pages have earlier versions of the text, too.
        while let place = bytes.range(of: Data(text.utf8)) {
            bytes.replaceSubrange(place, with: Data(damage.utf8))
        }
        try bytes.write(to: URL(fileURLWithPath: job.path))
        let found = try #require(try StateInspection(path: job.path))
        #expect(found.damage.contains { $0.contains(expected) }, "\(found.damage)")
    }

    @Test(
        "what a run adds to the schema is no damage: an index for late paths, and indexes that wait for a planning's end"
    )
    func passing() async throws {
        let job = try TestJob()
        let store = try job.open()
        let planning = try store.beginPlanning(manifestSHA256: "m")
        try planning.add((1...3).map { row($0) })
        let waiting = "SELECT count(*) FROM waiting_index"
        #expect(try job.integer(waiting) > 0)
        #expect(try StateInspection(path: job.path)?.damage == [])
        _ = try planning.finish(lists: "l", recipes: [small])
        let isTaken = try await store.hasOutput(at: "1.jpg", otherThan: "", notOf: 1, making: ["small"])
        #expect(!isTaken)
        #expect(try job.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'output_by_path'") == 1)
        #expect(try StateInspection(path: job.path)?.damage == [])
        store.close()
    }

    @Test("an index that neither is there nor waits is damage during a first planning as well")
    func lostWhileWaiting() throws {
        let job = try TestJob()
        let store = try job.open()
        let planning = try store.beginPlanning(manifestSHA256: "m")
        try planning.add((1...3).map { row($0) })
        store.close()
        try Connection(path: job.path).execute("DELETE FROM waiting_index WHERE name = 'item_by_key'")
        let found = try #require(try StateInspection(path: job.path))
        #expect(found.damage == ["its schema has no index item_by_key"])
    }

    @Test("a foreign database is damage, and a newer state names its version")
    func foreign() throws {
        let job = try TestJob()
        try job.open().close()
        try Connection(path: job.path).execute("PRAGMA user_version = 99")
        #expect(try StateInspection(path: job.path)?.version == 99)
        try Connection(path: job.path).execute("PRAGMA application_id = 1")
        let foreign = try #require(try StateInspection(path: job.path))
        #expect(foreign.version == nil && foreign.damage.first?.contains("not the state of a job") == true)
    }

    @Test("a copy of a state that is being written is consistent")
    func copy() async throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...100).map { row($0) })
        _ = try store.beginRun(version: "1")
        let item = try #require(try await store.claim(limit: 1).first)
        try await store.record(done(item), of: item)
        let copy = job.folder.path("copy.sqlite")
        try JobReader.copyState(at: job.path, to: copy)
        #expect(try Connection(path: copy, mode: .readOnly).integer("SELECT count(*) FROM output") == 1)
        let error = #expect(throws: JobStoreError.self) {
            try JobReader.copyState(at: job.folder.path("missing.sqlite"), to: copy + "2")
        }
        #expect(error != nil)
    }
}
