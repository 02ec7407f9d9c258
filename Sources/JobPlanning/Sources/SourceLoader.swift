package import Files
package import JobManifest
package import ObjectStorage
package import Originals

/// Loads what planning needs from other places: sitemaps, lists in object stores, and listings of buckets.
///
/// Every plan loads them anew, since their contents determine the items.
package struct SourceLoader: Sendable {
    let manifest: Manifest
    let isOffline: Bool
    let fetcher: OriginalFetcher
    let listingLimiter: HostRateLimiter
    let files: LocalFiles
    /// The queue that reads files.
    let reading = WorkQueue(name: "read sources", width: 2)
    /// Hides what the manifest keeps secret.
    let redaction: NetworkLog.Redaction
    let observer: @Sendable (S3Exchange) -> Void

    /// Creates a loader within the limits of `transfers`; `observer` gets each request to an object store that has ended.
    package init(
        _ manifest: Manifest,
        isOffline: Bool,
        transfers: JobTransfers,
        fetcher: OriginalFetcher,
        observer: @escaping @Sendable (S3Exchange) -> Void = { _ in }
    ) {
        (self.manifest, self.isOffline, self.fetcher, self.observer) = (
            manifest, isOffline, fetcher, observer
        )
        listingLimiter = transfers.listingLimiter
        files = transfers.files
        redaction = manifest.redaction
    }

    /// Loads the sources of a manifest, with `options` applied, for a plan without a run.
    ///
    /// It writes nothing to the cache, and reads the cache only offline.
    /// - Throws: `RunError.wrongInput` if something is missing, invalid or refused, `machine` if trying again may help.
    package static func sources(
        of manifest: Manifest,
        _ options: RunOptions
    ) async throws(RunError) -> LoadedSources {
        guard manifest.hasRemoteSources else { return LoadedSources() }
        var manifest = manifest
        if !options.isOffline { manifest.cache.policy = .none }
        let transfers = try JobTransfers(manifest, options)
        defer { transfers.cache?.close() }
        return try await RunError.wrapping {
            let loader = SourceLoader(
                manifest,
                isOffline: options.isOffline,
                transfers: transfers,
                fetcher: transfers.fetcher()
            )
            let loaded = try await loader.sources(RunControl(), in: .forPlanning()) ?? LoadedSources()
            try await loaded.finishListing()
            return loaded
        }
    }

    /// Returns what the sources of the manifest hold in other places; sitemaps are in `folder`, and objects are still being
    /// listed.
    ///
    /// The result is nil if `control` stops the run meanwhile.
    /// - Throws: `RunError.wrongInput` for what is missing, invalid or refused, `machine` if another run may succeed.
    package func sources(
        _ control: RunControl,
        in folder: ScratchFolder
    ) async throws(RunError) -> LoadedSources? {
        var loaded = LoadedSources()
        if manifest.hasSitemaps {
            guard let sitemaps = try await sitemaps(control, in: folder) else { return nil }
            loaded.sitemaps = sitemaps
        }
        guard manifest.usesObjectStore else { return loaded }
        guard !isOffline else {
            loaded.isOffline = true
            return loaded
        }
        return try await stored(control, in: folder, beside: loaded)
    }
}
