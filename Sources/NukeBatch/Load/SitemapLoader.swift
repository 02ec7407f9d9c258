import Files
import JobManifest
public import JobPlanning

/// Loads sitemaps for a plan without a run.
///
/// It writes nothing to the cache, and reads the cache only offline.
public struct SitemapLoader: SitemapLoading {
    /// Creates a loader for any manifest.
    public init() {}

    /// Returns every sitemap of `manifest`, with `options` applied, and the sitemaps that they list.
    public func sitemaps(of manifest: Manifest, options: RunOptions) async throws(RunError) -> LoadedSitemaps
    {
        let none = LoadedSitemaps()
        guard manifest.hasSitemaps else { return none }
        var manifest = manifest
        if !options.isOffline { manifest.cache.policy = .none }
        let requests = RequestLog(manifest, counts: RequestCounts())
        let loader = try OriginalLoader(manifest, options, idle: nil, requests: requests)
        defer { loader.close() }
        do {
            let folder = try ScratchFolder.forPlanning()
            return try await loader.sitemaps(RunControl(), in: folder) ?? none
        } catch {
            throw RunError(error)
        }
    }
}
