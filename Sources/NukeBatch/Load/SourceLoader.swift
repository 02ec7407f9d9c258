import Files
import JobManifest
public import JobPlanning

/// Loads sitemaps and lists buckets for a plan without a run.
///
/// It writes nothing to the cache, and reads the cache only offline.
public struct SourceLoader: SourceLoading {
    /// Creates a loader for any manifest.
    public init() {}

    /// Returns every sitemap of `manifest`, with `options` applied, and the sitemaps that they list, and the objects of its
    /// buckets.
    public func sources(of manifest: Manifest, options: RunOptions) async throws(RunError) -> LoadedSources {
        guard manifest.hasRemoteSources else { return LoadedSources() }
        var manifest = manifest
        if !options.isOffline { manifest.cache.policy = .none }
        let requests = RequestLog(manifest, counts: RequestCounts())
        let loader = try OriginalLoader(manifest, options, idle: nil, requests: requests)
        defer { loader.close() }
        do {
            let folder = try ScratchFolder.forPlanning()
            let loaded = try await loader.sources(RunControl(), in: folder) ?? LoadedSources()
            try await loaded.finishListing()
            return loaded
        } catch {
            throw RunError(error)
        }
    }
}
