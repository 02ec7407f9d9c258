public import Foundation
import Synchronization

/// Brings images into a cache before they are wanted.
///
/// May be used from any thread. What is still on its way is cancelled when it is dropped.
public final class ImagePrefetcher: Sendable {
    /// Where images are brought.
    public enum Destination: Sendable {
        /// The image cache: they are loaded, decoded and processed.
        case memoryCache
        /// The data cache: they are only loaded, and kept as the pipeline's policy says.
        case diskCache
    }

    private struct Settings {
        var priority = ImageRequest.Priority.low
        var didComplete: (@MainActor @Sendable () -> Void)?
        var didFinish: (@Sendable (ImageRequest, Result<Void, ImagePipeline.Error>) -> Void)?
    }

    private let settings = Mutex(Settings())
    private let outstanding = Mutex<[ImageKey: Prefetch]>([:])
    private let pipeline: ImagePipeline
    private let destination: Destination
    private let queue: OperationQueue

    /// A prefetcher for a pipeline, which brings so many images at once.
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
        for prefetch in outstanding.withLock({ Array($0.values) }) { prefetch.cancel() }
    }

    /// Whether nothing new begins; what is on its way goes on.
    public var isPaused: Bool {
        get { queue.isSuspended }
        set { queue.isSuspended = newValue }
    }

    /// The priority of all its requests, in place of their own; low unless set, and a change acts at once.
    public var priority: ImageRequest.Priority {
        get { settings.withLock { $0.priority } }
        set {
            settings.withLock { $0.priority = newValue }
            for prefetch in outstanding.withLock({ Array($0.values) }) { prefetch.setPriority(newValue) }
        }
    }

    /// Called each time that nothing is left to be brought, also where everything was there already; not after
    /// `stopPrefetching()`.
    public var didComplete: (@MainActor @Sendable () -> Void)? {
        get { settings.withLock { $0.didComplete } }
        set { settings.withLock { $0.didComplete = newValue } }
    }

    /// Called for each request when its image is there or could not be brought, on no certain thread; not for those that
    /// were stopped, or that are being brought already.
    public var didFinish: (@Sendable (ImageRequest, Result<Void, ImagePipeline.Error>) -> Void)? {
        get { settings.withLock { $0.didFinish } }
        set { settings.withLock { $0.didFinish = newValue } }
    }

    /// Begins to bring the images at `urls`.
    public func startPrefetching(with urls: [URL]) {
        startPrefetching(with: urls.map { ImageRequest(url: $0) })
    }

    /// Begins to bring the images of `requests`, but those that are in memory or on their way.
    public func startPrefetching(with requests: [ImageRequest]) {
        for request in requests { start(request) }
        tellIfComplete()
    }

    /// Stops to bring the images at `urls`.
    public func stopPrefetching(with urls: [URL]) {
        stopPrefetching(with: urls.map { ImageRequest(url: $0) })
    }

    /// Stops to bring the images of `requests`; the work goes on where others want it.
    public func stopPrefetching(with requests: [ImageRequest]) {
        var isAnyStopped = false
        for request in requests {
            let prefetch = outstanding.withLock { $0.removeValue(forKey: ImageKey(request, unique: nil)) }
            prefetch?.cancel()
            isAnyStopped = isAnyStopped || prefetch != nil
        }
        if isAnyStopped { tellIfComplete() }
    }

    /// Stops to bring any image.
    public func stopPrefetching() {
        let stopped = outstanding.withLock { outstanding in
            defer { outstanding = [:] }
            return Array(outstanding.values)
        }
        for prefetch in stopped { prefetch.cancel() }
    }

    private func start(_ request: ImageRequest) {
        let key = ImageKey(request, unique: nil)
        var request = request
        request.priority = priority
        if let image = pipeline.cache.memoryImage(for: request), !image.isPreview {
            didFinish?(request, .success(()))
            return
        }
        let prefetch = Prefetch(request, pipeline, destination)
        let isNew = outstanding.withLock { outstanding in
            guard outstanding[key] == nil else { return false }
            outstanding[key] = prefetch
            return true
        }
        guard isNew else { return }
        prefetch.begin(in: queue) { [weak self] result in self?.finish(key, prefetch, result) }
    }

    private func finish(_ key: ImageKey, _ prefetch: Prefetch, _ result: Result<Void, ImagePipeline.Error>) {
        let isMine = outstanding.withLock { outstanding in
            guard outstanding[key] === prefetch else { return false }
            outstanding[key] = nil
            return true
        }
        guard isMine else { return }
        didFinish?(prefetch.request, result)
        tellIfComplete()
    }

    private func tellIfComplete() {
        guard let didComplete, outstanding.withLock({ $0.isEmpty }) else { return }
        Task { @MainActor in didComplete() }
    }
}
