import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

// sample
/// Counts where images come from, and writes down what failed.
final class Monitor: ImagePipeline.Delegate {
    private let counts = Mutex<[String: Int]>([:])

    func imageTask(
        _ task: ImageTask,
        didReceiveEvent event: ImageTask.Event,
        pipeline: ImagePipeline
    ) {
        guard case .finished(let result) = event else { return }
        switch result {
        case .success(let response):
            let origin = response.cacheType.map { "\($0)" } ?? "network"
            counts.withLock { $0[origin, default: 0] += 1 }
        case .failure(let error):
            print("\(task.request): \(error)")
            counts.withLock { $0["failed", default: 0] += 1 }
        }
    }

    func count(_ origin: String) -> Int { counts.withLock { $0[origin] ?? 0 } }
}
// end

@Suite("Samples: monitoring", .timeLimit(.minutes(10)))
struct MonitoringSamples {
    @Test func transfers() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg?size=large")
        // sample
        let log = NetworkLog()
        var configuration = CurlDataLoader.Configuration()
        configuration.observer = log.observer
        let loader = log.watching(CurlDataLoader(configuration: configuration), reportsTransfers: true)
        // end
        let pipeline = ImagePipeline { $0.dataLoader = loader }
        _ = try await pipeline.data(for: url)
        // sample
        for entry in log.entries {
            print(entry.method, entry.url, entry.status ?? 0, entry.responseBodyBytes, entry.timings.total)
        }
        // end
        #expect(log.entries.map(\.status) == [200])
        #expect(log.entries.first?.url == server.address + "/photo.jpg?size=redacted")
    }

    @Test func diagnostics() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        let log = NetworkLog()
        var configuration = CurlDataLoader.Configuration()
        configuration.observer = log.observer
        let loader = CurlDataLoader(configuration: configuration)
        // sample
        let pipeline = ImagePipeline {
            $0.dataLoader = loader
            $0.isDiagnosticsEnabled = true
        }
        let task = pipeline.imageTask(with: url)
        _ = try await task.response
        if let metrics = task.metrics {
            print(metrics)
            let transfers = log.entries.filter { metrics.networkLogRequests.contains($0.request) }
            print(transfers.map(\.timings.total))
        }
        // end
        #expect(task.metrics?.networkLogRequests == log.entries.map(\.request))
        #expect(log.entries.count == 1)
    }

    @Test func archive() async throws {
        let server = try Photographs.server()
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: folder.path("log.har"))
        let log = NetworkLog()
        _ = try await ImagePipeline { $0.dataLoader = log.watching(DataLoader()) }.data(for: server.url("/a"))
        // sample
        try log.har(creator: "photos", version: "1.0").write(to: file)
        // end
        #expect(try String(contentsOf: file, encoding: .utf8).contains(server.address + "/a"))
    }

    @Test func anyLoader() async throws {
        let server = try Photographs.server()
        // sample
        var settings = NetworkLog.Configuration()
        settings.maxEntries = 10_000
        settings.redaction.headers = ["X-Api-Key"]
        settings.redaction.query = .values(of: ["signature"])
        let log = NetworkLog(configuration: settings)
        let pipeline = ImagePipeline {
            $0.dataLoader = log.watching(StreamingDataLoader())
        }
        // end
        _ = try await pipeline.data(for: server.url("/a?width=320&signature=1a2b"))
        #expect(log.entries.map(\.url) == [server.address + "/a?width=320&signature=redacted"])
    }

    @Test func delegate() async throws {
        let server = try Photographs.server()
        let (url, missing) = (server.url("/photo.jpg"), server.url("/missing"))
        // sample
        let monitor = Monitor()
        let pipeline = ImagePipeline(delegate: monitor) {
            $0.dataLoader = CurlDataLoader()
            $0.imageCache = ImageCache()
        }
        // end
        for url in [url, url, missing] { _ = try? await pipeline.image(for: url) }
        try await eventually { monitor.count("failed") != 0 }
        #expect(monitor.count("network") == 1)
        #expect(monitor.count("memory") == 1)
        #expect(monitor.count("failed") == 1)
    }
}
