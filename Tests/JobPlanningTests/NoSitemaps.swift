import JobManifest
import JobPlanning

/// Loads nothing, for manifests without sitemaps.
struct NoSitemaps: SitemapLoading {
    func sitemaps(of manifest: Manifest, options: RunOptions) async throws(RunError) -> LoadedSitemaps {
        LoadedSitemaps()
    }
}
