import Foundation
public import JobManifest
package import Originals

/// The options of a run, which override its manifest; nil keeps the manifest's value.
public struct RunOptions: Sendable {
    /// The file of the job's state.
    ///
    /// Default: the manifest's `state`, or `.nuke-batch/NAME.sqlite` beside the manifest, after the manifest's file. For a
    /// manifest in a folder `.nuke-batch`, the state is in that folder.
    public var state: String?
    /// The base folder of the outputs, or `s3://bucket/prefix`.
    public var destination: String?
    /// The folder of the originals.
    public var cache: String?
    /// The maximum number of concurrent transfers.
    public var concurrency: Int?
    /// The maximum number of concurrent transfers to one host.
    public var perHost: Int?
    /// The maximum rate of requests to one host.
    public var rate: Rate?
    /// The maximum number of images processed at once.
    public var processing: Int?
    /// The memory that originals, pixels and outputs share, in bytes.
    public var memory: Int?
    /// The time after which the run takes no new items.
    public var maxDuration: Duration?
    /// The maximum number of items that the run starts.
    public var limit: Int?
    /// The one output to make.
    public var onlyOutput: String?
    /// True if only cached originals and files are used.
    public var isOffline = false
    /// True if every cached original is revalidated.
    public var isRevalidating = false
    /// True if outputs made by another version of an encoder are remade.
    public var refreshesEncoders = false
    /// True if the run trusts that recorded outputs are still in the destination.
    public var skipsCheck = false
    /// True if the run looks for recorded outputs in a bucket, which takes a request for each thousand objects; it always
    /// looks in a folder.
    public var checksBucket = false
    /// The partition of the items to process; nil for all items.
    public var shard: Partition?
    /// True if the existing state is discarded first.
    public var isFresh = false
    /// The failed items that make the run end with exit code 1.
    public var failOn = FailurePolicy.any
    /// The program, with its first arguments, that tries images which may have crashed a run.
    ///
    /// It must run `RenderProcess`. If empty, the images are tried in this process, one at a time, and SVG is refused.
    public var sandboxProgram: [String] = []
    /// True if only the originals are loaded.
    public var isWarming = false

    /// True if cached originals are compared with their digests before anything is made of them, as when outputs are repaired.
    package var comparesOriginals = false
    /// True if no host may have a burst at the start, whatever is known of earlier runs.
    package var startsWithEmptyBuckets = false
    /// True if the run plans and processes nothing, and only writes what sums up all of them: markup, and the index of a dataset.
    package var onlyFinishes = false

    /// The policy that stops requests to a host that does not answer.
    package var breaking = HostBreaker.Policy()
    /// The policy that distinguishes an outage of the network from failures of hosts.
    package var outage = OutageDetector.Policy()
    /// The longest outage before the run ends.
    package var outageLimit: Duration = .seconds(600)

    /// Creates options that override nothing.
    public init() {}

    /// Creates options; nil keeps the manifest's value.
    public init(
        state: String? = nil,
        destination: String? = nil,
        cache: String? = nil,
        concurrency: Int? = nil,
        perHost: Int? = nil,
        rate: Rate? = nil,
        processing: Int? = nil,
        memory: Int? = nil,
        maxDuration: Duration? = nil,
        limit: Int? = nil,
        onlyOutput: String? = nil,
        isOffline: Bool = false,
        isRevalidating: Bool = false,
        refreshesEncoders: Bool = false,
        shard: Partition? = nil,
        isFresh: Bool = false,
        failOn: FailurePolicy = .any,
        sandboxProgram: [String] = [],
        isWarming: Bool = false,
        skipsCheck: Bool = false
    ) {
        (self.state, self.destination, self.cache) = (state, destination, cache)
        (self.concurrency, self.perHost, self.rate) = (concurrency, perHost, rate)
        (self.processing, self.memory) = (processing, memory)
        (self.maxDuration, self.limit, self.onlyOutput) = (maxDuration, limit, onlyOutput)
        (self.isOffline, self.isRevalidating) = (isOffline, isRevalidating)
        (self.refreshesEncoders, self.shard, self.isFresh) = (refreshesEncoders, shard, isFresh)
        (self.failOn, self.sandboxProgram, self.isWarming) = (failOn, sandboxProgram, isWarming)
        self.skipsCheck = skipsCheck
    }

    /// Returns the manifest with these options applied.
    /// - Throws: `RunError.wrongInput` for an output that the manifest does not have, a state without a place, or a partition of a
    /// job that is deduplicated.
    public func applied(to manifest: Manifest) throws(RunError) -> Manifest {
        try checkState(of: manifest)
        return try appliedWithoutState(to: manifest)
    }

