import Imaging
package import JobManifest
package import JobStorage

/// Requeues finished items that a run must process again although the manifest is unchanged.
package struct RequeuePolicy {
    private let manifest: Manifest
    private let options: RunOptions
    private let store: JobStore
    /// True if a round of revalidation begins; an interrupted round is finished first.
    private let beginsRound: Bool

    /// Creates the policy for `manifest`, with `options` applied, before it is planned into `store`.
    ///
    /// New items are not part of an interrupted round.
    /// - Throws: `JobStoreError`.
    package init(_ manifest: Manifest, options: RunOptions, store: JobStore) throws(JobStoreError) {
        self.manifest = manifest
        self.options = options
        self.store = store
        let asksAgain = manifest.cache.asksAgain && !options.isOffline
        beginsRound = asksAgain ? try store.reader.counts().unfinished == 0 : false
    }

    /// Requeues the items; call it after the manifest is planned.
    /// - Returns: The number of finished items that were requeued.
    /// - Throws: `JobStoreError`.
    @discardableResult
    package func begin() throws(JobStoreError) -> Int {
        var count = 0
        if beginsRound {
            // The listing has told of each change of theirs.
            let listed = manifest.sources.indices.filter(manifest.listsObjects)
            count += try store.requeueFinished(exceptSources: listed)
        }
        if manifest.dataset?.honoursOptOut != true, !manifest.outputs.isEmpty {
            count += try store.requeueSkipped(for: Manifest.optOut)
        }
        if manifest.dataset?.honoursRobots != true, !manifest.outputs.isEmpty {
            count += try store.requeueSkipped(for: Manifest.robots)
        }
        if options.refreshesEncoders { count += try store.requeueOutputs(notBy: encoders) }
        try store.requeueRetryable(Set(manifest.retry.retryableErrors.map(\.rawValue)))
        try store.requeueFailed(becauseOf: manifest.failureSettings)
        if case .after(let age) = manifest.retry.recheck, !options.isOffline {
            try store.requeueFailed(
                with: Set(manifest.retry.recheckedErrors.map(\.rawValue)),
                unchangedFor: Int64(RunTimes.forgiving(age) / .milliseconds(1))
            )
        }
        return count
    }

    /// The encoders of this program, as recorded in the state.
    private var encoders: Set<String> {
        let formats: [EncodingFormat] = [
            .jpeg(), .png(), .png(PNGOptions(palette: true)), .webp(), .avif(),
        ]
        return Set(formats.map(ImageEncoder.version).filter { !$0.isEmpty })
    }
}
