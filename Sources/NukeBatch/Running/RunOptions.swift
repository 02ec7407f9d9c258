import Foundation
package import Nuke

/// What the caller of a run asks for beyond its manifest; nil leaves what the manifest says.
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
    /// When the run stops taking new items.
    public var maxDuration: Duration?
    /// How many items the run takes at most.
    public var limit: Int?
    /// The one output to make.
    public var onlyOutput: String?
    /// Whether nothing is loaded that is not cached.
    public var isOffline = false
    /// Whether the origin of every original is asked whether it has another now.
    public var isRevalidating = false
    /// Whether outputs that another version of an encoder made are made again.
    public var refreshesEncoders = false
    /// The part of the items that the run is about; nil: all.
    public var shard: Shard?
    /// Whether the state is forgotten first.
    public var isFresh = false
    /// The program, with its first arguments, in which images are tried that a run may have died of.
    ///
    /// It is `PixelsChild` and nothing else. Empty: they are tried in this process, each alone.
    public var suspectProgram: [String] = []
    /// Whether only the originals are loaded.
    public var isWarming = false

    /// When a host that does not answer is left alone.
    package var breaking = HostBreaker.Policy()
    /// When the network counts as gone.
    package var outage = OutageDetector.Policy()
    /// How long it may be gone before the run ends.
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
                    "\(manifest.path) has no output \(onlyOutput), it has: \(names.joined(separator: ", "))"
                )
            }
        }
        let isHead = ([manifest.loading] + manifest.loading.hosts.values).contains { $0.method == .head }
        guard !isHead || manifest.outputs.isEmpty && manifest.facts.isEmpty else {
            throw .wrongInput(
                "\(manifest.path): loading.method HEAD loads no image to make outputs or facts of: use warm, or GET"
            )
        }
        return manifest
    }

    /// Where the state of `manifest` is kept, absolute.
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

/// Why a run could not begin.
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
