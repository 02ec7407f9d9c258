public import Foundation
public import FoundationNetworking
import Synchronization

/// Brings images and data: from a cache, or loaded, decoded and processed once for all who ask for them, and then stored.
///
/// May be used from any thread.
public final class ImagePipeline: Sendable {
    /// The pipeline that is used where none is named.
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

    /// Nil until it is used or set, so that who sets it never opens the cache of the first.
    private static let sharedPipeline = Mutex<ImagePipeline?>(nil)

    /// The settings.
    public let configuration: Configuration
    let delegate: any Delegate
    /// Reads of caches: short ones, but the disk may make them wait, which no thread of Swift's tasks may do.
    var cachingQueue: WorkQueue { WorkQueue(configuration.dataCachingQueue) }
    /// When each host may be asked, where the loader does not see to it itself.
    let gate = HostGate(limits: HostGate.Limits(concurrency: .max))
    let pools = WorkPools()
    let isInvalidated = Atomic(false)

    /// A pipeline with `configuration`; `delegate` is kept.
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

    /// A pipeline with the default configuration, changed by `configure`; `delegate` is kept.
    public convenience init(
        delegate: (any ImagePipeline.Delegate)? = nil,
        _ configure: (inout Configuration) -> Void
    ) {
        var configuration = Configuration()
        configure(&configuration)
        self.init(configuration: configuration, delegate: delegate)
    }

    /// The caches of the pipeline, as its requests see them.
    public var cache: Cache {
        Cache(pipeline: self)
    }

    /// Cancels what is under way; requests that are made later fail with `pipelineInvalidated`.
    public func invalidate() {
        isInvalidated.store(true, ordering: .releasing)
        Task { @PipelineActor in
            for task in pools.tasks.keys { task.cancel() }
            for task in pools.dataTasks.keys { task.cancel() }
        }
    }

    /// Waits until loads whose tasks are over have ended, too.
    @PipelineActor
    package func settle() async {
        while let load = pools.loads.values.first { await load.value }
    }

    /// Begins to bring the image at `url`.
    public func imageTask(with url: URL) -> ImageTask {
        imageTask(with: ImageRequest(url: url))
    }

    /// Begins to bring the image of `request`.
    public func imageTask(with request: ImageRequest) -> ImageTask {
        let task = ImageTask(request: request, pipeline: self)
        begin(task)
        return task
    }

    /// The image at `url`; cancelling the calling task cancels the request.
    ///
    /// - Throws: `ImagePipeline.Error`.
    public func image(for url: URL) async throws(ImagePipeline.Error) -> PlatformImage {
        try await image(for: ImageRequest(url: url))
    }

    /// The image of `request`; cancelling the calling task cancels the request.
    ///
    /// - Throws: `ImagePipeline.Error`.
    public func image(for request: ImageRequest) async throws(ImagePipeline.Error) -> PlatformImage {
        try await imageTask(with: request).image
    }

    /// The data at `url`, and the response if it was loaded now; as `data(for:)` of a request.
    ///
    /// - Throws: `ImagePipeline.Error`.
    public func data(for url: URL) async throws(ImagePipeline.Error) -> (Data, URLResponse?) {
        try await data(for: ImageRequest(url: url))
    }

    /// The data of `request`, and the response if it was loaded now.
    ///
    /// Data comes from the disk cache where it has it. Cancelling the calling task cancels the request; the download
    /// goes on while others want it.
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

    /// Starts to fetch the data of `request` and answers with a handle, by which its priority can be changed.
    public func dataTask(with request: ImageRequest) -> DataTask {
        let task = DataTask(request: request, pipeline: self)
        Task { await start(task) }
        return task
    }
}
