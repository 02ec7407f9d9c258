import Nuke
import Testing

@Suite("API: prefetching", .timeLimit(.minutes(10)))
struct PrefetchingAPITests {
    @Test func imagePrefetcher() {
        sendable(ImagePrefetcher.self)
        let pipeline = ImagePipeline { $0.imageCache = nil }
        let all = [
            ImagePrefetcher(pipeline: pipeline), ImagePrefetcher(pipeline: pipeline, destination: .diskCache),
            ImagePrefetcher(pipeline: pipeline, maxConcurrentRequestCount: 3),
            ImagePrefetcher(pipeline: pipeline, destination: .memoryCache, maxConcurrentRequestCount: 3),
        ]
        let usual: () -> ImagePrefetcher = { ImagePrefetcher() }
        let toDisk: () -> ImagePrefetcher = { ImagePrefetcher(destination: .diskCache) }
        _ = (usual, toDisk)
        let isPaused: ReferenceWritableKeyPath<ImagePrefetcher, Bool> = \.isPaused
        let priority: ReferenceWritableKeyPath<ImagePrefetcher, ImageRequest.Priority> = \.priority
        let didComplete: ReferenceWritableKeyPath<ImagePrefetcher, (@MainActor @Sendable () -> Void)?> =
            \.didComplete
        let prefetcher = all[0]
        #expect(!prefetcher[keyPath: isPaused] && prefetcher[keyPath: priority] == .low)
        #expect(prefetcher[keyPath: didComplete] == nil)
        let startURLs: ([URL]) -> Void = prefetcher.startPrefetching(with:)
        let startRequests: ([ImageRequest]) -> Void = prefetcher.startPrefetching(with:)
        let stopURLs: ([URL]) -> Void = prefetcher.stopPrefetching(with:)
        let stopRequests: ([ImageRequest]) -> Void = prefetcher.stopPrefetching(with:)
        let stop: () -> Void = prefetcher.stopPrefetching
        prefetcher.isPaused = true
        startURLs([nowhere])
        startRequests(["http://h/a"])
        stopURLs([nowhere])
        stopRequests(["http://h/a"])
        stop()
        sendable(ImagePrefetcher.Destination.self)
        switch ImagePrefetcher.Destination.memoryCache {
        case .memoryCache, .diskCache: break
        }
        #expect(prefetcher.isPaused)
    }
}
