import Files
import Foundation
import Imaging
import JobManifest
import JobPlanning
import ObjectStorage
import Originals
import Transport

/// Sets up the stages "load" and "cache" for one run from its manifest.
extension OriginalLoader {
    /// Opens the cache and sets up the transfers; nothing is loaded yet.
    ///
    /// `idle` is the time since an earlier run may last have asked a host, which limits the requests saved up for a
    /// burst; nil if it is long enough. Each transfer is added to `requests`.
    ///
    /// - Throws: `RunError.machine` if the cache's folder cannot be created, `wrongInput` for an invalid address.
    init(
        _ manifest: Manifest,
        _ options: RunOptions,
        idle: Duration?,
        runs: RunTimes = RunTimes(),
        requests: RequestLog
    ) throws(RunError) {
        let loading = manifest.loading
        rateLimiter = HostRateLimiter(
            limits: HostRateLimiter.Limits(loading),
            hosts: loading.hosts.mapValues { HostRateLimiter.Limits($0) },
            bucketLimits: HostRateLimiter.Limits(loading.ofBuckets),
            idle: idle,
            breaking: options.breaking,
            outage: options.outage
        )
        listingLimiter = HostRateLimiter(
            limits: HostRateLimiter.Limits(loading.ofListings),
            hosts: loading.hosts.mapValues { HostRateLimiter.Limits($0) }
        )
        cache = try Self.openCache(manifest)
        cache?.comparesContents = options.comparesOriginals
        let edge = EdgeStatistics()
        let storage = try manifest.objectStorage()
        let loader = try Self.loader(
            manifest,
            rateLimiter: rateLimiter,
            storage: storage,
            requests: requests,
            edge: edge
        )
        self.edge = edge
        self.requests = requests
        let slots = OperationQueue()
        slots.maxConcurrentOperationCount = ProcessLimits.descriptors(atMost: loading.concurrency)
        var configuration = OriginalFetcher.Configuration(loader: loader, cache: cache, slots: slots)
        // The loader has each host's limit; this is the highest of them.
        configuration.limit = loading.hosts.values.map(\.maxBytes).reduce(loading.maxBytes, max)
        warming = EdgeWarming(loader, slots: slots)
        self.manifest = manifest
        self.runs = runs
        namedBuckets = manifest.namedBuckets
        isOffline = options.isOffline
        pinOwner = manifest.outputs.isEmpty ? options.statePath(of: manifest) : nil
        let folder =
            cache == nil ? (options.statePath(of: manifest) as NSString).deletingLastPathComponent : nil
        bodyFolder = try? Folder(path: folder ?? manifest.cache.directory)
        let memory = MemoryShares(manifest.limits.memory)
        self.memory = memory
        backpressure = LoadBackpressure(
            slots,
            LoadBackpressure.Limits(
                bytes: memory.originals,
                fileBytes: manifest.limits.memory,
                receivedBytes: memory.transfers,
                count: 16 + 4 * manifest.limits.processing,
                unstored: loading.concurrency
            )
        )
        configuration.storage = BodyStorage(folder: bodyFolder, accounting: backpressure)
        fetcher = OriginalFetcher(configuration)
        files = LocalFiles(roots: manifest.network.fileRoots)
        reading = WorkQueue(name: "read", width: 2)
    }

    /// Cancels waiting and active transfers, whose items are put back.
    func stop() {
        fetcher.stop()
        warming.stop()
    }

    /// Waits until cancelled transfers have stored their partial data in the cache.
    func settle() async {
        await fetcher.settle()
    }

    /// Closes the cache after its pending writes.
    func close() {
        cache?.close()
    }

    private static func openCache(_ manifest: Manifest) throws(RunError) -> DataCache? {
        guard manifest.cache.policy == .storeOriginalData else { return nil }
        do {
            let cache = try DataCache(path: URL(fileURLWithPath: manifest.cache.directory, isDirectory: true))
            cache.sizeLimit = manifest.cache.sizeLimit
            cache.isCompressionEnabled = manifest.cache.compression
            return cache
        } catch {
            throw .machine(
                "the cache \(manifest.cache.directory) cannot be opened: \(error); choose another folder with --cache"
            )
        }
    }

    private static func loader(
        _ manifest: Manifest,
        rateLimiter: HostRateLimiter,
        storage: S3Service?,
        requests: RequestLog,
        edge: EdgeStatistics
    ) throws(RunError) -> CurlDataLoader {
        var configuration = CurlDataLoader.Configuration()
        configuration.rateLimiter = rateLimiter
        configuration.observer = { transfer in
            edge.add(transfer)
            requests.add(transfer)
        }
        configuration.schemes = manifest.network.schemes.intersection(["http", "https", "ftp"])
        configuration.objectStorage = storage
        configuration.proxy = TransportConfiguration.Proxy(manifest.network.proxy)
        configuration.userAgent = "nuke-batch/\(Version.current)"
        configuration.limits = CurlDataLoader.Limits(manifest.loading)
        configuration.hosts = manifest.loading.hosts.mapValues { CurlDataLoader.Limits($0) }
        do {
            configuration.addressPolicy = try AddressPolicy(allow: manifest.network.allow)
        } catch {
            throw .wrongInput("network.allow: \(error)")
        }
        return CurlDataLoader(configuration: configuration)
    }
}

extension HostRateLimiter.Limits {
    /// The limits of a manifest's settings.
    init(_ settings: LoadingSettings) {
        self.init(rate: settings.rate.perSecond, burst: settings.burst, concurrency: settings.perHost)
    }
}

extension CurlDataLoader.Limits {
    fileprivate init(_ settings: LoadingSettings) {
        self.init()
        connectTimeout = settings.connectTimeout
        timeout = settings.timeout
        totalTimeout = settings.totalTimeout
        maxRedirects = settings.maxRedirects
        maxBytes = settings.maxBytes
        headers = settings.headers
        if let userAgent = settings.userAgent,
            !headers.keys.contains(where: { $0.lowercased() == "user-agent" })
        {
            headers["User-Agent"] = userAgent
        }
        bandwidth = settings.bandwidth
        switch settings.authorization {
        case .bearer(let token): headers["Authorization"] = "Bearer \(token)"
        case .basic(let user, let password):
            headers["Authorization"] = "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        case .netrc: authentication = .netrc()
        case .awsSigV4(let keys):
            authentication = .awsSigV4(
                AWSSignature(
                    AWSCredentials(
                        accessKey: keys.accessKey,
                        secretKey: keys.secretKey,
                        sessionToken: keys.sessionToken
                    ),
                    region: keys.region,
                    service: keys.service
                )
            )
        case nil: break
        }
    }
}
