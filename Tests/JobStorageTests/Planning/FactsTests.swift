import JobStorage
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FactsTests {
    private static let both = #"{"exif":null,"size":{"height":2,"width":1}}"#

    /// Ten items that are done with these facts.
    private func finishedJob(_ facts: String? = both) async throws -> (TestJob, JobStore) {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...10).map { row($0) })
        _ = try store.beginRun(version: "1")
        try await finish(store, facts)
        return (job, store)
    }

    private func finish(_ store: JobStore, _ facts: String?, hash: String = originalHash) async throws {
        for item in try await store.claim(limit: 100) {
            var result = done(item)
            (result.facts, result.originalSHA256) = (facts, hash)
            try await store.record(result, of: item)
        }
    }

    private func plan(_ store: JobStore, _ facts: [String]?) throws -> PlanCounts {
        let planning = try store.beginPlanning(manifestSHA256: "m")
        try planning.add((1...10).map { row($0) })
        return try planning.finish(lists: "l", recipes: [small], facts: facts)
    }

    /// Plans the same items as one output of the source, which needs no facts, beside those that are told unasked.
    private func plan(_ store: JobStore, _ output: String, unasked: [String]) throws -> PlanCounts {
        let planning = try store.beginPlanning(manifestSHA256: "m")
        try planning.add((1...10).map { row($0) })
        let recipe = OutputRecipe(source: 0, output: output, recipe: small.recipe)
        return try planning.finish(lists: "l", recipes: [recipe], facts: [], unasked: unasked)
    }

    private func facts(_ store: JobStore) throws -> Set<String?> {
        Set(try store.reader.items().map(\.facts))
    }

    @Test("facts are on record with the item, and come back with it when one is added")
    func added() async throws {
        let (_, store) = try await finishedJob()
        #expect(try facts(store) == [Self.both])
        #expect(try plan(store, ["size", "exif"]).changed == 0)
        #expect(try plan(store, ["exif", "blurHash", "size"]).changed == 10)
        let item = try #require(try await store.claim(limit: 1).first)
        #expect(item.facts == Self.both && item.originalSHA256 == originalHash)
        #expect(item.outputs.map(\.name) == ["small"], "what is made is known, and is not made again")
    }

    @Test("a fact that is null is there; one that was never made is not")
    func null() async throws {
        let (_, store) = try await finishedJob(#"{"exif":null}"#)
        #expect(try plan(store, ["exif"]).changed == 0)
        #expect(try plan(store, ["size"]).changed == 10)
    }

    @Test("a fact that is not asked for any more is forgotten, and nothing is made again")
    func removed() async throws {
        let (job, store) = try await finishedJob()
        let before = try job.integer("SELECT sum(updated_ms + generation) FROM item")
        #expect(try plan(store, ["size"]).changed == 0)
        #expect(try facts(store) == [#"{"size":{"height":2,"width":1}}"#])
        #expect(try plan(store, []).changed == 0)
        #expect(try facts(store) == [nil])
        #expect(try job.integer("SELECT sum(updated_ms + generation) FROM item") == before)
        #expect(try plan(store, ["size"]).changed == 10, "asked for again, it is made again")
    }

    @Test("a fact that is told unasked stays, unless it is null")
    func unasked() async throws {
        let kept = #"{"animation":{"frames":2}}"#
        let (_, store) = try await finishedJob(
            #"{"animation":{"frames":2},"gainMap":null,"size":{"height":2,"width":1}}"#
        )
        #expect(try plan(store, small.output, unasked: ["animation", "gainMap"]).changed == 0)
        #expect(try facts(store) == [kept])
        #expect(try plan(store, ["animation"]).changed == 0, "asked for, it is known")
        #expect(try plan(store, []).changed == 0)
        #expect(try facts(store) == [nil])
    }

    @Test("an output that the manifest has no longer is none of those with a gain map, nor of those without")
    func unwantedOutputs() async throws {
        let (_, store) = try await finishedJob(
            #"{"gainMap":{"dropped":{"old":"hdr","small":"hdr"},"form":"iso","kept":["large","small"]}}"#
        )
        let other = #"{"gainMap":{"dropped":{},"form":"iso","kept":[]}}"#
        let own = #"{"gainMap":{"dropped":{"small":"hdr"},"form":"iso","kept":["small"]}}"#
        _ = try plan(store, "small", unasked: ["gainMap"])
        #expect(try facts(store) == [own])
        _ = try plan(store, "other", unasked: ["gainMap"])
        #expect(try facts(store) == [other])
    }

    @Test("planning that is not about facts leaves them")
    func left() async throws {
        let (_, store) = try await finishedJob()
        #expect(try plan(store, nil).changed == 0)
        #expect(try facts(store) == [Self.both])
    }

    @Test("facts of another original are forgotten, however it became known")
    func otherOriginal() async throws {
        let (_, store) = try await finishedJob()
        let other = String(repeating: "1e", count: 32)
        #expect(try plan(store, ["size", "exif", "blurHash"]).changed == 10)
        let items = try await store.claim(limit: 100)
        var same = done(items[0])
        same.facts = nil
        try await store.record(same, of: items[0])
        var changed = done(items[1])
        changed.originalSHA256 = other
        try await store.record(changed, of: items[1])
        changed.facts = #"{"size":7}"#
        try await store.record(changed, of: items[2])
        try await store.record(ItemResult(.failed(error: "timeout", message: "slow")), of: items[3])
        let listed = try store.reader.items()
        let found = items[0...3].map { item in listed.first { $0.itemID == item.itemID }?.facts }
        #expect(found == [Self.both, nil, #"{"size":7}"#, Self.both])
    }

    @Test("a file that changed where it is listed loses its facts with its hash")
    func validator() async throws {
        let (_, store) = try await finishedJob()
        let planning = try store.beginPlanning(manifestSHA256: "m")
        var items = (1...10).map { row($0) }
        items[3].validator = "100 bytes, noon"
        try planning.add(items)
        #expect(try planning.finish(lists: "l", recipes: [small], facts: ["size"]).changed == 1)
        #expect(try store.reader.items().map { $0.facts == nil } == (1...10).map { $0 == 4 })
    }

    @Test("what is no JSON counts as nothing")
    func damaged() async throws {
        let (_, store) = try await finishedJob("{")
        #expect(try plan(store, []).changed == 0)
        #expect(try plan(store, ["size"]).changed == 10)
    }
}
