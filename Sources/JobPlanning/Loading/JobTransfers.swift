import Files
package import Foundation
import Imaging
package import JobManifest
package import Originals

/// The cache of a job and the ways to its originals and lists, as its manifest says; nothing is loaded yet.
package struct JobTransfers: Sendable {
    /// The limits on requests to each host.
    package let rateLimiter: HostRateLimiter
    /// The limits of the requests that list buckets and read lists in them.
    package let listingLimiter: HostRateLimiter
    /// The cache of originals; nil if the manifest keeps none.
    package let cache: DataCache?
    /// The loader of what is not in the cache.
    package let loader: CurlDataLoader
    /// The files of this machine that rows may name.
    package let files: LocalFiles
    /// The queue whose width bounds the running transfers.
    package let slots: OperationQueue
    /// The most bytes of an original from any host.
    private let limit: Int

    /// Opens the cache and sets up the transfers.
    ///
    /// `idle` is the time since an earlier run may last have asked a host, which limits the requests saved up for a
    /// burst; nil if it is long enough. `observer` gets each transfer that has ended, on the transfer thread.
    ///
    /// - Throws: `RunError.machine` if the cache's folder cannot be created, `wrongInput` for an invalid address.
    package init(
        _ manifest: Manifest,
        _ options: RunOptions,
        idle: Duration? = nil,
        observer: @escaping @Sendable (TransferRecord) -> Void = { _ in }
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
        loader = CurlDataLoader(
            configuration: try .init(manifest, rateLimiter: rateLimiter, observer: observer)
        )
        files = LocalFiles(roots: manifest.network.fileRoots)
        slots = OperationQueue()
        slots.maxConcurrentOperationCount = ProcessLimits.descriptors(atMost: loading.concurrency)
        // The loader has each host's limit; this is the highest of them.
        limit = loading.hosts.values.map(\.maxBytes).reduce(loading.maxBytes, max)
    }

    /// Returns a fetcher from the cache and over the network, which keeps arriving bodies in `storage`.
    package func fetcher(storage: BodyStorage = BodyStorage()) -> OriginalFetcher {
        var configuration = OriginalFetcher.Configuration(loader: loader, cache: cache, slots: slots)
        configuration.limit = limit
        configuration.storage = storage
        return OriginalFetcher(configuration)
    }

    private static func openCache(_ manifest: Manifest) throws(RunError) -> DataCache? {
        guard manifest.cache.policy == .storeOriginalData else { return nil }
        do {
            if manifest.cache.compression == .jpegXL { try CodecPlugIn.jxl.load() }
            let cache = try DataCache(path: URL(fileURLWithPath: manifest.cache.directory, isDirectory: true))
            cache.sizeLimit = manifest.cache.sizeLimit
            cache.compression = EntryCompression(manifest.cache.compression)
            return cache
        } catch let error as ImagingError {
            throw .machine("cache.compression is \"jxl\": \(error.message)")
        } catch {
            throw .machine(
                "the cache \(manifest.cache.directory) cannot be opened: \(error); choose another folder with --cache"
            )
        }
    }
}

extension EntryCompression {
    fileprivate init(_ compression: CacheSettings.Compression) {
        self =
            switch compression {
            case .none: .none
            case .deflate: .deflate
            case .jpegXL: .jpegXL
            }
    }
}
