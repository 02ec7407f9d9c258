public import JobManifest

/// Loads the sitemaps of a manifest, which planning needs but does not load itself.
public protocol SitemapLoading: Sendable {
    /// Returns every sitemap of `manifest`, with `options` applied, and those that they list.
    /// - Throws: `RunError.wrongInput` for a missing or invalid sitemap, `machine` if trying again may help.
    func sitemaps(of manifest: Manifest, options: RunOptions) async throws(RunError) -> LoadedSitemaps
}

extension Manifest {
    /// True if the manifest has sitemaps, which must be loaded before planning.
    package var hasSitemaps: Bool {
        sources.contains { if case .sitemap = $0.kind { true } else { false } }
    }
}
