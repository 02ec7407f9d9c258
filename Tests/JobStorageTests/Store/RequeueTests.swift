import JobStorage
import SQLite
import TestSupport
import Testing

/// Finished items that get a new set of attempts though their manifest is the same.
@Suite(.timeLimit(.minutes(10))) struct RequeueTests {
    /// Six finished items: 1 to 3 done, 4 skipped as its file exists, 5 done from a file, 6 failed.
    private func finishedJob() async throws -> (TestJob, JobStore) {
        let job = try TestJob()
        let store = try job.open()
        var items = (1...6).map { row($0) }
        items[4].host = ""
        try store.plan(items)
        _ = try store.beginRun(version: "1")
        for item in try await store.claim(limit: 10) {
            var result = done(item)
            switch item.ordinal {
            case 2: result.outputs[0].encoder = "libjpeg-turbo 2.0.0"
            case 4: result = skippedAsExisting()
            case 6: result = ItemResult(.failed(error: "http_404", message: "gone"))
            default: break
            }
            try await store.record(result, of: item)
        }
        return (job, store)
    }

    private func skippedAsExisting() -> ItemResult {
        let output = OutputRecord(name: "small", recipe: small.recipe, state: .skipped, reason: "exists")
        return ItemResult(.skipped(reason: "exists"), outputs: [output])
    }

    private func pending(_ store: JobStore) throws -> [Int] {
        try store.reader.items(ItemFilter(states: [.pending])).map(\.ordinal)
    }

    @Test("finished items of hosts are revalidated; those of files and failed ones are not")
    func finished() async throws {
        let (job, store) = try await finishedJob()
        #expect(try store.requeueFinished() == 4)
        #expect(try pending(store) == [1, 2, 3, 4])
        #expect(try store.reader.counts()[.done] == 1 && store.reader.counts()[.failed] == 1)
        #expect(try job.integer("SELECT count(*) FROM output") == 5, "outputs stay on record")
        let item = try #require(try await store.claim(limit: 1).first)
        #expect(item.generation == 1 && item.attempts == 1 && item.originalSHA256 == originalHash)
        #expect(item.outputs.map(\.path) == ["small/1.jpg"])
    }

    @Test("failed items go back after a time, or when a setting that made them fail has changed")
    func failedAgain() async throws {
        let (job, store) = try await finishedJob()
        #expect(try store.requeueFailed(with: ["http_404"], unchangedFor: 3_600_000) == 0)
        #expect(try store.requeueFailed(with: [], unchangedFor: 0) == 0)
        #expect(try store.requeueFailed(with: ["tls"], unchangedFor: 0) == 0)
        #expect(try store.requeueFailed(with: ["http_404"], unchangedFor: 0) == 1)
        let item = try #require(try await store.claim(limit: 1).first)
        try await store.record(ItemResult(.failed(error: "limits", message: "large")), of: item)
        let one = FailureSetting(name: "limits", errors: ["limits"], value: "1")
        #expect(try store.requeueFailed(becauseOf: [one]) == 1, "nothing is known of the setting before")
        let again = try #require(try await store.claim(limit: 1).first)
        try await store.record(ItemResult(.failed(error: "limits", message: "large")), of: again)
        #expect(try store.requeueFailed(becauseOf: [one]) == 0)
        let other = FailureSetting(name: "limits", errors: ["limits"], value: "2")
        #expect(try store.requeueFailed(becauseOf: [other]) == 1)
        #expect(try job.integer("SELECT count(*) FROM note") == 1)
    }

    @Test("items that left the manifest stay as they are")
    func unlisted() async throws {
        let (_, store) = try await finishedJob()
        try store.plan([row(1)])
        #expect(try store.requeueFinished() == 1)
        #expect(try pending(store) == [1])
    }

    @Test("outputs of another encoder version are made again")
    func encoders() async throws {
        let (job, store) = try await finishedJob()
        #expect(try store.requeueOutputs(notBy: ["libjpeg-turbo 2.1.5", "libjpeg-turbo 2.0.0"]) == 0)
        #expect(try store.requeueOutputs(notBy: ["libjpeg-turbo 2.1.5", "libwebp 1.2.4"]) == 1)
        #expect(try pending(store) == [2])
        let outdated =
            "output JOIN recipe USING (recipe_id) WHERE recipe = '\(OutdatedReason.encoder.recipe)'"
        #expect(try job.integer("SELECT count(*) FROM \(outdated) AND encoder LIKE '%2.0.0'") == 1)
        #expect(try job.integer("SELECT count(*) FROM \(outdated)") == 1)
        #expect(try job.integer("SELECT count(*) FROM output") == 5, "it stays on record for its path")
    }

    @Test("skipped items are looked at again if they were skipped for one reason")
    func skipped() async throws {
        let (_, store) = try await finishedJob()
        #expect(try store.requeueSkipped(for: ["too_small"]) == 0)
        #expect(try store.requeueSkipped(for: ["exists"]) == 1)
        #expect(try pending(store) == [4])
        #expect(try store.requeueSkipped(for: ["exists"]) == 0)
    }

    @Test("single outputs are made again, and the item's other outputs stay")
    func outputs() async throws {
        let store = try TestJob().open()
        let large = OutputRecipe(source: 0, output: "large", recipe: "width 1024")
        try store.plan([row(1), row(2)], recipes: [small, large])
        _ = try store.beginRun(version: "1")
        try await store.finishAll([small, large])
        let first = try #require(try store.reader.items().first)
        try store.requeueOutputs([(first.itemID, "large"), (first.itemID, "missing")])
        #expect(try pending(store) == [1])
        let item = try #require(try await store.claim(limit: 5).first)
        let outdated = try #require(item.outputs.first { $0.name == "large" })
        #expect(outdated.recipe == OutdatedReason.missing.recipe && outdated.spec == nil)
        #expect(outdated.path == "large/1.jpg", "its file may be replaced, since it is the job's own")
        #expect(item.outputs.first { $0.name == "small" }?.recipe == small.recipe)
        // A running item loses the output, but keeps its attempts.
        try store.requeueOutputs([(first.itemID, "small")])
        #expect(try store.reader.counts()[.running] == 1)
        #expect(try store.reader.items().first?.generation == 1)
    }

    @Test("a requeued item has lost its error and message")
    func failed() async throws {
        let (_, store) = try await finishedJob()
        #expect(try store.requeueFailed() == 1)
        let item = try #require(try store.reader.items(ItemFilter(states: [.pending])).first)
        #expect(item.ordinal == 6 && item.error == nil && item.message == nil)
        #expect(item.attempts == 0 && item.generation == 1)
    }
}
