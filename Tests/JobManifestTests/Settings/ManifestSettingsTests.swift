import Imaging
import JobManifest
import Testing

/// Settings are made by what differs from their defaults.
struct ManifestSettingsTests {
    @Test func changes() {
        #expect(LoadingSettings { _ in } == LoadingSettings())
        let made = LoadingSettings {
            ($0.concurrency, $0.method, $0.userAgent) = (3, .head, "me")
            $0.hosts = ["h": LoadingSettings { $0.burst = 9 }]
        }
        var set = LoadingSettings()
        (set.concurrency, set.method, set.userAgent) = (3, .head, "me")
        var host = LoadingSettings()
        host.burst = 9
        set.hosts = ["h": host]
        #expect(made == set && made != LoadingSettings())
    }

    @Test("a rate that is set is chosen, so that it holds for buckets too")
    func choices() {
        #expect(LoadingSettings { $0.rate = Rate(count: 5, seconds: 1) }.ofBuckets.rate.count == 5)
        #expect(LoadingSettings { $0.burst = 5 }.ofBuckets.rate.count == 3000)
        #expect(LoadingSettings { $0.perHost = 2 }.ofBuckets.perHost == 2)
    }

    @Test func everySettings() {
        #expect(RetrySettings { $0.recheck = .never }.recheck == .never)
        #expect(CacheSettings { $0.directory = "/c" }.directory == "/c")
        #expect(LimitSettings { $0.memory = 1 }.memory == 1)
        #expect(NetworkSettings { $0.proxy = .environment }.proxy == .environment)
        #expect(StorageSettings { $0.s3.region = "eu-west-1" }.s3 == S3Settings { $0.region = "eu-west-1" })
        #expect(DatasetSettings { $0.pack = .tar }.pack == .tar)
        #expect(AnimationBounds { $0.maxFrames = 7 }.maxFrames == 7)
    }

    @Test func outputs() {
        let standard = ManifestOutput()
        let made = ManifestOutput(name: "small") {
            $0.widths = [1, 2]
            $0.markup = ManifestOutput.Markup(file: "a.json", alt: "title")
            ($0.existing, $0.onCollision, $0.metadata) = (.keep, .first, .keep)
            $0.condition = OutputCondition { ($0.minWidth, $0.types) = (5, [.jpeg]) }
            $0.object = ObjectSettings { $0.cacheControl = "no-store" }
        }
        #expect((standard.existing, standard.onCollision) == (.replace, .fail) && standard.metadata == .strip)
        #expect((made.existing, made.onCollision) == (.keep, .first) && made.metadata == .keep)
        #expect(made.name == "small" && made.widths == [1, 2])
        #expect(made.markup?.alt == "title" && made.markup?.sizes == nil)
        #expect(made.condition.minWidth == 5 && made.condition.types == [.jpeg])
        #expect(made.object.cacheControl == "no-store" && made.background == standard.background)
    }
}
