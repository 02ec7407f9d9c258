import JobStorage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct RunTests {
    @Test("a run keeps the reason of an early end, its manifest and what was different")
    func history() throws {
        let store = try TestJob().open()
        #expect(try store.reader.lastManifest() == nil)
        #expect(throws: JobStoreError.self) { try store.noteManifest("{}", changesJSON: nil) }
        _ = try store.beginRun(version: "1")
        try store.noteManifest(#"{"name":"a"}"#, changesJSON: nil)
        try store.endRun(exit: 0)
        _ = try store.beginRun(version: "1")
        #expect(try store.reader.lastManifest() == #"{"name":"a"}"#)
        try store.noteManifest(#"{"name":"b"}"#, changesJSON: #"{"count":1}"#)
        try store.endRun(exit: 4, stopped: "the disk is full")
        let runs = try store.reader.runs()
        #expect(runs.map(\.stopped) == ["the disk is full", nil])
        #expect(runs.map(\.changesJSON) == [#"{"count":1}"#, nil])
        #expect(runs.map(\.refused) == [0, 0] && runs.allSatisfy { $0.lastRefused == nil })
        // A manifest that is not kept leaves nothing to compare with.
        _ = try store.beginRun(version: "1")
        try store.noteManifest(nil, changesJSON: nil)
        #expect(try store.reader.lastManifest() == nil)
    }

    @Test("an item had failed if a run has reported it, or if its failure was the reason to try it again")
    func recovery() async throws {
        let store = try TestJob().open()
        try store.plan((1...3).map { row($0) })
        _ = try store.beginRun(version: "1")
        for item in try await store.claim(limit: 3) {
            #expect(!item.hadFailed)
            guard item.ordinal > 1 else {
                try await store.record(done(item), of: item)
                continue
            }
            try await store.record(ItemResult(.failed(error: "timeout", message: "late")), of: item)
        }
        #expect(try store.requeueFailed(ItemFilter()) == 2)
        let again = try await store.claim(limit: 3)
        #expect(again.map(\.ordinal).sorted() == [2, 3] && again.allSatisfy(\.hadFailed))
        for item in again { try await store.record(done(item), of: item) }
        // What is done and made again for other reasons has not failed before.
        try store.requeueFinished()
        let others = try await store.claim(limit: 3)
        #expect(others.count == 3 && others.allSatisfy { !$0.hadFailed })
    }
}
