package import JobManifest
package import JobStorage

extension Planner {
    /// Returns the last plan of a manifest, if planning ended with an error about a source in another place, and a warning of it.
    /// - Throws: `error`, if it is about anything else, or if this manifest has no last plan; `JobStoreError`.
    package static func lastPlan(
        of manifest: Manifest,
        _ options: RunOptions,
        in store: JobStore,
        insteadOf error: any Error
    ) throws -> (plan: Summary, warning: String) {
        guard case .lostSource(let sentence, _) = RunError(error),
            let last = try Planner(manifest, options, loaded: LoadedSources()).lastPlan(of: store)
        else { throw error }
        return (last, "\(sentence); the run works on the last plan")
    }
}
