public import Foundation
import Synchronization

/// Fetches images into a cache before they are needed.
///
/// Safe to use from any thread. Releasing it cancels the remaining requests.
public final class ImagePrefetcher: Sendable {
    /// The cache that images are fetched into.
    public enum Destination: Sendable {
        /// The image cache: images are loaded, decoded and processed.
        case memoryCache
        /// The data cache: data is loaded and stored by the pipeline's policy, not decoded.
        case diskCache
    }

    private struct Settings {
        var priority = ImageRequest.Priority.low
        var didComplete: (@MainActor @Sendable () -> Void)?
        var didFinish: (@Sendable (ImageRequest, Result<Void, ImagePipeline.Error>) -> Void)?
    }

    /// The requests that are not over yet.
    private struct Outstanding {
        var prefetches: [ImageKey: Prefetch] = [:]
        /// The calls that have requests still to add: what has ended meanwhile was not the last.
        var starts = 0
        /// The number of calls that stopped everything.
        var stops = 0

        var isEmpty: Bool { prefetches.isEmpty && starts == 0 }
    }

    private let settings = Mutex(Settings())
    private let outstanding = Mutex(Outstanding())
    private let pipeline: ImagePipeline
    private let destination: Destination
    private let queue: OperationQueue

    /// Creates a prefetcher that fetches at most `maxConcurrentRequestCount` images at once.
    public init(
        pipeline: ImagePipeline = ImagePipeline.shared,
        destination: Destination = .memoryCache,
        maxConcurrentRequestCount: Int = 2
    ) {
        self.pipeline = pipeline
        self.destination = destination
        queue = OperationQueue()
        queue.name = "com.github.kean.Nuke.ImagePrefetcher"
        queue.maxConcurrentOperationCount = maxConcurrentRequestCount
    }

    deinit {
        for prefetch in outstanding.withLock({ Array($0.prefetches.values) }) { prefetch.cancel() }
    }

    /// True if no new request starts; running ones continue.
    public var isPaused: Bool {
        get { queue.isSuspended }
        set { queue.isSuspended = newValue }
    }

    /// The priority of all its requests, instead of their own: low by default; a change takes effect at once.
    public var priority: ImageRequest.Priority {
        get { settings.withLock { $0.priority } }
        set {
            settings.withLock { $0.priority = newValue }
            for prefetch in outstanding.withLock({ Array($0.prefetches.values) }) {
                prefetch.setPriority(newValue)
            }
        }
    }

    /// Called whenever no request is left, also if everything was cached already; not after
    /// `stopPrefetching()`.
    public var didComplete: (@MainActor @Sendable () -> Void)? {
        get { settings.withLock { $0.didComplete } }
        set { settings.withLock { $0.didComplete = newValue } }
    }

    /// Called with the result of each request, on an unspecified thread; not for requests that
    /// were stopped or are already running.
    public var didFinish: (@Sendable (ImageRequest, Result<Void, ImagePipeline.Error>) -> Void)? {
        get { settings.withLock { $0.didFinish } }
        set { settings.withLock { $0.didFinish = newValue } }
    }

    /// Starts fetching the images at `urls`.
    public func startPrefetching(with urls: [URL]) {
        startPrefetching(with: urls.map { ImageRequest(url: $0) })
    }

    /// Starts fetching the images of `requests`, except those that are in memory or already running.
    public func startPrefetching(with requests: [ImageRequest]) {
        outstanding.withLock { $0.starts += 1 }
        for request in requests { start(request) }
        let isComplete = outstanding.withLock { outstanding in
            outstanding.starts -= 1
            return outstanding.isEmpty
        }
        if isComplete { reportCompletion() }
    }

    /// Stops fetching the images at `urls`.
    public func stopPrefetching(with urls: [URL]) {
        stopPrefetching(with: urls.map { ImageRequest(url: $0) })
    }

    /// Stops fetching the images of `requests`; the work continues while other requests need it.
    public func stopPrefetching(with requests: [ImageRequest]) {
        var isComplete = false
        for request in requests {
            let key = ImageKey(request, unique: nil)
            let stopped = outstanding.withLock { outstanding in
                outstanding.prefetches.removeValue(forKey: key).map { ($0, isLast: outstanding.isEmpty) }
            }
            guard let (prefetch, isLast) = stopped else { continue }
            prefetch.cancel()
            isComplete = isComplete || isLast
        }
        if isComplete { reportCompletion() }
    }

    /// Stops fetching all images.
    public func stopPrefetching() {
        let stopped = outstanding.withLock { outstanding in
            outstanding.stops += 1
            return exchange(&outstanding.prefetches, with: [:])
        }
        for prefetch in stopped.values { prefetch.cancel() }
    }

    private func start(_ request: ImageRequest) {
        let key = ImageKey(request, unique: nil)
        var request = request
        request.priority = priority
        if let image = pipeline.cache.memoryImage(for: request), !image.isPreview {
            didFinish?(request, .success(()))
            return
        }
        let new: Prefetch? = outstanding.withLock { outstanding in
            guard outstanding.prefetches[key] == nil else { return nil }
            // Here, so that no change of the priority passes the prefetch by: a later one finds it there.
            request.priority = priority
            let prefetch = Prefetch(request, in: pipeline, to: destination)
            outstanding.prefetches[key] = prefetch
            return prefetch
        }
        guard let prefetch = new else { return }
        prefetch.begin(in: queue) { [weak self] result in self?.finish(key, prefetch, with: result) }
    }

    private func finish(_ key: ImageKey, _ prefetch: Prefetch, with result: Result<Void, ImagePipeline.Error>)
    {
        let isLast: Bool? = outstanding.withLock { outstanding in
            guard outstanding.prefetches[key] === prefetch else { return nil }
            outstanding.prefetches[key] = nil
            return outstanding.isEmpty
        }
        guard let isLast else { return }
        didFinish?(prefetch.request, result)
        if isLast { reportCompletion() }
    }

    private func reportCompletion() {
        guard let didComplete else { return }
        let stops = outstanding.withLock { $0.stops }
        Task { @MainActor [weak self] in
            // Everything may have been stopped before the main actor had its turn.
            if let now = self?.outstanding.withLock({ $0.stops }), now != stops { return }
            didComplete()
        }
    }
}
