public import Foundation
public import JobManifest

extension Manifest {
    /// Builds and checks a manifest in code, by the rules of a manifest's file, and checks that its lists, their columns and
    /// its folders exist.
    ///
    /// Relative paths start from the working directory. In texts, `${NAME}` stands for an environment variable and `$${` for
    /// `${`. Nothing is loaded or written.
    /// - Parameters:
    ///   - name: The title.
    ///   - sources: The sources of items, at least one.
    ///   - processors: The processors that run before the source's and the output's.
    ///   - outputs: The outputs of every item; with none, a run only fills the cache.
    ///   - facts: The facts to record of every original.
    ///   - destination: The base folder of the outputs.
    ///   - state: The file of the job's state: a later run with the same file continues the job.
    ///   - cache: The cache of originals.
    ///   - loading: The settings of loading.
    ///   - retry: The settings of retries.
    ///   - limits: The limits of a run and of an image.
    ///   - network: The addresses and folders that the job may reach.
    ///   - dataset: The settings of a dataset; nil if the outputs are not one.
    ///   - storage: The services of object storage.
    ///   - environment: The variables for `${NAME}`.
    /// - Throws: All errors at once, each with the path of its key in a manifest's file, such as `outputs[0].format`, and its
    ///   remedy.
    public init(
        name: String = "job",
        sources: [ManifestSource],
        processors: [Step] = [],
        outputs: [ManifestOutput] = [],
        facts: [Fact] = [],
        destination: String = "out",
        state: String,
        cache: CacheSettings = CacheSettings(),
        loading: LoadingSettings = LoadingSettings(),
        retry: RetrySettings = RetrySettings(),
        limits: LimitSettings = LimitSettings(),
        network: NetworkSettings = NetworkSettings(),
        dataset: DatasetSettings? = nil,
        storage: StorageSettings = StorageSettings(),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ManifestErrors) {
        var draft = ManifestDraft()
        (draft.name, draft.sources, draft.processors, draft.outputs) = (name, sources, processors, outputs)
        (draft.facts, draft.destination, draft.state) = (facts, destination, state)
        (draft.cache, draft.loading, draft.retry, draft.limits) = (cache, loading, retry, limits)
        (draft.network, draft.dataset, draft.storage) = (network, dataset, storage)
        self = try Manifest.read(built: draft.json, environment: environment, inspector: SourceInspector())
    }
}
