import Foundation
import JobStorage
import SQLite
import TestSupport
import Testing

/// A new state from what is left of a damaged one.
@Suite(.timeLimit(.minutes(10))) struct RebuildTests {
    /// A closed job of 600 items: even ones done, those that end in 5 failed, the others pending.
    private func job() async throws -> TestJob {
        let job = try TestJob()
        let store = try job.open()
        var items = (1...600).map { row($0) }
        (items[1].id, items[1].varsJSON) = ("sku-2", #"{"colour":"red"}"#)
        try store.plan(items)
        _ = try store.beginRun(version: "1")
        for item in try await store.claim(limit: 600, perHost: 600) {
            var result = done(item)
            result.facts = #"{"size":1}"#
            if item.ordinal % 10 == 5 {
                result = ItemResult(.failed(error: "http_404", message: "gone"))
            } else if item.ordinal % 2 == 1 {
                try await store.putBack(item)
                continue
            }
            try await store.record(result, of: item)
        }
        try store.endRun(exit: 0)
        store.close()
        return job
    }

    /// Overwrites every page of the file that holds an item's row or an old copy of it.
    private func damage(_ job: TestJob, at ordinal: Int) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: job.path))
        let url = Data(row(ordinal).url.utf8)
        while let found = bytes.firstRange(of: url) {
            let first = found.lowerBound / 4096 * 4096
            bytes.replaceSubrange(first..<first + 4096, with: Data(repeating: 0xa5, count: 4096))
        }
        try bytes.write(to: URL(fileURLWithPath: job.path))
    }

    @Test("everything of a readable state comes back as it was, except runs and attempts")
    func whole() async throws {
        let job = try await job()
        let rebuilt = try JobStore.rebuild(path: job.path) { $0 }
        #expect(rebuilt.items == 600 && rebuilt.outputs == 300)
        #expect(FileManager.default.fileExists(atPath: rebuilt.aside))
        #expect(rebuilt.aside.hasPrefix(job.path + ".damaged-"))
        let store = try job.open()
        let counts = try store.reader.counts()
        #expect(counts[.done] == 300 && counts[.failed] == 60 && counts[.pending] == 240)
        #expect(try store.reader.runs().isEmpty)
        #expect(try job.integer("SELECT count(*) FROM attempt") == 0)

        let plan = try store.plan(
            (1...600).map {
                var item = row($0)
                if $0 == 2 { (item.id, item.varsJSON) = ("sku-2", #"{"colour":"red"}"#) }
                return item
            }
        )
        #expect(plan.new == 0 && plan.changed == 0 && plan.left == 0)
        let item = try #require(try store.reader.items(limit: 2).last)
        #expect(item.id == "sku-2" && item.varsJSON == #"{"colour":"red"}"# && item.facts == #"{"size":1}"#)
        #expect(item.originalSHA256 == originalHash && item.outputs == [output(small, path: "small/2.jpg")])
        let failed = try #require(try store.reader.items(ItemFilter(states: [.failed])).first)
        #expect(failed.error == "http_404" && failed.message == "gone" && failed.attempts == 1)
        #expect(try job.integer("SELECT count(*) FROM host WHERE name = 'a.example'") == 1)
    }

    @Test("what is damaged is left out, and the rest can be planned and finished")
    func damaged() async throws {
        let job = try await job()
        try damage(job, at: 300)
        #expect(throws: JobStoreError.self) {
            let store = try job.open()
            _ = try store.reader.items(limit: 1000)
        }
        let rebuilt = try JobStore.rebuild(path: job.path) { $0 }
        #expect((1..<600).contains(rebuilt.items), "\(rebuilt.items)")
        let store = try job.open()
        let counts = try store.plan((1...600).map { row($0) })
        #expect(counts.items == 600 && counts.new > 0)
        _ = try store.beginRun(version: "1")
        try await store.finishAll()
        #expect(try store.reader.counts().unfinished == 0)
    }

    @Test("a file that is no database at all gives an empty state")
    func text() throws {
        let job = try TestJob()
        try job.open().close()
        try Data(repeating: 0x61, count: 9000).write(to: URL(fileURLWithPath: job.path))
        let rebuilt = try JobStore.rebuild(path: job.path) { $0 }
        #expect(rebuilt.items == 0 && rebuilt.outputs == 0)
        let store = try job.open()
        #expect(try store.reader.revision() == nil)
    }

    @Test("the caller takes items and outputs away that are not as they should be")
    func checked() async throws {
        let job = try await job()
        let rebuilt = try JobStore.rebuild(path: job.path) { item in
            guard let number = item.outputs.first?.result.path.flatMap({ Int($0.dropFirst(6).dropLast(4)) })
            else {
                return item
            }
            switch number {
            case 2: return nil
            case 4: return item.keeping { _ in false }
            case 6: return item.waiting
            default: return item.keeping { _ in true }
            }
        }
        #expect(rebuilt.items == 599 && rebuilt.outputs == 298)
        let store = try job.open()
        let states = try store.reader.items(limit: 10).map { ($0.ordinal, $0.state) }
        let found = Dictionary(uniqueKeysWithValues: states)
        #expect(found[2] == nil && found[4] == .pending && found[6] == .pending && found[8] == .done)
        #expect(
            try job.integer("SELECT count(*) FROM output o JOIN item i USING (item_id) WHERE ordinal = 6")
                == 1
        )
        let waiting = try #require(try store.reader.items(limit: 5).first { $0.ordinal == 6 })
        #expect(waiting.attempts == 0 && waiting.error == nil)
    }

    @Test("a row whose key is wrong is not taken over")
    func wrongKey() async throws {
        let job = try await job()
        try Connection(path: job.path).execute("UPDATE item SET url = url || 'x' WHERE ordinal = 4")
        #expect(try JobStore.rebuild(path: job.path) { $0 }.items == 599)
        #expect(try job.integer("SELECT count(*) FROM item WHERE ordinal = 4") == 0)
    }

    @Test("a job that is being run is not rebuilt")
    func locked() async throws {
        let job = try await job()
        let store = try job.open()
        let error = #expect(throws: JobStoreError.self) { try JobStore.rebuild(path: job.path) { $0 } }
        #expect(error?.description.contains("process") == true)
        #expect(try store.reader.counts().total == 600)
    }
}
