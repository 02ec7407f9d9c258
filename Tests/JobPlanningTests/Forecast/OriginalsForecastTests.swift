import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import Originals
import Testing

@Suite struct OriginalsForecastTests {
    /// A job of three items, of which the cache has the first two.
    private func cachedJob(_ more: String = "", size: Int = 100) async throws -> PlannedJob {
        let urls = (1...3).map { "https://a.example/\($0).jpg" }
        let job = try PlannedJob(
            PlannedJob.manifest(urls).replacing(
                #""directory": "cache""#,
                with: #""directory": "cache"\#(more)"#
            )
        )
        let folder = URL(fileURLWithPath: job.manifest.cache.directory, isDirectory: true)
        let cache = try DataCache(path: folder)
        for url in urls.prefix(2) {
            cache.storeData(
                Data(repeating: 7, count: size),
                for: job.manifest.cacheKey(of: url, headers: [:])
            )
        }
        cache.flush()
        cache.close()
        return job
    }

    private func originals(_ job: PlannedJob) async throws -> OriginalsForecast.Originals {
        try await Forecast(manifest: job.manifest, options: job.options).originals
    }

    @Test("what the cache has is used, the rest is loaded")
    func cached() async throws {
        let originals = try await originals(try await cachedJob())
        #expect(originals.use == 2 && originals.load == 1 && originals.revalidate == 0)
    }

    @Test("what must be revalidated is counted apart, and not offline")
    func revalidation() async throws {
        var job = try await cachedJob(#", "revalidate": "always""#)
        let asked = try await originals(job)
        #expect(asked.revalidate == 2 && asked.use == 0 && asked.load == 1)
        job.options.isOffline = true
        let offline = try await originals(job)
        #expect(offline.revalidate == 0 && offline.use == 2 && offline.load == 1)
    }

    @Test(
        "the time of the slowest host is that of its own rate, also of an IPv6 address with a port",
        arguments: ["http://[::1]:8080", "http://a.example:8080", "http://a.example"]
    )
    func time(host: String) async throws {
        let hosts = #"{"::1": {"rate": "1/s", "burst": 1}, "a.example": {"rate": "1/s", "burst": 1}}"#
        let urls = (1...4).map { "\(host)/\($0).jpg" }
        let job = try PlannedJob(PlannedJob.manifest(urls, more: #", "loading": {"hosts": \#(hosts)}"#))
        #expect(try await originals(job).seconds == 3)
    }

    @Test("a cache that is switched off is not looked into")
    func policy() async throws {
        let originals = try await originals(try await cachedJob(#", "policy": "none""#))
        #expect(originals.load == 3 && originals.use == 0)
    }

    @Test("warming more than the cache holds is warned of, with the figures")
    func warning() async throws {
        var job = try PlannedJob(
            PlannedJob.manifest((1...9).map { "https://a.example/\($0).jpg" }).replacing(
                #""directory": "cache""#,
                with: #""directory": "cache", "sizeLimit": "10KB""#
            )
        )
        try await job.run { store, item in
            if item.ordinal <= 4 {
                try await job.finish(item, in: store)
            } else {
                try await store.putBack(item)
            }
        }
        let outputs = try await Forecast(manifest: job.manifest)
        #expect(outputs.originals.loadBytes == 12_500)
        #expect(!outputs.warnings.contains { $0.contains("cache.sizeLimit") }, "outputs pin nothing")
        job.options.isWarming = true
        let warming = try await Forecast(manifest: job.manifest, options: job.options)
        let warning = try #require(warming.warnings.first { $0.contains("cache.sizeLimit (10.0 kB)") })
        #expect(warning.hasSuffix("raise cache.sizeLimit"))
    }
}
