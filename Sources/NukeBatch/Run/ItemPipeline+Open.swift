import Files
import Imaging
import JobManifest
import JobStorage
import Nuke

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
        self.loader = loader
        self.hosts = hosts
        self.pins = pins
        let (memory, cores) = (manifest.limits.memory, manifest.limits.processing)
        renderer = Renderer(
            admission: Admission(memory: loader.memory.rendering, slots: cores),
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
            destination = ShardOutputs(writer: shards, hasSeveral: manifest.outputs.count > 1)
        } else {
            let folder = try Folder(path: manifest.destinationPath, create: true)
            destination = OutputFile(
                destination: folder,
                staging: StagingFolder(in: folder),
                writer: loader.cache?.writer ?? DurableWriter(),
                claims: OutputPathClaims(context.store),
                knowsPaths: manifest.outputs.allSatisfy(\.path.isKnownInPlanning)
            )
        }
    }
}
