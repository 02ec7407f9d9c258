import JobStorage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ScoresTests {
    /// A job whose outputs have these scores and shortfalls, one an item.
    private func job(_ results: [(score: Double?, shortfall: OutputRecord.Shortfall?)]) async throws
        -> JobStore
    {
        let store = try TestJob().open()
        try store.plan((1...results.count).map { row($0) })
        _ = try store.beginRun(version: "1")
        for item in try await store.claim(limit: 100, perHost: 100) {
            var result = done(item)
            result.outputs[0].quality = 70 + item.ordinal
            result.outputs[0].format = item.ordinal == 1 ? "webp" : nil
            (result.outputs[0].ssimulacra2, result.outputs[0].shortfall) = results[item.ordinal - 1]
            try await store.record(result, of: item)
        }
        return store
    }

    @Test("a score, its quality, its shortfall and the format are those that were recorded")
    func recorded() async throws {
        let store = try await job([(70.25, nil), (12, .maxBytes), (nil, nil)])
        var outputs: [OutputRecord] = []
        try store.reader.forEachItem { outputs += $0.outputs }
        #expect(outputs.map(\.quality) == [71, 72, 73])
        #expect(outputs.map(\.ssimulacra2) == [70.25, 12, nil])
        #expect(outputs.map(\.shortfall) == [nil, .maxBytes, nil])
        #expect(outputs.map(\.format) == ["webp", nil, nil])
    }

    @Test("scores are counted by whole points, and those below 0 as 0, over all states")
    func counts() async throws {
        let first = try await job([(70.9, nil), (70, nil), (-12.5, .quality), (nil, nil)])
        let second = try await job([(99.99, nil), (0.5, .maxBytes), (100, nil)])
        #expect(try [first.reader, second.reader].scores() == [0: 2, 70: 2, 99: 1, 100: 1])
        #expect(try first.reader.shortfalls() == ["quality": 1])
        #expect(try second.reader.shortfalls() == ["maxBytes": 1])
    }

    @Test("what is no longer wanted does not count")
    func unwanted() async throws {
        let store = try await job([(60, .quality), (61, .quality)])
        try store.plan([row(2)])
        #expect(try [store.reader].scores() == [61: 1] && store.reader.shortfalls() == ["quality": 1])
        let other = OutputRecipe(source: 0, output: small.output, recipe: "another quality")
        try store.plan([row(2)], recipes: [other])
        #expect(try [store.reader].scores().isEmpty && store.reader.shortfalls().isEmpty)
    }
}
