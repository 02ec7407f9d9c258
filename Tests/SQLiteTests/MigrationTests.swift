import Foundation
import SQLite
import TestSupport
import Testing

@Suite struct MigrationTests {
    private let folder: TemporaryFolder
    private let connection: Connection
    private let steps = [
        Migration("001-one", "CREATE TABLE one(n)"),
        Migration("002-two", "CREATE TABLE two(n); INSERT INTO one VALUES (1)"),
        Migration("003-three", "INSERT INTO two SELECT n FROM one"),
    ]

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path("test.sqlite"))
    }

    private func migrate(_ steps: [Migration], applicationID: Int32 = 7) throws {
        try connection.migrate(steps, applicationID: applicationID, path: "the path")
    }

    @Test("each step is run once, in order, whatever is there already", arguments: [0, 1, 2, 3])
    func order(done: Int) throws {
        if done > 0 { try migrate(Array(steps.prefix(done))) }
        #expect(try connection.integer("PRAGMA user_version") == done)
        try migrate(steps)
        try migrate(steps)
        #expect(try connection.integer("PRAGMA user_version") == 3)
        #expect(try connection.integer("PRAGMA application_id") == 7)
        #expect(try connection.integer("SELECT count(*) FROM two") == 1)
    }

    @Test("a step that fails leaves the steps before it, and nothing of its own")
    func failure() throws {
        let broken = Migration("002-two", "CREATE TABLE two(n); INSERT INTO none VALUES (1)")
        #expect(throws: SQLiteError.self) { try migrate([steps[0], broken]) }
        #expect(try connection.integer("PRAGMA user_version") == 1)
        #expect(try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'two'") == 0)
        try migrate(steps)
        #expect(try connection.integer("PRAGMA user_version") == 3)
    }

    @Test("a newer database is refused with both versions")
    func newer() throws {
        try migrate(steps)
        do {
            try migrate(Array(steps.prefix(2)))
            Issue.record("a newer schema was accepted")
        } catch MigrationError.newer(let found, let known, let path) {
            #expect((found, known, path) == (3, 2, "the path"))
        }
        #expect(
            MigrationError.newer(found: 3, known: 2, path: "p").description
                == "p was written by a newer release (schema 3, this release supports up to 2): use the newer release"
        )
    }

    @Test("a database of another application is refused, also one without an id but with a version")
    func foreign() throws {
        try connection.execute("PRAGMA user_version=1")
        #expect(throws: MigrationError.self) { try migrate(steps) }
        try connection.execute("PRAGMA user_version=0; PRAGMA application_id=9")
        do {
            try migrate(steps)
            Issue.record("a foreign database was accepted")
        } catch MigrationError.foreign(let applicationID, let path) {
            #expect((applicationID, path) == (9, "the path"))
        }
        #expect(
            MigrationError.foreign(applicationID: 9, path: "p").description
                == "p belongs to another application (application id 9): choose another file"
        )
        #expect(try connection.integer("SELECT count(*) FROM sqlite_master") == 0)
    }
}
