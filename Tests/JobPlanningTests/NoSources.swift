import JobManifest
import JobPlanning

/// Loads nothing, for manifests whose sources are all in files.
struct NoSources: SourceLoading {
    func sources(of manifest: Manifest, options: RunOptions) async throws(RunError) -> LoadedSources {
        LoadedSources()
    }
}
