import Files
package import Foundation
import FoundationNetworking
import Synchronization

/// Fetches the bytes of URLs: from the cache, or over the network, once for all who ask at the same time.
///
/// Downloads keep to the limits of hosts, go on where earlier ones broke off, and are stored in the cache before anybody gets
/// their bytes. May be used from any thread.
package final class OriginalFetcher: Sendable {
    /// The settings of a fetcher.
    package struct Configuration: Sendable {
        /// The loader of what is not in the cache.
        package var loader: any OriginalLoading
        /// The cache; nil for none.
        package var cache: DataCache?
        /// The queue whose width bounds the running transfers, and the reading of `data:` URLs and files.
        package var slots: OperationQueue
        /// The most bytes that an answer may have; nil for no limit.
        package var limit: Int?
        /// The place of bodies while they arrive; with a cache, its own folder is used.
        package var storage = BodyStorage()

        /// Creates the settings of a fetcher without limits.
        package init(loader: any OriginalLoading, cache: DataCache?, slots: OperationQueue) {
            (self.loader, self.cache, self.slots) = (loader, cache, slots)
        }
    }

    private struct State {
        /// The downloads that others may join.
        var open: [FlightKey: Flight] = [:]
        /// The downloads that have not ended, also those that nobody waits for.
        var running: [ObjectIdentifier: Flight] = [:]
        var stores = RecentStores<FlightKey>()
        var isStopped = false
        /// The callers that wait until nothing is running.
        var settling: [CheckedContinuation<Void, Never>] = []
    }

    /// The settings.
    package let configuration: Configuration
    /// The queue that reads the bytes of the cache: reads are short, but may wait for the disk.
    private let reads = WorkQueue(name: "OriginalFetcher.reads", width: 2)
    private let state = Mutex(State())

    /// Creates a fetcher; nothing is fetched yet.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    deinit {
        ResumableStorage.shared.removeAll(of: ObjectIdentifier(self))
    }

    /// Looks into the cache for the bytes of a request.
    /// - Throws: `FetchError.cancelled` if the task was cancelled before.
    package func find(_ request: FetchRequest) async throws(FetchError) -> CacheLookup {
        let storeCount = state.withLock { $0.stores.count }
        guard request.isReadFromCache, let cache = configuration.cache else {
            return CacheLookup(entry: nil, storeCount: storeCount)
        }
        guard !Task.isCancelled else { throw .cancelled }
        // On this thread: a look at the index takes less time than the way to another thread and back.
        let entry = cache.findEntry(for: request.key)
        return CacheLookup(entry: entry, storeCount: storeCount)
    }

    /// Returns the bytes that a lookup has found; nil for a miss, and for an entry that is gone or damaged since.
    /// - Throws: `FetchError.cancelled` if the task was cancelled before.
    package func read(
        _ lookup: CacheLookup,
        for request: FetchRequest
    ) async throws(FetchError) -> LoadedData? {
        guard let entry = lookup.entry, let cache = configuration.cache else { return nil }
        let isMapping = configuration.storage.accounting != nil
        return try await reading(request) {
            cache.loadedData(of: entry, mapped: isMapping, isDigestComputed: true)
        }
    }

    /// Returns the bytes of a request with their origin and their SHA-256.
    ///
    /// `lookup` is the answer of the cache where the caller has it already: it is not asked again. A cancelled task leaves the
    /// download, which goes on while others need it.
    /// - Throws: `FetchError`, or the error of the loader.
    package func fetch(_ request: FetchRequest, after lookup: CacheLookup? = nil) async throws -> LoadedData {
        guard !state.withLock({ $0.isStopped }) else { throw FetchError.cancelled }
        if let local = request.urlRequest.url.flatMap(LocalResource.init) {
            return try await load(local, request)
        }
        let found = if let lookup { lookup } else { try await find(request) }
        if let cached = try await read(found, for: request) { return cached }
        if request.caching == .only { throw FetchError.notCached }
        return try await join(request, since: found.storeCount)
    }

    /// Stores bytes that were fetched to be stored by the caller; returns once reads of the cache see them.
    package func store(_ loaded: LoadedData, for request: FetchRequest) async {
        guard loaded.isStorable, let cache = configuration.cache else { return }
        var metadata = loaded.metadata ?? DataCache.Metadata()
        metadata.sha256 = loaded.sha256 ?? Data()
        if !request.keepsFinalURL { metadata.finalURL = nil }
        await cache.stage(
            loaded.data,
            for: request.key,
            metadata: metadata,
            pinnedBy: request.pinOwner,
            file: loaded.file,
            replacing: loaded.partial
        )
    }

    /// Ends all fetches, and all later ones, with `FetchError.cancelled`.
    package func stop() {
        let flights = state.withLock { state in
            state.isStopped = true
            return Array(state.running.values)
        }
        for flight in flights { flight.stop() }
    }

    /// Waits until all downloads have ended, also those that nobody waits for.
    package func settle() async {
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                if !state.running.isEmpty { state.settling.append(continuation) }
                return state.running.isEmpty
            }
            if isSettled { continuation.resume() }
        }
    }

    /// Reads a `data:` URL or a file, in a slot: it takes memory as a download does.
    private func load(_ local: LocalResource, _ request: FetchRequest) async throws -> LoadedData {
        let limit = configuration.limit
        return try await WorkQueue(configuration.slots).run(priority: request.priority) {
            let data = try local.bytes(limit: limit)
            let sha256 = Data(Digest.sha256.bytes(of: data))
            return LoadedData(data: data, received: nil, isStorable: false, sha256: sha256)
        }
    }

    private func reading<Value: Sendable>(
        _ request: FetchRequest,
        _ read: @escaping @Sendable () -> Value
    ) async throws(FetchError) -> Value {
        do {
            return try await reads.run(priority: request.priority, read)
        } catch {
            throw .cancelled
        }
    }
}

