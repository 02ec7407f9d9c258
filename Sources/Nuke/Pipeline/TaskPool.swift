/// The tasks in progress of one pipeline, by their results: equal requests meet here.
@ImagePipelineActor
final class TaskPool {
    /// The fetches of original data.
    var originalData: [DownloadKey: AsyncTask<LoadedData>] = [:]
    /// The decodes of originals.
    var originalImages: [OriginalImageKey: AsyncTask<ImageResponse>] = [:]
    /// The images with processors applied, or as they are.
    var images: [ImageKey: AsyncTask<ImageResponse>] = [:]
    /// The running image tasks, with their subscriptions.
    var imageTasks: [ImageTask: TaskSubscription] = [:]
    /// The records of the running image tasks; empty without diagnostics.
    var records: [ImageTask: TaskRecord] = [:]
    /// The number of recorded jobs so far.
    var jobCount: UInt64 = 0
    /// The running data tasks by identity, with their subscriptions.
    var dataTasks: [ObjectIdentifier: (task: DataTask, subscription: TaskSubscription)] = [:]
    /// Data in decodes that suit only those who asked before: a later request decodes it anew, but does not load it.
    var decoding: [DownloadKey: LoadedData] = [:]
    /// The downloads whose bytes were stored most recently.
    var stores = RecentStores<DownloadKey>()

    nonisolated init() {}

    /// Returns the task in progress for `key`, or a new one, which stands in `tasks` until it is closed or over.
    func task<Key: Hashable, Value>(
        for key: Key,
        in tasks: ReferenceWritableKeyPath<TaskPool, [Key: AsyncTask<Value>]>,
        starter: @escaping @ImagePipelineActor (AsyncTask<Value>) -> Void
    ) -> AsyncTask<Value> {
        if let task = self[keyPath: tasks][key] { return task }
        let task = AsyncTask<Value>(
            onDisposed: { [self] in if self[keyPath: tasks][key] === $0 { self[keyPath: tasks][key] = nil } },
            starter: starter
        )
        self[keyPath: tasks][key] = task
        return task
    }
}
