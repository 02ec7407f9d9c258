import Foundation
import SQLite
import TestSupport
import Testing

@testable import JobStorage

/// One state from those of its parts, beside the state of the whole.
@Suite struct AbsorbTests {
    private static let large = OutputRecipe(source: 0, output: "large", recipe: "width 2000")
    private static let hosts = ["a.example", "b.example", "c.example"]

    /// The rows of a part of two: host by host, so that the places of the parts alternate.
    private func rows(_ part: Int) -> [NewItem] {
        (1...300).filter { $0 % 2 == part }.map { row($0, host: Self.hosts[$0 % 3]) }
    }

    /// Plans rows, and records the ends of all but those whose place is a multiple of seven.
    private func fill(_ store: JobStore, _ rows: [NewItem], plans: Bool = true) throws {
        if plans { try store.plan(rows, recipes: [small, Self.large]) }
        let items = rows.filter { $0.ordinal % 7 != 0 }.map { row in
            MergedItem(
                ordinal: row.ordinal,
                key: String(UInt64(bitPattern: row.key), radix: 16).leftPadded(to: 16),
                state: row.ordinal % 5 == 0 ? .failed : .done,
                error: row.ordinal % 5 == 0 ? "http_404" : nil,
                message: nil,
                attempts: 1,
                originalSHA256: originalHash,
                facts: nil,
                outputs: row.ordinal % 5 == 0 ? [] : [output(Self.large, path: "large/\(row.ordinal).jpg")]
            )
        }
        #expect(try store.merge(items, at: 1_700_000_000_000) == items.count)
    }

    private func absorb(_ parts: [TestJob], into store: JobStore) throws {
        try store.beginAbsorbing()
        for part in parts { try store.absorb(part.path) }
        try store.finishAbsorbing(lists: "l", manifestSHA256: "m")
    }

    /// The items with their outputs, in their order.
    private func items(_ store: JobStore) throws -> [String] {
        try store.reader.items(limit: 1000).map { item in
            let time = item.state.isFinished ? item.updated : 0
            return
                "\(item.ordinal) \(item.url) \(item.state) \(item.error ?? "") \(item.location) \(time) \(item.outputs)"
        }
    }

    private func parts() throws -> [TestJob] {
        try (0...1).map { part in
            let job = try TestJob()
            let store = try job.open()
            try fill(store, rows(part))
            store.close()
            return job
        }
    }

    @Test("the state of parts is that of the whole, and can be planned and worked on")
    func equality() async throws {
        let (whole, merged) = (try TestJob(), try TestJob())
        let (one, other) = (try whole.open(), try merged.open())
        try fill(one, rows(0) + rows(1))
        try absorb(try parts(), into: other)
        #expect(try items(other) == items(one) && items(one).count == 300)
        #expect(try other.reader.counts() == one.reader.counts())
        #expect(try other.reader.failures() == one.reader.failures())
        #expect(try other.reader.outputTotals().map(\.made) == one.reader.outputTotals().map(\.made))
        let indexes = "SELECT count(*) FROM sqlite_schema WHERE type = 'index'"
        #expect(try merged.integer(indexes) == whole.integer(indexes))
        #expect(try merged.integer("SELECT count(*) FROM pragma_foreign_key_check") == 0)
        #expect(
            try merged.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'")
                == 0
        )
        // Nothing has changed for the same list.
        #expect(try other.plan(rows(0) + rows(1), recipes: [small, Self.large]).new == 0)
        _ = try other.beginRun(version: "1")
        #expect(try await !other.claim(limit: 10).isEmpty)
    }

    @Test("a copy that never ended leaves nothing behind")
    func interruption() throws {
        let (job, parts) = (try TestJob(), try parts())
        let dead = try job.open()
        try dead.beginAbsorbing()
        try dead.absorb(parts[0].path)
        dead.close()
        let store = try job.open()
        #expect(try store.reader.revision() == nil && job.integer("SELECT count(*) FROM output") == 0)
        try absorb(parts, into: store)
        let whole = try TestJob()
        let other = try whole.open()
        try fill(other, rows(0) + rows(1))
        #expect(try items(store) == items(other))
    }
}

extension String {
    fileprivate func leftPadded(to count: Int) -> String {
        String(repeating: "0", count: max(0, count - utf8.count)) + self
    }
}
