import Files
import JobManifest
import JobPlanning
import JobStorage

extension RunContext {
    /// Looks at what earlier runs of the job have left; the run holds the job's lock.
    /// - Throws: `JobStoreError`.
    init(
        _ manifest: Manifest,
        _ options: RunOptions,
        in store: JobStore,
        statistics: RunStatistics,
        control: RunControl,
        counts: RequestCounts,
        forgotten: ShardRecord?
    ) throws(JobStoreError) {
        // A killed run may have left it behind.
        ScratchFolder.removeLeftover(at: LoadedSitemaps.path(besideState: store.path))
        self.init(
            manifest: manifest,
            options: options,
            store: store,
            statistics: statistics,
            control: control,
            requests: RequestLog(manifest, counts: counts),
            idle: options.startsWithEmptyBuckets ? .zero : try HostStateStore.idle(store),
            runs: manifest.cache.maxAge == nil ? RunTimes() : try RunTimes(store.reader),
            destinationPacing: manifest.destination.bucket.map { _ in BucketPacing(manifest.storage.s3) },
            forgotten: forgotten
        )
    }
}
