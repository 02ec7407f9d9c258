import Imaging
import JobStorage

/// Which finished items a run takes up again though their manifest is the same.
struct PuttingBack {
    private let manifest: Manifest
    private let options: RunOptions
    private let store: JobStore
    /// Origins are asked again in rounds: one that was interrupted goes on before the next begins.
    private let beginsRound: Bool

    /// Before `manifest`, with `options` applied, is planned into `store`: new items are no part of an interrupted round.
    /// - Throws: `JobStoreError`.
    init(_ manifest: Manifest, _ options: RunOptions, _ store: JobStore) throws(JobStoreError) {
        self.manifest = manifest
        self.options = options
        self.store = store
        let asksAgain = manifest.cache.asksAgain && !options.isOffline
        beginsRound = asksAgain ? try store.reader.counts().unfinished == 0 : false
    }

    /// Puts them back, once the manifest is planned.
    /// - Returns: How many finished items are to be looked at again.
    /// - Throws: `JobStoreError`.
    @discardableResult
    func begin() throws(JobStoreError) -> Int {
        var count = 0
        if beginsRound { count += try store.reopenFinished() }
        if manifest.dataset?.honoursOptOut != true, !manifest.outputs.isEmpty {
            count += try store.reopenSkipped(for: Manifest.optOut)
        }
        if options.refreshesEncoders { count += try store.reopenOutputs(notBy: encoders) }
        try store.releaseRetryable(ItemError.retryable(by: manifest.retry))
        return count
    }

    /// The encoders of this program, as they are recorded.
    private var encoders: Set<String> {
        let formats: [EncodingFormat] = [
            .jpeg(), .png(), .png(PNGOptions(palette: true)), .webp(), .avif(),
        ]
        return Set(formats.map(ImageEncoder.version).filter { !$0.isEmpty })
    }
}
