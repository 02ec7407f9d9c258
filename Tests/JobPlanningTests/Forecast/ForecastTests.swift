import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import TestSupport
import Testing

@Suite struct ForecastTests {
    private func forecast(_ job: PlannedJob) async throws -> Forecast {
        try await Forecast(manifest: job.manifest, options: job.options)
    }

    @Test("of a job that was never run everything is new, and no state is left behind")
    func never() async throws {
        let folder = try ManifestFolder()
        let manifest = try folder.read(PlannedJob.manifest((1...5).map { "https://a.example/\($0).jpg" }))
        var listed: [String] = []
        let forecast = try await Forecast(manifest: manifest) {
            listed.append("\($0.listing.url) \($0.reasons.map(\.text))")
        }
        #expect(forecast.items == 5 && forecast.new == 5 && forecast.changed == 0)
        #expect(forecast.done == 0 && forecast.failed == 0 && forecast.duplicates == 0)
        #expect(forecast.outputs.make == 5 && forecast.outputs.keep == 0 && forecast.outputs.prune == 0)
        #expect(forecast.originals.load == 5 && forecast.originals.use == 0)
        #expect(forecast.originals.loadBytes == nil, "nothing was loaded yet")
        #expect(listed == (1...5).map { "https://a.example/\($0).jpg [\"new\"]" })
        #expect(forecast.reasons.map { [$0.items, $0.outputs] } == [[5, 5]])
        #expect(!FileManager.default.fileExists(atPath: RunOptions().statePath(of: manifest)))
    }

    @Test("done, failed and new items, and outputs that are kept, made and orphaned")
    func counts() async throws {
        var job = try PlannedJob(items: 4)
        try await job.run { store, item in
            if item.ordinal == 2 {
                try await job.fail(item, in: store)
            } else {
                try await job.finish(item, in: store)
            }
        }
        let same = try await forecast(job)
        #expect(same.items == 4 && same.new == 0 && same.changed == 0)
        #expect(same.done == 3 && same.failed == 1)
        #expect(same.outputs.make == 0 && same.outputs.keep == 3 && same.outputs.prune == 0)
        // The first leaves, two are new.
        try job.write(PlannedJob.manifest((2...6).map { "https://a.example/\($0).jpg" }))
        let moved = try await forecast(job)
        #expect(moved.items == 5 && moved.new == 2)
        #expect(moved.outputs.prune >= 1 && moved.originals.load >= 2)
        let store = try job.open()
        defer { store.close() }
        #expect(try store.reader.counts().total == 4, "the state stays as it is")
    }

    @Test("another recipe changes all that is done")
    func changed() async throws {
        var job = try PlannedJob(items: 3)
        try await job.run { store, item in try await job.finish(item, in: store) }
        try job.write(
            PlannedJob.manifest((1...3).map { "https://a.example/\($0).jpg" })
                .replacing("\"jpeg\"", with: "{\"jpeg\": {\"quality\": 40}}")
        )
        let forecast = try await forecast(job)
        #expect(forecast.changed == 3 && forecast.new == 0 && forecast.outputs.make == 3)
        #expect(forecast.outputs.keep == 0)
        #expect(forecast.reasons.map(\.text) == ["format changed: small"])
        #expect(forecast.reasons.map(\.settings) == [["format"]] && forecast.reasons.map(\.outputs) == [3])
    }

