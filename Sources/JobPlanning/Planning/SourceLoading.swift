public import JobManifest

/// Loads what planning needs from other places, but does not load itself: sitemaps, and listings of buckets.
public protocol SourceLoading: Sendable {
    /// Returns all that the sources of `manifest` need, with `options` applied.
    /// - Throws: `RunError.wrongInput` if something is missing, invalid or refused, `machine` if trying again may help.
    func sources(of manifest: Manifest, options: RunOptions) async throws(RunError) -> LoadedSources
}
