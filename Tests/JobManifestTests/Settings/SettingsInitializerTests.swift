import Imaging
import JobManifest
import Testing

/// Settings are made with all their values at once, and what is left out has its default.
struct SettingsInitializerTests {
    @Test func loading() {
        #expect(LoadingSettings(concurrency: 16) == LoadingSettings())
        let made = LoadingSettings(
            concurrency: 3,
            perHost: 2,
            rate: Rate(count: 5, seconds: 60),
            burst: 4,
            timeout: .seconds(1),
            connectTimeout: .seconds(2),
            totalTimeout: .seconds(3),
            maxRedirects: 1,
            maxBytes: 1000,
            bandwidth: 500,
            method: .head,
            headers: ["A": "b"],
            userAgent: "me",
            authorization: nil,
            hosts: ["h": LoadingSettings(burst: 9)]
        )
        var set = LoadingSettings()
        (set.concurrency, set.perHost, set.rate, set.burst) = (3, 2, Rate(count: 5, seconds: 60), 4)
        (set.timeout, set.connectTimeout, set.totalTimeout) = (.seconds(1), .seconds(2), .seconds(3))
        (set.maxRedirects, set.maxBytes, set.bandwidth, set.method) = (1, 1000, 500, .head)
        (set.headers, set.userAgent) = (["A": "b"], "me")
        var host = LoadingSettings()
        host.burst = 9
        set.hosts = ["h": host]
        #expect(made == set)
    }

    @Test func others() {
        #expect(RetrySettings(attempts: 4) == RetrySettings())
        var retry = RetrySettings()
        (retry.attempts, retry.statuses, retry.recheck) = (2, [500], .never)
        #expect(RetrySettings(attempts: 2, statuses: [500], recheck: .never) == retry)

        #expect(CacheSettings(maxAge: nil) == CacheSettings())
        var cache = CacheSettings()
        (cache.directory, cache.policy, cache.maxAge) = ("/c", .none, .seconds(5))
        #expect(CacheSettings(directory: "/c", policy: .none, maxAge: .seconds(5)) == cache)

        #expect(LimitSettings(maxDuration: nil) == LimitSettings())
        var limits = LimitSettings()
        (limits.memory, limits.maxPixels) = (1, 2)
        #expect(LimitSettings(memory: 1, maxPixels: 2) == limits)

        #expect(NetworkSettings(allow: []) == NetworkSettings())
        var network = NetworkSettings()
        (network.schemes, network.proxy, network.fileRoots) = (["https"], .environment, ["/a"])
        #expect(NetworkSettings(schemes: ["https"], fileRoots: ["/a"], proxy: .environment) == network)

        var storage = StorageSettings()
        (storage.s3.region, storage.s3.isAnonymous) = ("eu-west-1", true)
        #expect(StorageSettings(s3: S3Settings(region: "eu-west-1", isAnonymous: true)) == storage)

        var dataset = DatasetSettings()
        (dataset.pack, dataset.itemsPerFile) = (.tar, 10)
        #expect(DatasetSettings(pack: .tar, itemsPerFile: 10) == dataset)
        #expect(DatasetSettings(index: nil) == DatasetSettings())
    }

    @Test func outputs() {
        let standard = ManifestOutput()
        let made = ManifestOutput(
            widths: [1, 2],
            markup: ManifestOutput.Markup(file: "a.json", alt: "title"),
            existing: .keep,
            onCollision: .first,
            metadata: .keep,
            condition: OutputCondition(minWidth: 5, types: [.jpeg]),
            object: ObjectSettings(cacheControl: "no-store")
        )
        #expect((standard.existing, standard.onCollision) == (.replace, .fail) && standard.metadata == .strip)
        #expect((made.existing, made.onCollision) == (.keep, .first) && made.metadata == .keep)
        #expect(made.widths == [1, 2] && made.markup?.alt == "title" && made.markup?.sizes == nil)
        #expect(made.condition.minWidth == 5 && made.condition.types == [.jpeg])
        #expect(made.object.cacheControl == "no-store" && made.background == standard.background)
        #expect(OutputCondition(minHeight: nil) == OutputCondition())
    }
}
