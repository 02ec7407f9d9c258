import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

/// Databases whose thread is held while work is handed in, so that it becomes one batch.
@Suite(.timeLimit(.minutes(10))) struct DatabaseBatchTests {
    struct Refused: Error {}

    private final class Counts: Sendable {
        let batches = Mutex(0)
        let runs = Mutex<[Int: Int]>([:])
        let results = Mutex<[Int: Bool]>([:])

        func note(_ number: Int) { runs.withLock { $0[number, default: 0] += 1 } }
        func note(_ number: Int, _ result: Result<Void, any Error>) {
            results.withLock { $0[number] = (try? result.get()) != nil }
        }
    }

    /// Hands in `count` changes, of which those that `isRefused` picks fail, while the thread does other work.
    private func run(_ count: Int, isRefused: @escaping @Sendable (Int) -> Bool) throws -> (Counts, Database)
    {
        let folder = try TemporaryFolder()
        let counts = Counts()
        let database = try Database(path: folder.path("test.sqlite")) {
            try $0.execute("CREATE TABLE number(n INTEGER PRIMARY KEY)")
        } exclusively: { body in
            counts.batches.withLock { $0 += 1 }
            try withExtendedLifetime(folder) { try body() }
        }
        let (isHeld, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        database.read { _ in
            isHeld.signal()
            gate.wait()
        } completion: { _ in
        }
        isHeld.wait()
        for number in 0..<count {
            database.write { connection in
                counts.note(number)
                try connection.statement("INSERT INTO number VALUES (?)").run(number)
                if isRefused(number) { throw Refused() }
            } completion: {
                counts.note(number, $0)
            }
        }
        gate.signal()
        return (counts, database)
    }

    @Test("changes that come together share a transaction")
    func shared() throws {
        let (counts, database) = try run(100) { _ in false }
        #expect(try database.readNow { try $0.integer("SELECT count(*) FROM number") } == 100)
        #expect(counts.runs.withLock { $0 } == Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, 1) }))
        // The opening, the work that held the thread, the batch and perhaps the read after it.
        #expect((3...4).contains(counts.batches.withLock { $0 }))
        #expect(counts.results.withLock { $0.count == 100 && $0.values.allSatisfy { $0 } })
    }

    @Test("if one change of a batch fails, each is run again by itself")
    func alone() throws {
        let (counts, database) = try run(10) { $0 == 4 }
        #expect(try database.readNow { try $0.integer("SELECT count(*) FROM number") } == 9)
        let runs = counts.runs.withLock { $0 }
        #expect((0...4).allSatisfy { runs[$0] == 2 })
        #expect((5..<10).allSatisfy { runs[$0] == 1 })
        #expect(counts.results.withLock { $0.filter { !$0.value }.map(\.key) } == [4])
    }

    @Test("a single change that fails is not run again")
    func single() throws {
        let (counts, database) = try run(1) { _ in true }
        #expect(try database.readNow { try $0.integer("SELECT count(*) FROM number") } == 0)
        #expect(counts.runs.withLock { $0 } == [0: 1])
        #expect(counts.results.withLock { $0 } == [0: false])
    }

    @Test("work that cannot be exclusive fails as a whole, and is not run")
    func notExclusive() throws {
        let folder = try TemporaryFolder()
        let isRefused = Mutex(false)
        let hasRun = Mutex(false)
        let database = try Database(
            path: folder.path("test.sqlite"),
            exclusively: { body in
                if isRefused.withLock({ $0 }) { throw Refused() }
                try body()
            }
        )
        isRefused.withLock { $0 = true }
        #expect(throws: Refused.self) { try database.writeNow { _ in hasRun.withLock { $0 = true } } }
        #expect(throws: Refused.self) { try database.readNow { _ in hasRun.withLock { $0 = true } } }
        isRefused.withLock { $0 = false }
        #expect(hasRun.withLock { $0 } == false)
        #expect(try database.readNow { try $0.integer("SELECT 5") } == 5)
        isRefused.withLock { $0 = true }
        database.close()
        #expect(throws: Refused.self) {
            try Database(path: folder.path("other.sqlite"), exclusively: { _ in throw Refused() })
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("other.sqlite")))
    }

    @Test("what is prepared comes first, what finishes last; a database that reads finishes nothing")
    func prepareAndFinish() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("test.sqlite")
        let steps = Mutex<[String]>([])
        let note: @Sendable (String) -> Void = { step in steps.withLock { $0.append(step) } }
        let database = try Database(path: path) { connection in
            try connection.execute("CREATE TABLE number(n)")
            note("prepare")
        } finish: { connection in
            try connection.execute("INSERT INTO number VALUES (2)")
            note("finish")
        }
        database.write { connection in
            try connection.execute("INSERT INTO number VALUES (1)")
            note("write")
        } completion: { _ in
            note("completion")
        }
        database.close()
        database.close()
        #expect(steps.withLock { $0 } == ["prepare", "write", "completion", "finish"])
        let reader = try Database(path: path, mode: .readOnly, finish: { _ in note("never") })
        #expect(try reader.readNow { try $0.integer("SELECT sum(n) FROM number") } == 3)
        #expect(throws: SQLiteError.self) { try reader.writeNow { try $0.execute("DELETE FROM number") } }
        reader.close()
        #expect(steps.withLock { $0.count } == 4)
    }

    @Test("what cannot be prepared is not opened")
    func failingPrepare() throws {
        let folder = try TemporaryFolder()
        #expect(throws: Refused.self) {
            try Database(path: folder.path("test.sqlite")) { _ in throw Refused() }
        }
    }

    @Test("work after the close is answered with the error, once")
    func closed() async throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.path("test.sqlite"))
        database.close()
        let answers = Mutex(0)
        database.write { _ in
        } completion: { result in
            if case .failure(let error) = result, error is DatabaseClosed { answers.withLock { $0 += 1 } }
        }
        database.read { _ in
        } completion: { _ in
            answers.withLock { $0 += 1 }
        }
        #expect(answers.withLock { $0 } == 2)
        await #expect(throws: DatabaseClosed.self) { try await database.write { _ in } }
        await #expect(throws: DatabaseClosed.self) { try await database.read { _ in } }
        #expect(DatabaseClosed().description == "the database is closed")
    }

    @Test("reads and changes keep their order within a batch")
    func order() throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.path("test.sqlite")) {
            try $0.execute("CREATE TABLE number(n)")
        }
        let (isHeld, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let sums = Mutex<[Int64]>([])
        database.read { _ in
            isHeld.signal()
            gate.wait()
        } completion: { _ in
        }
        isHeld.wait()
        for number in 1...5 {
            database.write {
                try $0.statement("INSERT INTO number VALUES (?)").run(number)
            } completion: {
                _ in
            }
            database.read {
                try $0.integer("SELECT sum(n) FROM number")
            } completion: { result in
                sums.withLock { $0.append((try? result.get()) ?? -1) }
            }
        }
        gate.signal()
        database.close()
        #expect(sums.withLock { $0 } == [1, 3, 6, 10, 15])
    }
}
