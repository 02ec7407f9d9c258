/// One job: which images, where from, what to make of them, and within which limits.
///
/// A manifest is checked whole when it is read (`read(path:environment:)`), so that what is here can be done.
public struct Manifest: Sendable {
    /// A title; the file's name without extension where the manifest has none.
    public var name: String
    /// Where the items come from, at least one.
    public var sources: [Source]
    /// Applied to every item before the source's and the output's own.
    public var processors: [Step]
    /// What is made of every item; nothing where only the cache is to be warmed.
    public var outputs: [Output]
    /// What is found out about every original, each fact once.
    public var facts: [Fact]
    /// The base folder of the outputs as written, before its variables are expanded.
    public var destination: String
    /// The base folder of the outputs, absolute.
    public var destinationPath: String
    /// The cache of originals.
    public var cache: CacheSettings
    /// How originals are loaded.
    public var loading: LoadingSettings
    /// When a load is tried again.
    public var retry: RetrySettings
    /// What a run may cost.
    public var limits: LimitSettings
    /// What the outputs are to be as a dataset; nil where they are not meant as one.
    public var dataset: DatasetSettings?
    /// What may be reached; `fileRoots` holds the folders of the sources' globs as well.
    public var network: NetworkSettings

    /// The manifest's file as it was given.
    public let path: String
    /// The absolute folder that the file is in, from which its relative paths start.
    public let folder: String
    /// SHA-256 of the file's bytes, in hexadecimal.
    public let sha256: String
    /// The values of the environment variables that the manifest names; never stored.
    public let variables: Variables

    /// The text that tells whether an output of `source`'s items has to be made again; see `Output.recipe`.
    public func recipe(of output: Output, source: Int) -> String {
        let recipe = output.recipe(steps(of: output, source: source), destination: destination)
        return dataset?.pack.map { "\($0.rawValue) \(recipe)" } ?? recipe
    }

    /// What is done to the items of a source for an output, in order; nothing for copies of the bytes.
    func steps(of output: Output, source: Int) -> [Step] {
        guard output.format != .original else { return [] }
        let ofSource = sources.indices.contains(source) ? sources[source].processors : []
        return processors + ofSource + output.processors
    }

    /// The URL to load for a stored one: variables of the manifest expanded, a bare path made a `file:` URL.
    public func target(of url: String) -> String {
        guard Variables.occur(in: url) else { return url }
        let expanded = variables.expanded(url)
        return ItemURL.check(expanded, folder: folder, schemes: network.schemes).url
    }

    /// The headers to send for stored ones: variables of the manifest expanded.
    public func expanded(headers: [String: String]) -> [String: String] {
        headers.mapValues(variables.expanded)
    }
}