    @Test("reasons are sorted by the work, then by their words, and add up to the outputs to make")
    func reasons() async throws {
        let urls = (1...9).map { "https://a.example/\($0).jpg" }
        var job = try PlannedJob(PlannedJob.manifest(urls))
        let errors = [1: "timeout", 2: "http_503", 3: "http_503", 4: "http_404"]
        try await job.run { store, item in
            if let error = errors[item.ordinal] {
                try await job.fail(item, in: store, as: error)
            } else if item.ordinal < 8 {
                try await job.finish(item, in: store)
            } else {
                try await store.putBack(item)
            }
        }
        try job.write(
            PlannedJob.manifest(urls + ["https://a.example/10.jpg"]).replacing(
                #""outputs": ["#,
                with:
                    #""outputs": [{"name": "tiny", "processors": [{"resize": {"width": 9}}], "path": "{index}.{ext}"}, "#
            )
        )
        let forecast = try await forecast(job)
        #expect(
            forecast.reasons.map { "\($0.outputs) of \($0.items): \($0.text)" } == [
                "4 of 2: failed, retried by every run: http_503", "4 of 2: not finished by an earlier run",
                "3 of 3: new output: tiny", "2 of 1: failed, retried by every run: timeout", "2 of 1: new",
            ]
        )
        #expect(forecast.reasons.reduce(0) { $0 + $1.outputs } == forecast.outputs.make)
        #expect(forecast.failed == 4, "http_404 is not due yet, and has no reason")
    }

    @Test("retryable failures are counted as failed and are made again")
    func retryable() async throws {
        let job = try PlannedJob(items: 2)
        try await job.run { store, item in
            try await job.fail(item, in: store, as: item.ordinal == 1 ? "timeout" : "http_404")
        }
        let forecast = try await forecast(job)
        #expect(forecast.failed == 2 && forecast.outputs.make == 1 && forecast.originals.load == 1)
    }

    @Test("the bytes to load are the mean of what was loaded; offline nothing is")
    func bytes() async throws {
        var job = try PlannedJob(items: 6)
        try await job.run { store, item in
            // 1,000 to 4,000 bytes; two are left.
            if item.ordinal <= 4 {
                try await job.finish(item, in: store)
            } else {
                try await store.putBack(item)
            }
        }
        let online = try await forecast(job)
        #expect(online.originals.load == 2 && online.originals.loadBytes == 5000)
        job.options.isOffline = true
        let offline = try await forecast(job)
        #expect(offline.originals.loadBytes == 0 && offline.originals.seconds == 0)
    }

    @Test("the slowest host's rate decides how long it takes, beyond its burst")
    func seconds() async throws {
        let urls = (1...30).map { "https://\($0 <= 20 ? "a" : "b").example/\($0).jpg" }
        let more = """
            , "loading": {"rate": "10/s", "burst": 1, "hosts": {"b.example": {"rate": "1/s", "burst": 2}}}
            """
        let job = try PlannedJob(PlannedJob.manifest(urls, more: more))
        // a: (20 - 1) / 10 s; b: (10 - 2) / 1 s.
        #expect(abs(try await forecast(job).originals.seconds - 8) < 0.001)
        let store = try job.open()
        try await store.save([
            HostRecord(name: "a.example", rate: 0.5), HostRecord(name: "b.example", rate: 50),
        ])
        store.close()
        // A learned rate slows a host down, and is never above the limit.
        #expect(abs(try await forecast(job).originals.seconds - 38) < 0.001)
    }

    @Test("files are read where they are and not loaded")
    func files() async throws {
        let folder = try ManifestFolder()
        try folder.folder.write("a", to: "photos/1.jpg")
        try folder.folder.write("b", to: "photos/2.jpg")
        let manifest = try folder.read(
            #"{"sources": [{"files": "photos/*.jpg"}], "cache": {"directory": "cache"}}"#
        )
        let forecast = try await Forecast(manifest: manifest)
        #expect(
            forecast.originals.use == 2 && forecast.originals.load == 0 && forecast.originals.seconds == 0
        )
        #expect(!FileManager.default.fileExists(atPath: folder.folder.path("cache")), "no cache is made")
    }

    @Test("JSON has the documented keys and leaves warnings out")
    func json() async throws {
        let text = try JSONEncoder().encode(try await forecast(try PlannedJob(items: 1)))
        let object = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
        #expect(
            object.keys.sorted() == [
                "changed", "done", "duplicates", "failed", "items", "new", "originals", "outputs",
                "reasons",
            ]
        )
        let originals = try #require(object["originals"] as? [String: Any])
        #expect(originals.keys.sorted() == ["load", "loadBytes", "missing", "revalidate", "seconds", "use"])
        #expect(originals["loadBytes"] is NSNull)
        let reason = try #require((object["reasons"] as? [[String: Any]])?.first)
        #expect(reason.keys.sorted() == ["error", "items", "output", "outputs", "reason", "settings"])
        #expect(reason["reason"] as? String == "unfinished" && reason["error"] is NSNull)
    }
}
