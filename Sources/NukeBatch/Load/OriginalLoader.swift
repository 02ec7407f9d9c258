import Files
import Foundation
import FoundationNetworking
import JobManifest
import JobPlanning
import JobStorage
import Originals

/// The stage "load": gets an item's bytes from the cache, the network or a file, and stores them in the cache.
struct OriginalLoader: Sendable {
    let manifest: Manifest
    /// The cache, and the limits of transfers.
    let transfers: JobTransfers
    let fetcher: OriginalFetcher
    let requests: RequestLog
    /// Sends HEAD requests to warm an edge cache.
    let warming: EdgeWarming
    /// The hits and misses of caches between this machine and the origins.
    let edge: EdgeStatistics
    let files: LocalFiles
    /// The queue that reads files.
    let reading: WorkQueue
    let backpressure: LoadBackpressure
    let memory: MemoryShares
    /// The folder on whose file system large originals are kept that the cache does not hold; nil if it cannot be opened.
    let bodyFolder: Folder?
    let isOffline: Bool
    /// The job's earlier runs, from whose starts the ages of cached originals count.
    let runs: RunTimes
    /// The buckets that rows may name.
    let namedBuckets: Set<String>
    /// The robots.txt files of the origins; nil if the manifest does not honour them.
    let robots: RobotsFiles?
    /// The owner that originals are pinned for when they are stored, in a run that warms the cache; otherwise nil.
    let pinOwner: String?
    /// True in a run that has asked the origins of all its items already.
    var trustsCache = false

    /// The cache of originals; nil if the manifest keeps none.
    var cache: DataCache? { transfers.cache }

    /// Returns the original of `item`, which has a reservation in the backpressure.
    /// - Throws: `ItemError`.
    func load(_ item: ClaimedItem) async throws(ItemError) -> Original {
        if let bucket = manifest.strangeBucket(of: item.url, source: item.source, named: namedBuckets) {
            throw ItemError(
                .address,
                "only this row names the bucket \(bucket): add it to storage.s3.buckets if rows may (--allow s3://\(bucket) of "
                    + "resize and convert)"
            )
        }
        var original = try await load(
            item.url,
            headers: item.headers,
            priority: item.requestPriority,
            listed: manifest.listsObjects(ofSource: item.source) ? item.validator : nil
        )
        // A cache in front of a store may answer with an older version, and an object may be replaced after it was listed.
        if let listed = item.validator, manifest.listsObjectsInEachRun(ofSource: item.source) {
            original.isOtherVersion = ObjectValidator.isCurrent(original.metadata?.etag, by: listed) == false
        }
        return original
    }

    /// Returns the original at a URL with headers, both as stored in the state.
    ///
    /// `listed` is the validator of an object that this run has listed: if the cache has that object, nobody is asked.
    /// - Throws: `ItemError`.
    func load(
        _ url: String,
        headers: [String: String] = [:],
        priority: Operation.QueuePriority = .normal,
        listed: String? = nil
    ) async throws(ItemError) -> Original {
        let target = manifest.target(of: url)
        do {
            if target.prefix(5).lowercased() == "file:" { return try await readFile(target) }
            return try await request(
                target,
                key: manifest.cacheKey(of: url, headers: headers),
                headers: headers,
                priority: priority,
                listed: listed
            )
        } catch {
            throw ItemError(loading: error, retrying: manifest.retry.statuses)
                .hidden(by: manifest.redaction(hiding: headers))
        }
    }

    private func request(
        _ target: String,
        key: String,
        headers: [String: String],
        priority: Operation.QueuePriority,
        listed: String?
    ) async throws -> Original {
        var headers = manifest.expanded(headers: headers)
        guard let url = ItemURL.loadable(target, headers: &headers) else {
            throw ItemError(.badURL, "\(ItemListing.shown(target)) is not a URL")
        }
        var request = URLRequest(url: url)
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if manifest.asksEdge(url) { return try await head(request, priority) }
        let fetched = fetchRequest(request, key: key, priority: priority, caching: isOffline ? .only : .use)
        // A data URL is neither loaded nor cached.
        if url.scheme?.lowercased() == "data" { return try await fetch(fetched, isKept: false) }
        let lookup = try await fetcher.find(fetched)
        if !isOffline, !trustsCache, let cache, let known = lookup.metadata,
            let again = Revalidation(
                of: key,
                known: known,
                in: cache,
                settings: manifest.cache,
                listed: listed,
                runs: runs
            )
        {
            return try await revalidate(again, request, priority: priority, after: lookup)
        }
        return try await fetch(fetched, after: lookup)
    }

    private func fetchRequest(
        _ request: URLRequest,
        key: String,
        priority: Operation.QueuePriority,
        caching: FetchRequest.Caching
    ) -> FetchRequest {
        var fetched = FetchRequest(request, key: key, priority: priority, caching: caching)
        // Secrets are never stored, and a redirect may repeat those of its request.
        let hasSecrets = Variables.occur(in: key) || request.url?.user != nil || sendsSecrets(request)
        fetched.keepsFinalURL = !hasSecrets
        fetched.pinOwner = pinOwner
        return fetched
    }