/// The downloads that are shared.
extension OriginalFetcher {
    /// Joins the download of the same request, or begins it.
    private func join(_ request: FetchRequest, since look: Int) async throws -> LoadedData {
        let key = FlightKey(request.urlRequest)
        let passenger = Passenger(request)
        let (flight, isNew): (Flight?, Bool) = state.withLock { state in
            guard !state.isStopped else { return (nil, false) }
            // Within the lock: one that is open has not landed yet.
            if let flight = state.open[key] {
                flight.board(passenger)
                return (flight, false)
            }
            let flight = Flight(key, first: passenger, of: self)
            (state.open[key], state.running[ObjectIdentifier(flight)]) = (flight, flight)
            return (flight, true)
        }
        guard let flight else { throw FetchError.cancelled }
        if isNew { flight.begin(since: look) } else { flight.updatePriority() }
        return try await withTaskCancellationHandler {
            try await passenger.result
        } onCancel: {
            flight.leave(passenger)
        }
    }

    /// Returns what was stored between the lookup of a request and its turn.
    func stored(_ request: FetchRequest, _ key: FlightKey, since look: Int) async throws -> LoadedData? {
        guard request.isReadFromCache, state.withLock({ $0.stores.contains(key, since: look) }) else {
            return nil
        }
        return try await read(try await find(request), for: request)
    }

    /// Remembers that the bytes of a download are in the cache.
    func noteStored(_ key: FlightKey) {
        state.withLock { $0.stores.note(key) }
    }

    /// Lets nobody else join a download, if that is `due`.
    /// - Returns: True if it was due.
    @discardableResult
    func close(_ flight: Flight, if isDue: () -> Bool = { true }) -> Bool {
        state.withLock { state in
            guard isDue() else { return false }
            if state.open[flight.key] === flight { state.open[flight.key] = nil }
            return true
        }
    }

    /// The download of the bytes of a request.
    func download(of request: FetchRequest) -> Download {
        var plan = Download.Plan(request.urlRequest, with: configuration.loader, in: configuration.slots)
        plan.limit = configuration.limit
        plan.isDigestComputed = true
        plan.storage = configuration.storage
        if let cache = configuration.cache { plan.storage.folder = cache.bodyFolder }
        plan.remainder = Remainder(
            memory: (ObjectIdentifier(self), request.key),
            disk: configuration.cache.map { ($0, request.key) }
        )
        return Download(plan)
    }

    /// Ends a download.
    func end(_ flight: Flight) {
        let settled: [CheckedContinuation<Void, Never>] = state.withLock { state in
            state.running[ObjectIdentifier(flight)] = nil
            return state.running.isEmpty ? exchange(&state.settling, with: []) : []
        }
        for continuation in settled { continuation.resume() }
    }
}
