import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

@Suite("Samples: prefetching", .timeLimit(.minutes(10)))
struct PrefetchingSamples {
    private final class Report: Sendable {
        private let lines = Mutex<[String]>([])
        private let isOver = Mutex(false)

        func add(_ line: String) { lines.withLock { $0.append(line) } }
        func end() { isOver.withLock { $0 = true } }
        func all() async throws -> [String] {
            try await eventually { isOver.withLock({ $0 }) }
            return lines.withLock { $0 }
        }
    }

    private func makePipeline() -> ImagePipeline {
        ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.imageCache = ImageCache()
        }
    }

    @Test func results() async throws {
        let server = try Photographs.server()
        let urls = [server.url("/a"), server.url("/b"), server.url("/missing")]
        let pipeline = makePipeline()
        let report = Report()
        // sample
        let prefetcher = ImagePrefetcher(pipeline: pipeline, maxConcurrentRequestCount: 4)
        prefetcher.didFinish = { request, result in
            if case .failure(let error) = result { report.add("\(request): \(error)") }
        }
        prefetcher.didComplete = { report.end() }
        prefetcher.startPrefetching(with: urls)
        // end
        let lines = try await report.all()
        #expect(lines.count == 1)
        #expect(lines.first?.contains("404") == true)
        #expect(pipeline.cache[urls[0]] != nil && pipeline.cache[urls[1]] != nil)
    }

    @Test func warmsADiskCache() async throws {
        let server = try Photographs.server()
        let urls = (0..<5).map { server.url("/\($0)") }
        let report = Report()
        defer { remove("com.example.warm") }
        // sample
        let pipeline = ImagePipeline(configuration: .forServer(name: "com.example.warm"))
        let prefetcher = ImagePrefetcher(
            pipeline: pipeline,
            destination: .diskCache,
            maxConcurrentRequestCount: 16
        )
        // end
        prefetcher.didComplete = { report.end() }
        prefetcher.startPrefetching(with: urls)
        _ = try await report.all()
        #expect(urls.allSatisfy { pipeline.cache.containsData(for: ImageRequest(url: $0)) })
        (pipeline.configuration.dataCache as? DataCache)?.close()
    }

    @Test func list() async throws {
        let server = try Photographs.server()
        let urls = (0..<20).map { server.url("/\($0)") }
        let pipeline = makePipeline()
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let report = Report()
        prefetcher.didComplete = { report.end() }
        // sample
        func thumbnails(_ rows: Range<Int>) -> [ImageRequest] {
            rows.map { ImageRequest(url: urls[$0], processors: [.resize(width: 80)]) }
        }

        func willShow(_ rows: Range<Int>) { prefetcher.startPrefetching(with: thumbnails(rows)) }
        func isGone(_ rows: Range<Int>) { prefetcher.stopPrefetching(with: thumbnails(rows)) }
        // end
        prefetcher.isPaused = true
        willShow(0..<20)
        isGone(5..<20)
        prefetcher.isPaused = false
        _ = try await report.all()
        #expect(thumbnails(0..<5).allSatisfy { pipeline.cache[$0]?.image.width == 80 })
        #expect(server.requests.count == 5)
    }

    @Test func pausing() {
        let prefetcher = ImagePrefetcher(pipeline: makePipeline())
        // sample
        prefetcher.isPaused = true
        prefetcher.priority = .veryLow
        prefetcher.isPaused = false
        // end
        #expect(prefetcher.priority == .veryLow)
        #expect(!prefetcher.isPaused)
    }
}
