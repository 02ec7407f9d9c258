import Files
public import Foundation
public import FoundationNetworking
import Synchronization

/// Delivers images and data from its caches, or loads, decodes, processes and stores them, once for all concurrent requests.
///
/// Safe to use from any thread.
public final class ImagePipeline: Sendable {
    /// The default pipeline.
    public static var shared: ImagePipeline {
        get {
            sharedPipeline.withLock { pipeline in
                let shared = pipeline ?? ImagePipeline(configuration: .withURLCache)
                pipeline = shared
                return shared
            }
        }
        set { sharedPipeline.withLock { $0 = newValue } }
    }

    /// Nil until it is used or set, so that replacing it never opens the cache of the first.
    private static let sharedPipeline = Mutex<ImagePipeline?>(nil)

    /// The settings.
    public let configuration: Configuration
    let delegate: any Delegate
    /// The queue for reading caches: reads are short, but may wait for the disk, which Swift's task threads must not do.
    var cachingQueue: WorkQueue { WorkQueue(configuration.dataCachingQueue) }
    /// The rate limiter for loaders without one of their own.
    let rateLimiter = HostRateLimiter(limits: HostRateLimiter.Limits(concurrency: .max))
    let taskPool = TaskPool()
    let isInvalidated = Atomic(false)
    /// True if diagnostics that the configuration has turned on are off for now.
    let isRecordingPaused = Atomic(false)
    /// The identifier of the pipeline in the metrics of its tasks.
    public let id = UUID()

    /// Creates a pipeline with `configuration`; retains `delegate`.
    public init(configuration: Configuration = Configuration(), delegate: (any ImagePipeline.Delegate)? = nil)
    {
        self.configuration = configuration
        self.delegate = delegate ?? DefaultDelegate()
        let loader = configuration.dataLoader as? DataLoader
        loader?.prefersIncrementalDelivery = configuration.isProgressiveDecodingEnabled
    }

    deinit {
        ResumableStorage.shared.removeAll(of: ObjectIdentifier(self))
    }

    /// Creates a pipeline with the default configuration, changed by `configure`; retains `delegate`.
    public convenience init(
        delegate: (any ImagePipeline.Delegate)? = nil,
        _ configure: (inout Configuration) -> Void
    ) {
        var configuration = Configuration()
        configure(&configuration)
        self.init(configuration: configuration, delegate: delegate)
    }

    /// The caches of the pipeline, accessed by request.
    public var cache: Cache {
        Cache(pipeline: self)
    }

    /// Cancels all running tasks; later requests fail with `pipelineInvalidated`.
    public func invalidate() {
        isInvalidated.store(true, ordering: .releasing)
        Task { @ImagePipelineActor in
            for task in taskPool.imageTasks.keys { task.cancel() }
            for task in taskPool.dataTasks.keys { task.cancel() }
        }
    }

    /// Starts loading the image at `url`.
    public func imageTask(with url: URL) -> ImageTask {
        imageTask(with: ImageRequest(url: url))
    }

    /// Starts loading the image of `request`.
    public func imageTask(with request: ImageRequest) -> ImageTask {
        let task = ImageTask(request: request, pipeline: self)
        begin(task)
        return task
    }

    /// Returns the image at `url`; cancelling the calling task cancels the request.
    ///
    /// - Throws: `ImagePipeline.Error`.
    public func image(for url: URL) async throws(ImagePipeline.Error) -> PlatformImage {
        try await image(for: ImageRequest(url: url))
    }

    /// Returns the image of `request`; cancelling the calling task cancels the request.
    ///
    /// - Throws: `ImagePipeline.Error`.
    public func image(for request: ImageRequest) async throws(ImagePipeline.Error) -> PlatformImage {
        try await imageTask(with: request).image
    }

    /// Returns the data at `url`, and the response if it was loaded now.
    ///
    /// - Throws: `ImagePipeline.Error`.
    public func data(for url: URL) async throws(ImagePipeline.Error) -> (Data, URLResponse?) {
        try await data(for: ImageRequest(url: url))
    }

    /// Returns the data of `request`, and the response if it was loaded now.
    ///
    /// Checks the disk cache first. Cancelling the calling task cancels the request; the download
    /// continues while other requests need it.
    /// - Throws: `ImagePipeline.Error`.
    public func data(for request: ImageRequest) async throws(ImagePipeline.Error) -> (Data, URLResponse?) {
        let task = DataTask(request: request, pipeline: self)
        do {
            return try await withTaskCancellationHandler {
                await start(task)
                return try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            throw Error(loading: error)
        }
    }

    /// Starts loading the data of `request`, and returns a task whose priority can change.
    public func dataTask(with request: ImageRequest) -> DataTask {
        let task = DataTask(request: request, pipeline: self)
        Task { await start(task) }
        return task
    }
}
