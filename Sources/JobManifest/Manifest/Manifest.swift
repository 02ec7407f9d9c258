package import Foundation

/// The description of a job: the sources, the outputs to make of their images, and the limits.
///
/// A manifest is checked completely when it is read (`read(path:environment:)`) or built in code (`init(sources:state:)`,
/// which has more parameters).
public struct Manifest: Sendable {
    /// The path that stands for standard input.
    package static let standardInput = "-"

    /// A title; the file's name without extension where the manifest has none.
    public var name: String
    /// The sources of items, at least one.
    public var sources: [Source]
    /// The processors that run before the source's and the output's.
    public var processors: [Step]
    /// The outputs of every item; with none, a run only fills the cache.
    public var outputs: [Output]
    /// The markup of outputs that have any.
    public var markups: [Markup]
    /// The facts to record of every original, each once; those that markup needs included.
    public var facts: [Fact]
    /// The folder or the bucket of the outputs.
    public var destination: Destination
    /// The destination as written, before its variables are expanded.
    public var destinationText: String
    /// The file of the job's state, absolute; nil for the default place.
    public var statePath: String?
    /// The files of items that were planned before, in place of the sources' rows; none if the sources are read.
    package var plannedItems: [PlannedItemFile] = []
    /// The most items of a fleet's partition; nil without a limit of its own.
    package var partitionItems: Int?
    /// The cache of originals.
    public var cache: CacheSettings
    /// The settings of loading.
    public var loading: LoadingSettings
    /// The settings of retries.
    public var retry: RetrySettings
    /// The limits of a run and of an image.
    public var limits: LimitSettings
    /// The settings of a dataset; nil if the outputs are not one.
    public var dataset: DatasetSettings?
    /// The service that holds the buckets of `s3:` URLs.
    public var storage: StorageSettings
    /// The addresses and folders that the job may reach; `fileRoots` includes the folders of the sources' globs.
    public var network: NetworkSettings

    /// Warnings about the manifest, one sentence each.
    public let warnings: [String]
    /// The manifest's file as it was given; `-` for one from standard input or built in code.
    public let path: String
    /// The manifest's name in messages.
    package let shownPath: String
    /// The bytes of a manifest without a file, which cannot be read again; nil for a file.
    package let text: Data?
    /// The absolute folder that the file is in, from which its relative paths start; without a file, the working
    /// directory.
    public let folder: String
    /// SHA-256 of the file's bytes, in hexadecimal.
    public let sha256: String
    /// The values of the environment variables that the manifest names; never stored.
    public let variables: Variables
    /// The bytes of the files that the manifest was read from, by their absolute paths, to read it on another machine.
    ///
    /// They are its own file, those that it includes, and images of watermarks. A folder that a source names without a
    /// pattern is there with a slash at its end, and without bytes.
    package let files: [String: Data]
    /// True if the manifest was read from the files of another reading.
    package let isFromFiles: Bool

    /// Returns the text whose change makes an output of `source`'s items again; see `Output.recipe`.
    public func recipe(of output: Output, source: Int) -> String {
        let recipe = CanonicalJSON.object(recipeParts(of: output, source: source)).text
        return dataset?.pack.map { "\($0.rawValue) \(recipe)" } ?? recipe
    }

    /// Returns the parts of the text that `recipe(of:source:)` returns.
    func recipeParts(of output: Output, source: Int) -> [String: CanonicalJSON] {
        var parts = output.recipe(steps(of: output, source: source), destination: destinationText)
        if let dataset, dataset.pack == .tar, !dataset.captions.isEmpty {
            parts["caption"] = .array(dataset.captions.map { .string("\($0.suffix) \($0.column)") })
        }
        return parts
    }

    /// Returns the processors of an output for the items of a source, in order; none for copies of the bytes.
    package func steps(of output: Output, source: Int) -> [Step] {
        guard output.format != .original else { return [] }
        let ofSource = sources.indices.contains(source) ? sources[source].processors : []
        return processors + ofSource + output.processors
    }

    /// The URL to load for a stored one: variables of the manifest expanded, a bare path made a `file:` URL.
    public func target(of url: String) -> String {
        guard Variables.occur(in: url) else { return url }
        let expanded = variables.expanded(url)
        if ItemURL.isObject(expanded) { return expanded }
        return ItemURL.check(expanded, folder: folder, schemes: network.schemes).url
    }

    /// The headers to send for stored ones: variables of the manifest expanded.
    public func expanded(headers: [String: String]) -> [String: String] {
        headers.mapValues(variables.expanded)
    }
}
