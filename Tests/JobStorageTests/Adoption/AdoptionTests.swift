import JobStorage
import TestSupport
import Testing

/// Outputs that another tool made, in the state.
@Suite(.timeLimit(.minutes(10))) struct AdoptionTests {
    private static let large = OutputRecipe(source: 0, output: "large", recipe: "width 640")

    /// Returns an adopted output of `recipe`.
    private func found(
        _ recipe: OutputRecipe = small,
        path: String,
        isLate: Bool = false
    ) -> AdoptedItem.Output {
        let record = OutputRecord(
            name: recipe.output,
            recipe: recipe.recipe,
            state: .done,
            reason: OutputRecord.adopted
        ) {
            $0.path = path
            $0.spec = "unknown"
            $0.bytes = 3
            $0.sha256 = originalHash
        }
        return AdoptedItem.Output(record, isPathLate: isLate)
    }

    @Test("an item with all its outputs is done, and its original stays unknown until it is loaded")
    func whole() async throws {
        let store = try TestJob().open()
        try store.plan([row(1), row(2)])
        let items = try store.reader.unfinishedItems(after: 0, limit: 1)
        #expect(items.count == 1 && items[0].outputs.isEmpty)
        let adopted = AdoptedItem(items[0], outputs: [found(path: "1.jpg")], isFinished: true)
        #expect(try store.adopt([adopted]).isEmpty)
        #expect(try store.reader.counts()[.done] == 1)
        let rest = try store.reader.unfinishedItems(after: 0, limit: 10)
        #expect(rest.map(\.ordinal) == [2])
        #expect(try store.reader.files().map(\.path) == ["1.jpg"])
        _ = try store.beginRun(version: "1")
        #expect(try await store.claim(limit: 10).map(\.ordinal) == [2])
        // A second time, the item is not in a state for it, and nothing changes.
        #expect(throws: JobStoreError.self) { try store.adopt([adopted]) }
    }

    @Test("an item that lacks an output is claimed with the adopted one and the mark of an unknown original")
    func partial() async throws {
        let store = try TestJob().open()
        try store.plan([row(1)], recipes: [small, Self.large])
        let items = try store.reader.unfinishedItems(after: 0, limit: 10)
        #expect(
            try store.adopt([AdoptedItem(items[0], outputs: [found(path: "1.jpg")], isFinished: false)])
                .isEmpty
        )
        _ = try store.beginRun(version: "1")
        let claimed = try #require(try await store.claim(limit: 10).first)
        #expect(claimed.outputs.map(\.path) == ["1.jpg"] && claimed.requeued == .outputs)
        #expect(claimed.originalSHA256 == AdoptedItem.unknownOriginal && claimed.attempts == 1)
    }

    @Test("a path that planning does not know is that of the first output, in one call and in the next")
    func paths() throws {
        let store = try TestJob().open()
        try store.plan([row(1), row(2), row(3)], recipes: [small, Self.large])
        let items = try store.reader.unfinishedItems(after: 0, limit: 10)
        let late = { (index: Int, outputs: [AdoptedItem.Output]) in
            AdoptedItem(items[index], outputs: outputs, isFinished: true)
        }
        let both = [found(path: "a.jpg", isLate: true), found(Self.large, path: "a.jpg", isLate: true)]
        #expect(
            try store.adopt([late(0, both), late(1, [found(path: "a.jpg", isLate: true)])]) == [
                0: ["large"], 1: ["small"],
            ]
        )
        #expect(try store.adopt([late(2, [found(path: "a.jpg", isLate: true)])]) == [0: ["small"]])
        #expect(try store.reader.files().map(\.path) == ["a.jpg"])
        #expect(try store.reader.counts()[.done] == 0)
    }
}