    /// Returns the manifest with these options applied where no state is looked at, which needs no place either.
    /// - Throws: As ``applied(to:)``.
    func appliedWithoutState(to manifest: Manifest) throws(RunError) -> Manifest {
        guard !skipsCheck || !checksBucket else {
            throw .wrongInput("--check and --skip-check exclude each other: leave one out")
        }
        var manifest = manifest
        if let destination { try manifest.moveOutputs(to: destination) }
        if let cache {
            manifest.cache.directory = FilePath.absolute(cache, in: FileManager.default.currentDirectoryPath)
        }
        manifest.loading.apply(self)
        for host in manifest.loading.hosts.keys { manifest.loading.hosts[host]?.apply(self) }
        manifest.limits.processing = processing ?? manifest.limits.processing
        manifest.limits.memory = memory ?? manifest.limits.memory
        manifest.limits.maxDuration = maxDuration ?? manifest.limits.maxDuration
        if isRevalidating { manifest.cache.revalidate = .always }
        if isWarming { (manifest.outputs, manifest.facts, manifest.dataset) = ([], [], nil) }
        // Markup has the images of all outputs.
        if isWarming || onlyOutput != nil { manifest.markups = [] }
        if let shard {
            try manifest.refuseToDeduplicateParts()
            manifest.dataset?.nameIndex(of: shard)
            for index in manifest.markups.indices { manifest.markups[index].nameIndex(of: shard) }
        }
        if let onlyOutput {
            let names = manifest.outputs.map(\.name)
            manifest.outputs = manifest.outputs.filter { $0.name == onlyOutput }
            guard !manifest.outputs.isEmpty else {
                throw .wrongInput(
                    "\(manifest.shownPath) has no output \(onlyOutput), only: \(names.joined(separator: ", "))"
                )
            }
        }
        let isHead = ([manifest.loading] + manifest.loading.hosts.values).contains { $0.method == .head }
        guard !isHead || manifest.outputs.isEmpty && manifest.facts.isEmpty else {
            throw .wrongInput(
                "\(manifest.shownPath): loading.method HEAD loads no images for outputs or facts: use warm, or GET"
            )
        }
        return manifest
    }

    /// Returns the absolute path of the state of `manifest`.
    public func statePath(of manifest: Manifest) -> String {
        if let state { return FilePath.absolute(state, in: FileManager.default.currentDirectoryPath) }
        let name = FilePath.stem(of: manifest.path)
        let path = manifest.statePath ?? "\(manifest.stateFolder)/\(name).sqlite"
        guard let shard else { return path }
        return FilePath.inserting(".shard-\(shard.number)-of-\(shard.count)", beforeExtensionOf: path)
    }

    /// Checks that the state of `manifest` has a place: a manifest from standard input has no file to name it after.
    /// - Throws: `RunError.wrongInput`.
    package func checkState(of manifest: Manifest) throws(RunError) {
        guard manifest.text != nil, manifest.statePath == nil, state == nil else { return }
        throw .wrongInput(
            "\(manifest.shownPath): the state of a manifest from standard input needs a name: "
                + "add --state-file FILE or the key \"state\""
        )
    }
}

extension Manifest {
    /// Replaces the destination; a relative path starts from the working directory.
    /// - Throws: `RunError.wrongInput` for an invalid bucket, and for a folder where outputs have attributes of objects.
    fileprivate mutating func moveOutputs(to text: String) throws(RunError) {
        do throws(TextError) {
            destination = try Destination(text, in: FileManager.default.currentDirectoryPath)
        } catch {
            throw .wrongInput("--destination \(error.description)")
        }
        destinationText = destination.description
        guard destination.bucket == nil, let output = outputs.first(where: { $0.object != ObjectSettings() })
        else { return }
        throw .wrongInput(
            "--destination \(text) is a folder, but outputs[\(output.entry)].object is for s3://bucket/prefix"
        )
    }

    /// Checks that the job may be divided: a part cannot compare its originals with those of the others.
    /// - Throws: `RunError.wrongInput`.
    package func refuseToDeduplicateParts() throws(RunError) {
        guard let deduplication = dataset?.deduplication else { return }
        throw .wrongInput(
            "\(shownPath): dataset.deduplicate \"\(deduplication)\" compares all originals of the job, and a part of it has its own "
                + "alone: run the job on one machine without --shard, or leave out the key"
        )
    }

    /// The absolute folder of the state, unless the manifest or an option names another.
    var stateFolder: String {
        folder.utf8.reversed().starts(with: "/.nuke-batch".utf8.reversed()) ? folder : folder + "/.nuke-batch"
    }
}

extension LoadingSettings {
    fileprivate mutating func apply(_ options: RunOptions) {
        concurrency = options.concurrency ?? concurrency
        // An assignment counts as a choice, which buckets share.
        if let perHost = options.perHost { self.perHost = perHost }
        if let rate = options.rate { self.rate = rate }
    }
}
