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
        let ignored = ignoredWishes
        if !ignored.isEmpty, !manifest.outputs.isEmpty { count += try store.requeueSkipped(for: ignored) }
        if !manifest.outputs.isEmpty { count += try requeueDuplicates() }
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

    /// Requeues items that are no duplicates any more, and those that have become duplicates.
    private func requeueDuplicates() throws(JobStoreError) -> Int {
        if let deduplication = manifest.dataset?.deduplication {
            try store.findDuplicates(by: deduplication)
        } else {
            try store.forgetDuplicates()
        }
        return try store.requeueDuplicates()
    }

    /// The reasons for which origins may have had items skipped, and which the manifest does not honour.
    private var ignoredWishes: [String] {
        [
            (Manifest.optOut, manifest.dataset?.honoursOptOut),
            (Manifest.robots, manifest.dataset?.honoursRobots),
        ].filter { $0.1 != true }.map(\.0)
    }

    /// The encoders of this program, as recorded in the state.
    private var encoders: Set<String> {
        let formats: [EncodingFormat] = [
            .jpeg(), .png(), .png(PNGOptions(palette: true)), .webp(), .avif(), .jxl(), .gif(),
        ]
        return Set(formats.map(ImageEncoder.version).filter { !$0.isEmpty })
    }
}
