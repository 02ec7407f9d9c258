import JobStorage
import TestSupport
import Testing

/// The reasons for which a run has work, and how much.
@Suite(.timeLimit(.minutes(10))) struct WorkReasonTests {
    private let first = recipe("small", ["processors": "320", "format": "jpeg"])
    private let large = recipe("large", ["processors": "1024", "format": "jpeg"])

    private static func recipe(_ output: String, _ parts: [String: String]) -> OutputRecipe {
        let text = parts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: " ")
        return OutputRecipe(source: 0, output: output, recipe: text) { $0.parts = parts }
    }

    /// Items 1 to `count`, done with `recipes`, but for those that `end` ends otherwise.
    private func job(
        _ count: Int,
        _ recipes: [OutputRecipe],
        ending end: (JobStore, ClaimedItem) async throws -> Bool = { _, _ in false }
    ) async throws -> JobStore {
        let store = try TestJob().open()
        try store.plan((1...count).map { row($0) }, recipes: recipes)
        _ = try store.beginRun(version: "1")
        for item in try await store.claim(limit: 100) where !(try await end(store, item)) {
            try await store.record(done(item, recipes), of: item)
        }
        try store.endRun(exit: 0)
        return store
    }

    private func fail(_ item: ClaimedItem, as error: String, in store: JobStore) async throws {
        try await store.record(ItemResult(.failed(error: error, message: "told")), of: item)
    }

    /// The items and outputs by reason, whose outputs are exactly those that a run would make.
    private func work(_ store: JobStore, newAfter last: Int64 = .max) throws -> [WorkReason: [Int]] {
        let counts = try store.reader.workCounts(newAfter: last)
        #expect(try counts.reduce(0) { $0 + $1.outputs } == store.reader.outputCounts().make)
        // What is told of each item is what is counted.
        var told: [WorkReason: [Int]] = [:]
        for item in try store.reader.items() {
            for count in try store.reader.work(on: item.itemID, newAfter: last) {
                let (items, outputs) = (told[count.reason]?[0] ?? 0, told[count.reason]?[1] ?? 0)
                told[count.reason] = [items + count.items, outputs + count.outputs]
            }
        }
        let all = Dictionary(uniqueKeysWithValues: counts.map { ($0.reason, [$0.items, $0.outputs]) })
        #expect(told == all)
        return all
    }

    @Test("new items, new outputs, and the settings of a recipe that have changed")
    func recipes() async throws {
        let store = try await job(3, [first])
        #expect(try work(store).isEmpty)
        let last = try store.reader.lastItemID()
        let other = Self.recipe("small", ["processors": "160", "format": "webp"])
        try store.plan((1...5).map { row($0) }, recipes: [other, large])
        #expect(
            try work(store, newAfter: last) == [
                WorkReason(.recipe, settings: ["format", "processors"], output: "small"): [3, 3],
                WorkReason(.newOutput, output: "large"): [3, 3],
                WorkReason(.new): [2, 4],
            ]
        )
    }

    @Test("of a state without a plan everything is new, and of recipes without parts no setting is known")
    func unknown() async throws {
        let store = try await job(2, [small])
        let unplanned = try TestJob().open()
        let last = try withExtendedLifetime(unplanned) { try unplanned.reader.lastItemID() }
        #expect(last == 0)
        try store.plan((1...2).map { row($0) }, recipes: [first])
        #expect(try work(store) == [WorkReason(.recipe, output: "small"): [2, 2]])
        #expect(try work(store, newAfter: 0) == [WorkReason(.new): [2, 2]])
    }

    @Test("parts that are recorded later tell the next change")
    func laterParts() async throws {
        let bare = OutputRecipe(source: 0, output: "small", recipe: first.recipe)
        let store = try await job(1, [bare])
        try store.recordParts(of: [first])
        try store.plan([row(1)], recipes: [Self.recipe("small", ["processors": "320", "format": "png"])])
        #expect(
            try work(store) == [WorkReason(.recipe, settings: ["format"], output: "small"): [1, 1]]
        )
    }

    @Test("failed items by the rule that puts them back, and their error")
    func failures() async throws {
        let errors = ["http_503", "limits", "http_404", "corrupt"]
        let store = try await job(6, [first]) { store, item in
            guard item.ordinal <= errors.count else { return false }
            try await fail(item, as: errors[item.ordinal - 1], in: store)
            return true
        }
        try store.requeueRetryable(["http_503"])
        try store.requeueFailed(becauseOf: [FailureSetting(name: "limits", errors: ["limits"], value: "2")])
        try store.requeueFailed(with: ["http_404"], unchangedFor: 0)
        try store.requeueFailed()
        #expect(
            try work(store) == [
                WorkReason(.requeued(.retryable), error: "http_503"): [1, 1],
                WorkReason(.requeued(.setting), settings: ["limits"], error: "limits"): [1, 1],
                WorkReason(.requeued(.recheck), error: "http_404"): [1, 1],
                WorkReason(.requeued(.request), error: "corrupt"): [1, 1],
            ]
        )
    }

    @Test("items that no run has finished, and those that wait for another attempt")
    func unfinished() async throws {
        let store = try await job(3, [first, large]) { store, item in
            switch item.ordinal {
            case 1: try await store.putBack(item)
            case 2: try await store.retryLater(item, after: 0, error: "timeout", message: "slow")
            default: return false
            }
            return true
        }
        #expect(
            try work(store) == [
                WorkReason(.unfinished): [1, 2], WorkReason(.retry, error: "timeout"): [1, 2],
            ]
        )
    }

    @Test("a changed original outdates all outputs of its item; a corrected row is told with its error")
    func rows() async throws {
        let store = try TestJob().open()
        var items = (1...3).map { row($0) }
        items[2].problem = RecordedError(code: "bad_url", message: "no URL")
        try store.plan(items, recipes: [first, large])
        _ = try store.beginRun(version: "1")
        try await store.finishAll([first, large])
        try store.endRun(exit: 1)
        items[0].validator = "100 bytes, noon"
        items[2].problem = nil
        try store.plan(items, recipes: [first, large])
        #expect(
            try work(store) == [
                WorkReason(.requeued(.original)): [1, 2],
                WorkReason(.requeued(.row), error: "bad_url"): [1, 2],
            ]
        )
        #expect(try store.reader.outputCounts().keep == 2)
    }

    @Test("outdated outputs tell why, each its own reason, also beside a changed recipe")
    func outdated() async throws {
        let store = try await job(4, [first, large]) { store, item in
            guard item.ordinal == 1 else { return false }
            var result = done(item, [first, large])
            result.outputs[0].encoder = "old 1"
            try await store.record(result, of: item)
            return true
        }
        let other = Self.recipe("large", ["processors": "1024", "format": "webp"])
        try store.plan((1...4).map { row($0) }, recipes: [first, other])
        #expect(try store.requeueOutputs(notBy: ["libjpeg-turbo 2.1.5"]) == 0, "it is requeued already")
        let second = try #require(try store.reader.items().dropFirst().first)
        try store.requeueOutputs([(second.itemID, "small")])
        #expect(
            try work(store) == [
                WorkReason(.recipe, settings: ["format"], output: "large"): [4, 4],
                WorkReason(.outdated(.encoder), output: "small"): [1, 1],
                WorkReason(.outdated(.missing), output: "small"): [1, 1],
            ]
        )
        _ = try store.beginRun(version: "1")
        try await store.finishAll([first, other])
        #expect(try work(store).isEmpty)
    }

    @Test("outputs that were skipped for a file or another row, which is no reason any more")
    func skipped() async throws {
        let store = try TestJob().open()
        func plan(_ blocked: [BlockedOutput], replaces: Bool) throws {
            var recipe = first
            recipe.replacesFiles = replaces
            let planning = try store.beginPlanning(manifestSHA256: "m")
            try planning.add((1...3).map { row($0) })
            try planning.block(blocked)
            _ = try planning.finish(lists: "l", recipes: [recipe])
        }
        let blocked = BlockedOutput(ordinal: 2, output: "small", path: "1.jpg", owner: 1, isSkipped: true)
        try plan([blocked], replaces: false)
        _ = try store.beginRun(version: "1")
        for item in try await store.claim(limit: 10) {
            let reason = [1: nil, 2: OutputRecord.pathTaken + "urls.txt:1", 3: OutputRecord.exists][
                item.ordinal
            ]
            guard let reason = reason ?? nil else {
                try await store.record(done(item, [first]), of: item)
                continue
            }
            let output = OutputRecord(name: "small", recipe: first.recipe, state: .skipped, reason: reason)
            let result = ItemResult(.skipped(reason: reason), originalSHA256: originalHash, outputs: [output])
            try await store.record(result, of: item)
        }
        try store.endRun(exit: 0)
        try plan([], replaces: true)
        #expect(
            try work(store) == [
                WorkReason(.outdated(.collision), output: "small"): [1, 1],
                WorkReason(.outdated(.existing), output: "small"): [1, 1],
            ]
        )
    }

    @Test("work without outputs is counted in items")
    func items() async throws {
        let store = try await job(3, [first])
        #expect(try store.requeueFinished() == 3)
        #expect(try work(store) == [WorkReason(.requeued(.revalidate)): [3, 0]])
        _ = try store.beginRun(version: "1")
        try await store.finishAll([first])
        let item = try #require(try store.reader.items().first)
        try store.requeue([item.itemID])
        #expect(try work(store) == [WorkReason(.requeued(.lost)): [1, 0]])
        try store.endRun(exit: 0)
        let planning = try store.beginPlanning(manifestSHA256: "m")
        try planning.add((1...3).map { row($0) })
        _ = try planning.finish(lists: "l", recipes: [first], facts: ["size"])
        #expect(
            try work(store) == [
                WorkReason(.requeued(.lost)): [1, 0], WorkReason(.requeued(.facts)): [2, 0],
            ]
        )
    }
}
