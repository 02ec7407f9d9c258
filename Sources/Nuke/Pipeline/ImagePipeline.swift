public import Foundation
public import FoundationNetworking
import Synchronization

/// Brings the data of requests: from a cache, or loaded once for all who ask for it, and then stored.
///
/// May be used from any thread.
public final class ImagePipeline: Sendable {
    /// The pipeline that is used where none is named.
    public static var shared: ImagePipeline {
        get { sharedPipeline.withLock { $0 } }
        set { sharedPipeline.withLock { $0 = newValue } }
    }

    private static let sharedPipeline = Mutex(ImagePipeline())

    /// The settings.
    public let configuration: Configuration
    let delegate: any Delegate
    /// Reads of caches: short ones, but the disk may make them wait, which no thread of Swift's tasks may do.
    let cachingQueue = WorkQueue(name: "com.github.kean.Nuke.dataCachingQueue", width: 2)
    private let downloads = DownloadPool()
    private let isInvalidated = Atomic(false)

    /// A pipeline with `configuration`; `delegate` is kept.
    public init(configuration: Configuration = Configuration(), delegate: (any ImagePipeline.Delegate)? = nil)
    {
        self.configuration = configuration
        self.delegate = delegate ?? DefaultDelegate()
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
        Task { await downloads.invalidate() }
    }

    /// The data of `request`, and the response if it was loaded now.
    ///
    /// Data comes from the disk cache where it has it. Cancelling the calling task cancels the request; the download
    /// goes on while others want it.
    /// - Throws: `ImagePipeline.Error`.
    public func data(for request: ImageRequest) async throws(ImagePipeline.Error) -> (Data, URLResponse?) {
        try await data(for: DataTask(request: request, pipeline: self))
    }

    /// Starts to fetch the data of `request` and answers with a handle, by which its priority can be changed.
    public func dataTask(with request: ImageRequest) -> DataTask {
        let task = DataTask(request: request, pipeline: self)
        task.start()
        return task
    }

    func data(for task: DataTask) async throws(ImagePipeline.Error) -> (Data, URLResponse?) {
        let request = task.request
        guard !isInvalidated.load(ordering: .acquiring) else { throw .pipelineInvalidated }
        do {
            if let data = try await cache.data(for: request, on: cachingQueue) { return (data, nil) }
        } catch {
            throw .cancelled
        }
        guard !request.options.contains(.returnCacheDataDontLoad) else { throw .dataMissingInCache }
        return try await downloads.data(for: task)
    }

    func setPriority(of task: DataTask) {
        Task { await downloads.updatePriority(of: task) }
    }

    /// The original data of `request`, if the cache has it now.
    func cachedOriginal(for request: ImageRequest) async throws -> Data? {
        try await cache.data(for: request.original, on: cachingQueue)
    }

    /// Loads the original data of `request`; the one way from a request to its bytes.
    func load(_ request: ImageRequest, by load: OriginalLoad) async throws -> LoadedData {
        let loaded = try await load.run(request, for: self)
        guard !loaded.data.isEmpty else { throw Error.dataIsEmpty }
        return loaded
    }

    /// Stores what was loaded under the key of each of `requests` that lets it.
    func store(_ loaded: LoadedData, for requests: [ImageRequest]) async {
        guard loaded.isStorable else { return }
        var keys: Set<String> = []
        for request in requests
        where !request.options.contains(.disableDiskCacheWrites)
            && configuration.dataCachePolicy.storesOriginal(for: request)
            && keys.insert(cache.makeDataCacheKey(for: request.original)).inserted
        {
            await cache.store(loaded.data, loaded.response, for: request, on: cachingQueue)
        }
    }
}
