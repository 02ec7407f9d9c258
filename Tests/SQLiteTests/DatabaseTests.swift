import Foundation
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DatabaseTests {
    struct Refused: Error {}

    private func open(_ folder: TemporaryFolder) throws -> Database {
        try Database(path: folder.path("test.sqlite")) {
            try $0.execute("CREATE TABLE IF NOT EXISTS number(n INTEGER PRIMARY KEY, note TEXT)")
        }
    }

    @Test("changes of many tasks are all kept, and are there after reopening")
    func groupCommit() async throws {
        let folder = try TemporaryFolder()
        let database = try open(folder)
        try await withThrowingTaskGroup { group in
            for number in 0..<1000 {
                group.addTask {
                    try await database.write {
                        try $0.statement("INSERT INTO number VALUES (?, ?)").run(number, "é")
                    }
                }
            }
            try await group.waitForAll()
        }
        database.close()
        #expect(!FileManager.default.fileExists(atPath: folder.path("test.sqlite-wal")))
        let again = try open(folder)
        #expect(try again.readNow { try $0.integer("SELECT count(*) FROM number WHERE note = 'é'") } == 1000)
    }

    @Test("a change that fails takes nothing with it and leaves nothing behind")
    func failingChange() async throws {
        let folder = try TemporaryFolder()
        let database = try open(folder)
        let failures = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    do {
                        try await database.write { connection in
                            try connection.statement("INSERT INTO number(n) VALUES (?)").run(number)
                            if number.isMultiple(of: 10) { throw Refused() }
                        }
                        return false
                    } catch {
                        return true
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 20)
        #expect(try database.readNow { try $0.integer("SELECT count(*) FROM number") } == 180)
    }

    @Test("a read sees the changes that were handed in before it")
    func order() throws {
        let database = try open(TemporaryFolder())
        for number in 1...50 {
            try database.writeNow {
                try $0.statement("INSERT INTO number(n) VALUES (?)").run(number)
            }
            #expect(try database.readNow { try $0.integer("SELECT max(n) FROM number") } == number)
        }
    }

    @Test("work after the close is refused, not lost silently")
    func closed() throws {
        let database = try open(TemporaryFolder())
        database.close()
        #expect(throws: DatabaseClosed.self) { try database.readNow { try $0.integer("SELECT 1") } }
    }

    @Test("values come back as they went in")
    func values() throws {
        let database = try open(TemporaryFolder())
        let bytes = Data([0, 1, 255])
        let values: [Value] = [
            .null, .integer(.min), .real(0.5), .text("a\u{0}ü"), .blob(bytes), .text(""), .blob(Data()),
        ]
        let types = try database.readNow { connection in
            try connection.statement(
                """
                SELECT typeof(?1) AS type UNION ALL SELECT typeof(?2) UNION ALL SELECT typeof(?3)
                UNION ALL SELECT typeof(?4) UNION ALL SELECT typeof(?5) UNION ALL SELECT typeof(?6)
                UNION ALL SELECT typeof(?7)
                """
            )
            .scalars(values[0], values[1], values[2], values[3], values[4], values[5], values[6]) as [String]
        }
        #expect(types == ["null", "integer", "real", "text", "blob", "text", "blob"])
        let back = try database.readNow { connection in
            try connection.statement("SELECT ? AS text, ? AS bytes").first(values[3], values[4]) {
                ($0["text"] as String, $0["bytes"] as Data)
            }
        }
        #expect(back?.0 == "a\u{0}ü")
        #expect(back?.1 == bytes)
    }

    @Test("a newer or foreign file is refused with the remedy")
    func migrations() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("state.sqlite")
        let steps = [
            Migration("001-one", "CREATE TABLE one(n)"), Migration("002-two", "CREATE TABLE two(n)"),
        ]
        try Database(path: path) { try $0.migrate(steps, applicationID: 7, path: path) }.close()
        try Database(path: path) { try $0.migrate(steps, applicationID: 7, path: path) }.close()
        #expect(throws: MigrationError.self) {
            try Database(path: path) { try $0.migrate([steps[0]], applicationID: 7, path: path) }
        }
        #expect(throws: MigrationError.self) {
            try Database(path: path) { try $0.migrate(steps, applicationID: 8, path: path) }
        }
    }

    @Test("a file that is no database is named as damaged")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(String(repeating: "no database ", count: 1000), to: "bad.sqlite")
        let error = #expect(throws: SQLiteError.self) { try Database(path: path) }
        #expect(error?.isDamage == true)
        #expect(error?.description.contains(path) == true)
    }
}
