public import JobManifest

/// Loads the sitemaps of a manifest, which planning cannot do without and does not load itself.
public protocol SitemapLoading: Sendable {
    /// Returns every sitemap of `manifest`, with `options` applied, and those that they list.
    /// - Throws: `RunError.wrongInput` for one that is none or not there, `machine` where trying again may help.
    func sitemaps(of manifest: Manifest, options: RunOptions) async throws(RunError) -> LoadedSitemaps
}

extension Manifest {
    /// True if it cannot be planned before something is loaded.
    package var hasSitemaps: Bool {
        sources.contains { if case .sitemap = $0.kind { true } else { false } }
    }
}
