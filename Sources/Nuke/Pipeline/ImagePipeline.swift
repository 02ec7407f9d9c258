import Files
public import Foundation
import Synchronization

/// Delivers images and data from its caches, or loads, decodes, processes and stores them, once for all concurrent requests.
///
/// Safe to use from any thread.
public final class ImagePipeline: Sendable {
    // The methods that load are in Tasks/ImagePipeline+Loading.swift: they start the work of tasks, which
    // needs the pipeline.

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
    public var cache: Cache { Cache(pipeline: self) }

    /// Cancels all running tasks; later requests fail with `pipelineInvalidated`.
    public func invalidate() {
        isInvalidated.store(true, ordering: .releasing)
        Task { @ImagePipelineActor in
            for task in taskPool.imageTasks.keys { task.cancel() }
            for (task, _) in taskPool.dataTasks.values { task.cancel() }
        }
    }
}
