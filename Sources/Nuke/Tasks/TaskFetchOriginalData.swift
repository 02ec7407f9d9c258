import Files
import Foundation
import Synchronization

extension ImagePipeline {
    /// Returns the task that fetches the data of a request, before any decoding or processing.
    ///
    /// `look` is the store count at the lookup of the data in the cache.
    @ImagePipelineActor
    func fetchOriginalDataTask(
        for request: ImageRequest,
        unique: Int?,
        since look: Int
    ) -> AsyncTask<LoadedData> {
        let key = DownloadKey(request, unique: unique)
        let task = taskPool.task(for: key, in: \.originalData) { [weak self] task in
            guard let self else { return }
            TaskFetchOriginalData(request, for: task, in: self, key: key).start(since: look)
        }
        return recorded(task, as: .fetchOriginalData, of: request)
    }
}

/// Fetches original data: one download for all subscribers, stored before they receive it.
@ImagePipelineActor
private final class TaskFetchOriginalData {
    private let request: ImageRequest
    private let pipeline: ImagePipeline
    private let task: AsyncTask<LoadedData>
    private let key: DownloadKey
    private let parts: PartQueue
    private let load: OriginalLoad
    /// The keys under which the data was stored.
    private var storedKeys: Set<String> = []

    init(
        _ request: ImageRequest,
        for task: AsyncTask<LoadedData>,
        in pipeline: ImagePipeline,
        key: DownloadKey
    ) {
        self.request = request
        self.pipeline = pipeline
        self.task = task
        self.key = key
        parts = PartQueue { part in
            task.send(.progress(.init(completed: part.completed, total: part.total)))
            if let data = part.data { task.send(.preview(data)) }
        }
        load = OriginalLoad(request, in: pipeline, onPart: parts.add)
    }

    func start(since look: Int) {
        task.onPriorityChanged = { [load] in load.setPriority($0.queuePriority) }
        let work = Task { @ImagePipelineActor in
            do {
                if let loaded = try await cachedData(since: look) { return task.finish(.success(loaded)) }
                let decoding = pipeline.taskPool.decoding[key]?.shared
                let loaded = if let decoding { decoding } else { try await download() }
                guard !loaded.data.isEmpty else { throw ImagePipeline.Error.dataIsEmpty }
                await finish(loaded)
            } catch {
                parts.drain()
                task.finish(.failure(ImagePipeline.Error(loading: error)))
            }
        }
        task.onCancelled = { work.cancel() }
    }

    private func download() async throws -> LoadedData {
        guard let record = task.record else { return try await load.run() }
        let stage = record.begin(.download)
        let number = request.source == .network ? LoadNumber.next() : nil
        var loaded: LoadedData?
        defer {
            record.end(stage) {
                $0.source = request.source
                $0.bytes = (loaded?.data.count).map { Int64($0) }
                $0.statusCode = loaded?.received?.statusCode
                $0.networkLogRequest = number
            }
        }
        let data = try await LoadNumber.$request.withValue(number) { try await load.run() }
        loaded = data
        return data
    }

    /// Returns data that was stored between the first lookup of the request and its turn.
    private func cachedData(since look: Int) async throws -> LoadedData? {
        let ignoresCache = task.requests.contains { $0.options.contains(.disableDiskCacheReads) }
        guard !ignoresCache, pipeline.taskPool.stores.contains(key, since: look) else { return nil }
        return try await pipeline.cachedOriginal(for: request.original)
    }

    private func finish(_ loaded: LoadedData) async {
        parts.drain()
        // A complete download is kept even if nobody waits for it any more: in a task that is not cancelled.
        if task.isOver { _ = await Task { [request] in await store(loaded, for: [request]) }.value }
        // Others may join while it is being stored, with keys of their own.
        while !task.isOver, await store(loaded, for: task.requests) { pipeline.taskPool.stores.note(key) }
        var loaded = loaded
        // Subscribers may keep the data for long.
        (loaded.partial, loaded.file) = (nil, nil)
        task.finish(.success(loaded))
    }

    /// Stores the data under the key of each of `requests` that allows it, unless it was stored there before.
    ///
    /// - Returns: True if it was stored under any.
    private func store(_ loaded: LoadedData, for requests: [ImageRequest]) async -> Bool {
        // What is on this machine is not copied, whichever loader brought it.
        guard loaded.isStorable, request.url.flatMap(LocalResource.init) == nil else { return false }
        let before = storedKeys.count
        let (cache, queue) = (pipeline.cache, pipeline.cachingQueue)
        for request in requests
        where !request.options.contains(.disableDiskCacheWrites)
            && pipeline.configuration.dataCachePolicy.storesOriginal(for: request)
            && storedKeys.insert(cache.makeDataCacheKey(for: request.original)).inserted
        {
            await cache.store(loaded, for: request, on: queue)
        }
        return storedKeys.count > before
    }
}

/// Carries parts in order from the loader's thread to the subscribers.
private final class PartQueue: Sendable {
    private let waiting = Mutex<[LoadedPart]>([])
    private let send: @ImagePipelineActor @Sendable (LoadedPart) -> Void

    init(_ send: @escaping @ImagePipelineActor @Sendable (LoadedPart) -> Void) {
        self.send = send
    }

    @Sendable func add(_ part: LoadedPart) {
        let isFirst = waiting.withLock { waiting in
            defer { waiting.append(part) }
            return waiting.isEmpty
        }
        // The last part goes out with the end of the load, which comes at once.
        if isFirst, part.completed != part.total { Task { @ImagePipelineActor in drain() } }
    }

    @ImagePipelineActor
    func drain() {
        for part in waiting.withLock({ exchange(&$0, with: []) }) { send(part) }
    }
}
