import JobStorage
import SQLite
import Synchronization
import TestSupport
import Testing

/// Items with the same original: which of them is kept, whatever has happened before.
@Suite(.timeLimit(.minutes(10))) struct DuplicateTests {
    private let job: TestJob
    private let store: JobStore
    private let all = ComparisonScope(exceptSkippedFor: [], withErrors: ["corrupt"])

    /// Items with these originals, none of which was loaded.
    init() throws {
        job = try TestJob()
        store = try job.open()
    }

    private func begin(_ count: Int) throws {
        try store.plan((1...count).map { row($0) })
        _ = try store.beginRun(version: "1")
    }

    /// Notes the originals of all unfinished items, in the order of `originals`, and puts the items back.
    private func see(_ originals: [Int: String]) async throws {
        for item in try await store.claim(limit: 100) {
            try await store.noteOriginal(
                of: item,
                sha256: originals[item.ordinal],
                cacheKey: item.url,
                facts: nil
            )
        }
        try store.putBackHeld()
    }

    /// Ends all unfinished items as a run does, but for those in `failing`.
    private func work(failing: Set<Int> = [], with error: String = "collision") async throws {
        // The last row comes first.
        for item in try await store.claim(limit: 100).sorted(by: { $0.ordinal > $1.ordinal }) {
            try await store.record(result(item, failing: failing, error), of: item)
        }
    }

    private func result(_ item: ClaimedItem, failing: Set<Int>, _ error: String) -> ItemResult {
        if failing.contains(item.ordinal) {
            return ItemResult(.failed(error: error, message: "no"))
        }
        guard item.twin == nil else {
            let output = OutputRecord(
                name: "small",
                recipe: small.recipe,
                state: .skipped,
                reason: OutputRecord.duplicate
            )
            return ItemResult(.skipped(reason: OutputRecord.duplicate), outputs: [output])
        }
        var result = done(item)
        result.originalSHA256 = item.originalSHA256
        return result
    }

    /// The twins of the items, by position.
    private var twins: [Int: Int] {
        get throws {
            let rows = try Connection(path: job.path, mode: .readOnly).statement(
                """
                SELECT i.ordinal, t.ordinal AS twin FROM duplicate d JOIN item i USING (item_id)
                    JOIN item t ON t.item_id = d.twin_id
                """
            ).rows { ($0["ordinal"] as Int, $0["twin"] as Int) }
            return Dictionary(uniqueKeysWithValues: rows)
        }
    }

    private func made() throws -> [Int] {
        try store.reader.items(ItemFilter(states: [.done])).map(\.ordinal)
    }

    @Test("the first row of each original is kept, in whatever order items end; the others name it")
    func first() async throws {
        try begin(6)
        try await see([1: "a", 2: "b", 3: "a", 4: "b", 5: "a", 6: "c"])
        #expect(try store.reader.counts()[.pending] == 6)
        try store.findEqualOriginals(in: all)
        #expect(try twins == [3: 1, 4: 2, 5: 1])
        try await work()
        #expect(try made() == [1, 2, 6])
        #expect(try store.requeueDuplicates() == 0, "nothing is wrong")
        let item = try #require(try store.reader.items().first { $0.ordinal == 4 })
        #expect(item.twin?.ordinal == 2 && item.twin?.location == "urls.txt:2" && item.twin?.distance == 0)
        #expect(item.twin?.originalSHA256 == "b")
        #expect(try store.reader.items().first { $0.ordinal == 1 }?.twin == nil)
        #expect(try store.reader.skips() == ["duplicate": 3])
    }

    @Test("originals that are seen spend no attempt, and outlive the run")
    func seen() async throws {
        try begin(2)
        try await see([1: "a", 2: "a"])
        store.close()
        let again = try job.open()
        _ = try again.beginRun(version: "1")
        let items = try await again.claim(limit: 10)
        #expect(items.map(\.originalSHA256) == ["a", "a"] && items.allSatisfy { $0.attempts == 1 })
        #expect(items.map(\.cacheKey) == items.map(\.url))
        again.close()
    }

    @Test("an original that is another one takes its facts along")
    func facts() async throws {
        try begin(1)
        for (sha256, facts, expected) in [
            ("a", #"{"size":1}"#, #"{"size":1}"#), ("a", nil, #"{"size":1}"#), ("b", nil, nil),
        ] as [(String, String?, String?)] {
            let item = try #require(try await store.claim(limit: 1).first)
            try await store.noteOriginal(of: item, sha256: sha256, cacheKey: nil, facts: facts)
            try store.putBackHeld()
            #expect(try store.reader.items().first?.facts == expected)
        }
    }

    @Test("a first row that fails is no twin: the next one takes its place, and gives it back")
    func failed() async throws {
        try begin(3)
        try await see([1: "a", 2: "a", 3: "a"])
        try store.findEqualOriginals(in: all)
        try await work(failing: [1])
        #expect(try made() == [])
        try store.findEqualOriginals(in: all)
        #expect(try twins == [3: 2])
        #expect(try store.requeueDuplicates() == 1)
        let requeued = try store.reader.workCounts(newAfter: 100)
        #expect(requeued.map(\.reason.kind) == [.outdated(.duplicate)])
        try await work()
        #expect(try made() == [2])
        // The first one is tried again: until it is made, the second keeps what it has.
        #expect(try store.requeueFailed() == 1)
        try store.findEqualOriginals(in: all)
        #expect(try twins == [2: 1, 3: 1])
        #expect(try store.requeueDuplicates() == 0)
        try await work()
        try store.findEqualOriginals(in: all)
        #expect(try store.requeueDuplicates() == 1)
        #expect(try store.reader.workCounts(newAfter: 100).map(\.reason.kind) == [.requeued(.duplicate)])
        try await work()
        #expect(try made() == [1])
        #expect(try job.integer("SELECT count(*) FROM leftover WHERE path = 'small/2.jpg'") == 1)
    }

    @Test("a first row whose original is damaged stands for its copies")
    func damaged() async throws {
        try begin(3)
        try await see([1: "a", 2: "a", 3: "a"])
        try store.findEqualOriginals(in: all)
        try await work(failing: [1], with: "corrupt")
        try store.findEqualOriginals(in: all)
        #expect(try twins == [2: 1, 3: 1])
        #expect(try store.requeueDuplicates() == 0)
    }

    @Test("an item that its origin or an earlier row keeps out of the dataset is no twin")
    func excluded() async throws {
        try begin(4)
        try await see([1: "a", 2: "a", 3: "a", 4: "a"])
        for item in try await store.claim(limit: 3) {
            let reason = ["opt_out", OutputRecord.pathTaken + "urls.txt:9", "narrower"][item.ordinal - 1]
            let output = OutputRecord(
                name: "small",
                recipe: small.recipe,
                state: .skipped,
                reason: reason
            )
            try await store.record(
                ItemResult(.skipped(reason: reason), originalSHA256: "a", outputs: [output]),
                of: item
            )
        }
        try store.findEqualOriginals(
            in: ComparisonScope(exceptSkippedFor: ["opt_out", "robots"], withErrors: [])
        )
        #expect(try twins == [4: 3], "what a filter leaves out, it leaves out of its duplicates")
    }

    @Test("a twin that leaves the manifest hands over to the next, and one that joins before it takes over")
    func edited() async throws {
        try begin(4)
        try await see([1: "a", 2: "a", 3: "a", 4: "b"])
        try store.findEqualOriginals(in: all)
        try await work()
        #expect(try made() == [1, 4])
        try store.endRun(exit: 0)

        try store.plan([row(2), row(3), row(4)])
        try store.findEqualOriginals(in: all)
        #expect(try store.requeueDuplicates() == 1)
        _ = try store.beginRun(version: "1")
        try await work()
        #expect(try made() == [2, 4])
        try store.endRun(exit: 0)

        try store.plan([row(1), row(2), row(3), row(4)])
        try store.findEqualOriginals(in: all)
        #expect(try twins == [2: 1, 3: 1])
        #expect(try store.requeueDuplicates() == 1, "its outputs are still on record")
        #expect(try store.reader.items(ItemFilter(states: [.pending])).map(\.ordinal) == [2])

        try store.forgetDuplicates()
        #expect(try store.requeueDuplicates() == 1, "without the setting, nothing is a duplicate")
        #expect(try store.reader.items(ItemFilter(states: [.pending])).map(\.ordinal) == [2, 3])
    }

    @Test("similar originals replace the duplicates, with their distances")
    func similar() async throws {
        try begin(3)
        try await see([1: "a", 2: "b", 3: "c"])
        let facts = #"{"pdq":{"hash":"\#(String(repeating: "0", count: 64))","quality":100}}"#
        for item in try await store.claim(limit: 10) {
            try await store.noteOriginal(
                of: item,
                sha256: item.originalSHA256,
                cacheKey: nil,
                facts: item.ordinal == 2 ? nil : facts
            )
        }
        try store.putBackHeld()
        let found = Recorded()
        try store.forEachOriginal(in: all) { found.add($0) }
        #expect(found.all.map(\.sha256) == ["a", "b", "c"])
        #expect(found.all.map(\.quality) == [100, nil, 100])
        try store.replaceDuplicates([
            FoundDuplicate(itemID: found.all[2].itemID, twinID: found.all[0].itemID, distance: 7)
        ])
        #expect(try twins == [3: 1])
        let item = try #require(try await store.claim(limit: 10).first { $0.ordinal == 3 })
        #expect(item.twin?.distance == 7 && item.twin?.originalSHA256 == "c")
    }
}

/// The originals that a store has shown.
private final class Recorded: Sendable {
    private let originals = Mutex<[ComparedOriginal]>([])

    var all: [ComparedOriginal] { originals.withLock { $0 } }

    func add(_ original: ComparedOriginal) { originals.withLock { $0.append(original) } }
}