    /// True if a request has header fields or credentials of the manifest.
    private func sendsSecrets(_ request: URLRequest) -> Bool {
        let settings = manifest.loading.settings(host: request.url?.host ?? "", port: request.url?.port)
        let redaction = requests.redaction
        let names = Array((request.allHTTPHeaderFields ?? [:]).keys) + Array(settings.headers.keys)
        return settings.authorization != nil || names.contains(where: redaction.isHidden(inRequest:))
    }

    /// Revalidates a cached original with its origin; it stays in the cache until its successor has been decoded.
    private func revalidate(
        _ again: Revalidation,
        _ request: URLRequest,
        priority: Operation.QueuePriority,
        after lookup: CacheLookup
    ) async throws -> Original {
        do {
            // It is known to allow the original, unless it could not be had (`isForbidden`).
            if let robots, let url = request.url, try await !robots.allows(url) {
                throw ItemError.interrupted
            }
            let conditional = again.conditional(request)
            var original = try await fetch(
                fetchRequest(conditional, key: again.key, priority: priority, caching: .renewByCaller),
                isSuccessor: true
            )
            original.revalidation = .reloaded
            return original
        } catch {
            guard
                let result = try await again.result(
                    of: error,
                    asking: request.url,
                    retrying: manifest.retry.statuses
                )
            else { throw error }
            // An original that cannot be read from the cache after all is loaded again.
            let cached = fetchRequest(request, key: again.key, priority: priority, caching: .only)
            guard result != .reloaded, var original = try? await fetch(cached, after: lookup) else {
                return try await fetch(
                    fetchRequest(request, key: again.key, priority: priority, caching: .renewByCaller),
                    isSuccessor: true
                )
            }
            original.revalidation = result
            return original
        }
    }

    /// Returns the original of a request from the cache, if `lookup` has found it, or from the network.
    private func fetch(
        _ request: FetchRequest,
        after lookup: CacheLookup? = nil,
        isKept: Bool = true,
        isSuccessor: Bool = false
    ) async throws -> Original {
        // A cached original takes memory at once; one from the network waits for its host and a slot first.
        var reservation: LoadBackpressure.Reservation?
        var cached: LoadedData?
        if let lookup, let entry = lookup.entry {
            reservation = await backpressure.room(for: entry.metadata.size, inFile: entry.isMappable)
            cached = try await fetcher.read(lookup, for: request)
            // One that is damaged or gone waits, too; with its room kept, many of them would hold all transfers back.
            if cached == nil { reservation = nil }
        }
        let loaded = if let cached { cached } else { try await fetcher.fetch(request, after: lookup) }
        let isLoaded = loaded.received != nil
        if isLoaded || reservation?.isInFile != (loaded.mapping != nil) { reservation = nil }
        var original = try original(
            loaded,
            from: isLoaded ? .network : .cache,
            cacheKey: isKept && cache != nil ? request.key : nil,
            reservation: reservation,
            storing: isSuccessor && isLoaded
                ? OnceTask { [fetcher] in await fetcher.store(loaded, for: request) } : nil
        )
        original.isSuccessor = isSuccessor && isLoaded
        return original
    }

    /// Returns the original with these bytes, and what is known of them.
    func original(
        _ loaded: LoadedData,
        from source: Original.Source,
        cacheKey: String? = nil,
        reservation: LoadBackpressure.Reservation? = nil,
        storing: OnceTask<Void>? = nil
    ) throws -> Original {
        let (data, response) = (loaded.data, loaded.received)
        guard !data.isEmpty else { throw ItemError(.empty, "the original is empty") }
        let sha256 = loaded.sha256.map { Digest.hex($0) } ?? Digest.sha256.hex(of: data)
        let cache = cache
        if let cache, let cacheKey, let hold = loaded.hold {
            cache.whenSettled(cacheKey) { withExtendedLifetime(hold) {} }
        }
        // Noted now: later, the index would have to be asked what became of it.
        let isStaged = source == .network && storing == nil
        let staged = isStaged ? cacheKey.flatMap { cache?.stagedChange(for: $0) } : nil
        var original = Original(
            data: data,
            mapping: loaded.mapping,
            sha256: sha256,
            source: source,
            cacheKey: cacheKey,
            status: response?.statusCode,
            isLengthProven: response?.isEndProven ?? false,
            robots: manifest.dataset?.honoursOptOut == true ? loaded.metadata?.robots : nil,
            reservation: reservation ?? backpressure.enter(data.count, inFile: loaded.mapping != nil),
            stored: {
                if let staged { return try await staged.result.get() }
                guard let cache, let cacheKey, source == .network else { return }
                await storing?.perform()
                try await cache.waitUntilStored(cacheKey)
            },
            storedFile: {
                guard let cache, let cacheKey else { return nil }
                return cache.durableFile(for: cacheKey, sha256: sha256)
            }
        )
        original.isShared = loaded.isShared
        original.metadata = loaded.metadata
        return original
    }
}

extension ClaimedItem {
    /// Its priority as a request's priority.
    fileprivate var requestPriority: Operation.QueuePriority {
        let priorities: [Operation.QueuePriority] = [.veryLow, .low, .normal, .high, .veryHigh]
        return priorities.indices.contains(priority) ? priorities[priority] : .normal
    }
}
