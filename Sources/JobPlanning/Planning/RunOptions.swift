import Foundation
public import JobManifest
package import Nuke

/// The options of a run that override its manifest; nil leaves the manifest's value.
public struct RunOptions: Sendable {
    /// The file of the job's state; default: `.nuke-batch/NAME.sqlite` beside the manifest, after the manifest's file.
    public var state: String?
    /// The base folder of the outputs.
    public var destination: String?
    /// The folder of the originals.
    public var cache: String?
    /// Transfers at once.
    public var concurrency: Int?
    /// Transfers at once to one host.
    public var perHost: Int?
    /// Requests to one host.
    public var rate: Rate?
    /// Images worked on at once.
    public var processing: Int?
    /// Bytes of decoded pixels in flight.
    public var memory: Int?
    /// The time after which the run takes no new items.
    public var maxDuration: Duration?
    /// The most items that the run takes.
    public var limit: Int?
    /// The one output to make.
    public var onlyOutput: String?
    /// True if only cached originals and files are used.
    public var isOffline = false
    /// True if every cached original is revalidated.
    public var isRevalidating = false
    /// True if outputs of another encoder version are made again.
    public var refreshesEncoders = false
    /// The part of the items that the run is about; nil: all.
    public var shard: Partition?
    /// True if the state is removed first.
    public var isFresh = false
    /// The program, with its first arguments, in which images are tried that a run may have died of.
    ///
    /// It is `RenderProcess` and nothing else. Empty: they are tried in this process, each alone.
    public var sandboxProgram: [String] = []
    /// True if only the originals are loaded.
    public var isWarming = false

    /// The policy that stops requests to a host that does not answer.
    package var breaking = HostBreaker.Policy()
    /// The policy that tells an outage of the network from failures of hosts.
    package var outage = OutageDetector.Policy()
    /// The longest outage before the run ends.
    package var outageLimit: Duration = .seconds(600)

    /// Options that leave everything as the manifest says.
    public init() {}

    /// The manifest with these options in place of its own settings.
    /// - Throws: `RunError.wrongInput` for an output that the manifest does not have.
    public func applied(to manifest: Manifest) throws(RunError) -> Manifest {
        var manifest = manifest
        if let destination {
            manifest.destinationPath = FilePath.absolute(
                destination,
                in: FileManager.default.currentDirectoryPath
            )
            manifest.destination = manifest.destinationPath
        }
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
        if let shard { manifest.dataset?.nameIndex(of: shard) }
        if let onlyOutput {
            let names = manifest.outputs.map(\.name)
            manifest.outputs = manifest.outputs.filter { $0.name == onlyOutput }
            guard !manifest.outputs.isEmpty else {
                throw .wrongInput(
                    "\(manifest.path) has no output \(onlyOutput), only: \(names.joined(separator: ", "))"
                )
            }
        }
        let isHead = ([manifest.loading] + manifest.loading.hosts.values).contains { $0.method == .head }
        guard !isHead || manifest.outputs.isEmpty && manifest.facts.isEmpty else {
            throw .wrongInput(
                "\(manifest.path): loading.method HEAD loads no images for outputs or facts: use warm, or GET"
            )
        }
        return manifest
    }

    /// Returns the absolute path of the state of `manifest`.
    public func statePath(of manifest: Manifest) -> String {
        if let state { return FilePath.absolute(state, in: FileManager.default.currentDirectoryPath) }
        let name =
            FilePath.stem(of: manifest.path) + (shard.map { ".shard-\($0.number)-of-\($0.count)" } ?? "")
        return "\(manifest.folder)/.nuke-batch/\(name).sqlite"
    }
}

extension LoadingSettings {
    fileprivate mutating func apply(_ options: RunOptions) {
        concurrency = options.concurrency ?? concurrency
        perHost = options.perHost ?? perHost
        rate = options.rate ?? rate
    }
}

/// The error of a run that could not begin.
public enum RunError: Error, Sendable, CustomStringConvertible {
    /// The command line or the manifest is wrong, in sentences with the remedy.
    case wrongInput(String)
    /// Another run holds the job, in a sentence that names its process.
    case held(String)
    /// The machine is in the way: what and where, and what to do.
    case machine(String)

    /// The sentence.
    public var description: String {
        switch self {
        case .wrongInput(let message), .held(let message), .machine(let message): message
        }
    }

    /// The exit code for it.
    public var exit: ExitCode {
        switch self {
        case .wrongInput: .wrongInput
        case .held: .held
        case .machine: .machine
        }
    }
}
