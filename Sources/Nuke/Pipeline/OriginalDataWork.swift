import Foundation
import Synchronization

/// The stage "load": original data, downloaded once for all who want it, and stored before they are told.
extension ImagePipeline {
    /// The data of a request before any decoding or processing.
    ///
    /// `look` is how often data had been stored when the cache was asked for it.
    @PipelineActor
    func originalData(for request: ImageRequest, unique: Int?, since look: Int) -> SharedWork<LoadedData> {
        let key = DownloadKey(request, unique: unique)
        if let work = pools.data[key] { return work }
        let pools = pools
        let work = SharedWork<LoadedData>(onEnd: { if pools.data[key] === $0 { pools.data[key] = nil } }) {
            [weak self] work in
            self?.load(request, work, key, since: look)
        }
        pools.data[key] = work
        return work
    }

    @PipelineActor
    private func load(
        _ request: ImageRequest,
        _ work: SharedWork<LoadedData>,
        _ key: DownloadKey,
        since look: Int
    ) {
        let parts = PartQueue { part in
            work.send(.progress(part.progress))
            if let data = part.data { work.send(.preview(data)) }
        }
        let load = OriginalLoad(onPart: parts.add)
        work.follow = { load.setPriority($0.queuePriority) }
        let task = Task { @PipelineActor in
            defer { pools.loads[ObjectIdentifier(work)] = nil }
            do {
                // It may have been stored between the first look of the request and its turn.
                let ignoresCache = work.requests.contains { $0.options.contains(.disableDiskCacheReads) }
                if !ignoresCache, pools.wasStored(key, since: look),
                    let data = try await cachedOriginal(for: request)
                {
                    let loaded = LoadedData(data: data, response: nil, isStorable: false, cacheType: .disk)
                    return work.send(.finished(.success(loaded)))
                }
                var loaded =
                    if let decoding = pools.decoding[key] { decoding } else {
                        try await load.run(request, for: self)
                    }
                guard !loaded.data.isEmpty else { throw Error.dataIsEmpty }
                parts.drain()
                // What has come whole is kept, also if nobody waits for it any more: in a task that is not cancelled.
                if work.isOver { await Task { [loaded] in await store(loaded, for: [request]) }.value }
                // Others may join while it is being stored, with keys of their own.
                var stored = 0
                while !work.isOver, work.requests.count > stored {
                    let requests = work.requests
                    stored = requests.count
                    await store(loaded, for: requests)
                    pools.noteStored(key)
                }
                // Those who are told may keep it for long.
                loaded.partial = nil
                work.send(.finished(.success(loaded)))
            } catch {
                parts.drain()
                work.send(.finished(.failure(Error(loading: error))))
            }
        }
        pools.loads[ObjectIdentifier(work)] = task
        work.giveUp = { task.cancel() }
    }

    /// The original data of `request`, if the cache has it now.
    private func cachedOriginal(for request: ImageRequest) async throws -> Data? {
        try await cache.data(for: request.original, on: cachingQueue)
    }

    /// Stores what was loaded under the key of each of `requests` that lets it.
    private func store(_ loaded: LoadedData, for requests: [ImageRequest]) async {
        guard loaded.isStorable else { return }
        var keys: Set<String> = []
        for request in requests
        where !request.options.contains(.disableDiskCacheWrites)
            && configuration.dataCachePolicy.storesOriginal(for: request)
            && keys.insert(cache.makeDataCacheKey(for: request.original)).inserted
        {
            await cache.store(loaded, for: request, on: cachingQueue)
        }
    }
}

/// Parts on their way from the thread of a loader to those who want them, in order.
private final class PartQueue: Sendable {
    private let waiting = Mutex<[LoadedPart]>([])
    private let tell: @PipelineActor @Sendable (LoadedPart) -> Void

    init(_ tell: @escaping @PipelineActor @Sendable (LoadedPart) -> Void) {
        self.tell = tell
    }

    @Sendable func add(_ part: LoadedPart) {
        let isFirst = waiting.withLock { waiting in
            defer { waiting.append(part) }
            return waiting.isEmpty
        }
        // The last is told with the load's end, which comes at once.
        if isFirst, part.progress.completed != part.progress.total { Task { @PipelineActor in drain() } }
    }

    @PipelineActor
    func drain() {
        let parts = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for part in parts { tell(part) }
    }
}
