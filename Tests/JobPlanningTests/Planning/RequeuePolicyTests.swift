import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import Testing

@Suite struct RequeuePolicyTests {
    private func counts(_ job: PlannedJob) throws -> JobCounts {
        let store = try job.open()
        defer { store.close() }
        return try store.reader.counts()
    }

    /// Puts back what a run of `job` would, and returns how many finished items that were.
    private func begin(_ job: PlannedJob) throws -> Int {
        let store = try job.open()
        defer { store.close() }
        let manifest = try job.options.applied(to: job.manifest)
        return try RequeuePolicy(manifest, options: job.options, store: store).begin()
    }

    @Test("failures of retryable classes go back, permanent ones stay")
    func failures() async throws {
        let job = try PlannedJob(items: 7)
        let errors = ["timeout", "http_503", "http_404", "offline", "corrupt", "host_down"]
        try await job.run { store, item in
            if item.ordinal <= errors.count {
                try await job.fail(item, in: store, as: errors[item.ordinal - 1])
            } else {
                try await job.finish(item, in: store)
            }
        }
        #expect(try begin(job) == 0)
        let counts = try counts(job)
        #expect(counts[.pending] == 4 && counts[.failed] == 2 && counts[.done] == 1)
        let store = try job.open()
        defer { store.close() }
        #expect(try store.reader.failures() == ["http_404": 1, "corrupt": 1])
    }

    @Test("the statuses of the manifest decide, not the usual ones")
    func statuses() async throws {
        let job = try PlannedJob(items: 2, more: #", "retry": {"statuses": [404]}"#)
        try await job.run { store, item in
            try await job.fail(item, in: store, as: item.ordinal == 1 ? "http_404" : "http_503")
        }
        _ = try begin(job)
        let store = try job.open()
        defer { store.close() }
        #expect(try store.reader.failures() == ["http_503": 1])
    }

    @Test("finished items stay unless origins are to be asked")
    func revalidation() async throws {
        var job = try PlannedJob(items: 3)
        try await job.run { store, item in try await job.finish(item, in: store) }
        #expect(try begin(job) == 0 && counts(job)[.done] == 3)
        job.options.isRevalidating = true
        job.options.isOffline = true
        #expect(try begin(job) == 0, "nobody is asked offline")
        job.options.isOffline = false
        #expect(try begin(job) == 3 && counts(job)[.pending] == 3)
    }

    @Test("an interrupted round of revalidation is finished before the next begins")
    func rounds() async throws {
        var job = try PlannedJob(items: 3)
        job.options.isRevalidating = true
        try await job.run { store, item in
            if item.ordinal > 1 {
                try await job.finish(item, in: store)
            } else {
                try await store.putBack(item)
            }
        }
        #expect(try begin(job) == 0 && counts(job)[.done] == 2)
        try await job.run { store, item in try await job.finish(item, in: store) }
        #expect(try begin(job) == 3)
    }

    @Test("outputs of another encoder go back only when asked for")
    func encoders() async throws {
        var job = try PlannedJob(items: 2)
        try await job.run { store, item in
            try await store.record(try job.done(item, encoder: "an older one 1.0"), of: item)
        }
        #expect(try begin(job) == 0)
        job.options.refreshesEncoders = true
        #expect(try begin(job) == 2 && counts(job)[.pending] == 2)
    }

    @Test("items that were left out by their origin's wish go back once the manifest does not heed it")
    func optOut() async throws {
        let job = try PlannedJob(items: 2)
        try await job.run { store, item in
            let output = try #require(job.manifest.outputs.first)
            let reason = item.ordinal == 1 ? Manifest.optOut : "exists"
            let skipped = OutputResult(
                name: output.name,
                recipe: job.manifest.digest(of: output, source: 0),
                state: .skipped,
                reason: reason
            )
            try await store.record(ItemResult(.skipped(reason: reason), outputs: [skipped]), of: item)
        }
        #expect(try begin(job) == 1)
        let counts = try counts(job)
        #expect(counts[.pending] == 1 && counts[.skipped] == 1)
    }
}
