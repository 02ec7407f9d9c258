import Datasets
import Files
import Foundation
import Imaging
import JobManifest
import JobPlanning
import JobStorage
import Originals

extension ItemPipeline {
    /// Opens the destination and sets up the queues of a run.
    /// - Throws: `FileError` if the destination's folder cannot be made.
    init(
        _ context: RunContext,
        recipes: [[Recipe]],
        watermarkFiles: [String: Data] = [:],
        loader: OriginalLoader,
        hosts: PerHostLimit,
        pins: Pins?,
        shards: ShardWriter?,
        journal: InFlightJournal
    ) throws {
        manifest = context.manifest
        self.recipes = recipes
        formerParts = try context.store.reader.recipeParts()
        self.loader = loader
        self.hosts = hosts
        self.pins = pins
        let (memory, cores) = (manifest.limits.memory, manifest.limits.processing)
        let admission = Admission(memory: loader.memory.rendering, slots: cores)
        context.control.onStop { [cache = loader.cache] in
            admission.stop()
            // What waits to be compressed is stored as it is, so that the run ends soon.
            cache?.compression = .none
        }
        renderer = Renderer(
            admission: admission,
            memory: memory,
            reading: WorkQueue(name: "headers", width: cores),
            decoding: WorkQueue(name: "decode", width: cores),
            processing: WorkQueue(name: "process", width: cores),
            encoding: WorkQueue(name: "encode", width: cores),
            limits: ImageLimits(manifest.limits),
            journal: journal,
            watchdog: Watchdog()
        )
        sandbox = SandboxedRenderer(
            program: context.options.sandboxProgram,
            loader: loader,
            renderer: renderer,
            pins: pins,
            watermarks: watermarkFiles
        )
        if manifest.outputs.isEmpty {
            destination = nil
        } else if let shards {
            destination = ShardOutputs(
                writer: shards,
                hasSeveral: manifest.outputs.count > 1,
                captions: manifest.dataset?.captions ?? []
            )
        } else {
            destination = try Self.destination(context, writer: loader.cache?.writer)
        }
    }

    /// Opens the folder or the bucket of outputs that have paths of their own; `writer` is that of the cache.
    private static func destination(_ context: RunContext, writer: DurableWriter?) throws
        -> any OutputDestination
    {
        let manifest = context.manifest
        let knowsPaths = manifest.outputs.allSatisfy(\.path.isKnownInPlanning)
        let claims = OutputPathClaims(
            context.store,
            knowsPaths: knowsPaths,
            amongSources: manifest.outputsAmongSources,
            others: { [options = context.options] in try options.otherStates(of: manifest) }
        )
        if let store = try manifest.destinationStore(context.destinationPacing) {
            return OutputObjects(
                store: store,
                requests: StoppableRequests(),
                claims: claims,
                looksForMoved: context.options.checksBucket,
                firstRun: try context.store.reader.firstRunStart().map {
                    Date(timeIntervalSince1970: Double($0) / 1000)
                }
            )
        }
        let folder = try Folder(path: manifest.destination.description, create: true)
        return OutputFile(folder, writer: writer ?? DurableWriter(), claims: claims)
    }
}
