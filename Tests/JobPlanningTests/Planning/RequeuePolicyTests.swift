import Files
import Imaging
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import SQLite
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

    /// Makes everything in the state so many hours older.
    private func age(_ job: PlannedJob, hours: Int) throws {
        let connection = try Connection(path: job.options.statePath(of: job.manifest))
        try connection.execute("UPDATE item SET updated_ms = updated_ms - \(hours * 3_600_000)")
    }

    @Test(
        "an answer that may change is asked for again after a while",
        arguments: [
            ("", [:]),
            (#", "retry": {"recheck": "31h"}"#, ["corrupt": 1, "http_400": 1, "http_404": 1, "tls": 1]),
            (#", "retry": {"recheck": "never"}"#, ["corrupt": 1, "http_400": 1, "http_404": 1, "tls": 1]),
        ]
    )
    func recheck(settings: String, left: [String: Int]) async throws {
        var job = try PlannedJob(items: 4, more: settings)
        let errors = ["http_404", "tls", "corrupt", "http_400"]
        try await job.run { store, item in try await job.fail(item, in: store, as: errors[item.ordinal - 1]) }
        func failures() throws -> [String: Int] {
            _ = try begin(job)
            let store = try job.open()
            defer { store.close() }
            return try store.reader.failures()
        }
        let all = Dictionary(uniqueKeysWithValues: errors.map { ($0, 1) })
        try age(job, hours: 22)
        #expect(try failures() == all)
        try age(job, hours: 7)
        job.options.isOffline = true
        #expect(try failures() == all, "nobody is asked offline")
        job.options.isOffline = false
        #expect(try failures() == left)
    }

    @Test("an item that failed before the clock was set back is asked for again at once")
    func clockSetBack() async throws {
        let job = try PlannedJob(items: 1)
        try await job.run { store, item in try await job.fail(item, in: store) }
        try age(job, hours: -1)
        _ = try begin(job)
        #expect(try counts(job)[.pending] == 1)
    }

    @Test(
        "items that failed because of a setting go back when it changes, and only they",
        arguments: [
            ("address", #", "network": {"allow": ["10.0.0.0/8"]}"#),
            ("scheme", #", "network": {"schemes": ["https"]}"#),
            ("limits", #", "limits": {"maxPixels": "400MP"}"#),
            ("limits", #", "limits": {"memory": "4GiB"}"#),
            ("too_large", #", "loading": {"maxBytes": "1GB"}"#),
            ("redirects", #", "loading": {"hosts": {"a.example": {"maxRedirects": 9}}}"#),
            ("http_401", #", "loading": {"auth": {"bearer": "new"}}"#),
            ("http_403", #", "loading": {"headers": {"X-Key": "new"}}"#),
        ]
    )
    func settings(error: String, change: String) async throws {
        var job = try PlannedJob(items: 2)
        _ = try begin(job)
        try await job.run { store, item in
            try await job.fail(item, in: store, as: item.ordinal == 1 ? error : "corrupt")
        }
        _ = try begin(job)
        #expect(try counts(job)[.failed] == 2)
        try job.write(PlannedJob.manifest((1...2).map { "https://a.example/\($0).jpg" }, more: change))
        try job.plan()
        _ = try begin(job)
        #expect(try counts(job)[.failed] == 1 && counts(job)[.pending] == 1)
        let state = try Connection(path: job.options.statePath(of: job.manifest), mode: .readOnly)
        let notes = try state.statement("SELECT name, value FROM note").rows {
            ($0["name"] as String, $0["value"] as String)
        }
        #expect(notes.count == 8)
        let secrets = notes.filter { ["credentials", "network"].contains($0.0) }
        #expect(secrets.count == 2 && secrets.allSatisfy { $0.1.utf8.count == 3 }, "no guess can be verified")
    }

    @Test("the formats that this program reads are noted, so that another decoder puts items back")
    func decoders() throws {
        let job = try PlannedJob(items: 1)
        _ = try begin(job)
        let state = try Connection(path: job.options.statePath(of: job.manifest), mode: .readOnly)
        let noted: [String] = try state.statement("SELECT value FROM note WHERE name = 'decoders'").scalars()
        let formats = [Version.current] + ImageDecoder.formats.map(\.rawValue).sorted()
        #expect(noted == [String(Digest.sha256.hex(of: formats.joined(separator: "\n")).prefix(8))])
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
            let skipped = OutputRecord(
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
