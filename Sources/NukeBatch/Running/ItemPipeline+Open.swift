import Files
import Imaging
import JobStorage
import Nuke

/// The parts of an item's life after its original is there, set up for one run.
extension ItemPipeline {
    /// Opens the destination and sets the queues up.
    ///
    /// Work is noted in `box`; a child that tries suspects is started by `suspectProgram`.
    /// - Throws: `RunError.machine` where a folder cannot be made.
    init(
        _ recipes: [[Recipe]],
        _ loader: OriginalLoader,
        _ hosts: HostRoom,
        _ store: JobStore,
        _ pins: Pins?,
        _ shards: ShardWriter?,
        _ box: BlackBox,
        suspectProgram: [String]
    ) throws {
        manifest = loader.manifest
        self.pins = pins
        self.recipes = recipes
        self.loader = loader
        self.hosts = hosts
        let (memory, cores) = (manifest.limits.memory, manifest.limits.processing)
        pixels = PixelWork(
            admission: Admission(memory: memory, places: cores),
            decoding: WorkQueue(name: "decode", width: cores),
            processing: WorkQueue(name: "process", width: cores),
            encoding: WorkQueue(name: "encode", width: cores),
            limits: ImageLimits(manifest.limits),
            box: box,
            watchdog: Watchdog()
        )
        suspects = SuspectLane(suspectProgram, loader, pixels, pins)
        destination =
            if manifest.outputs.isEmpty {
                nil
            } else if let shards {
                ShardOutputs(writer: shards, hasSeveral: manifest.outputs.count > 1)
            } else {
                OutputFile(
                    destination: try Folder(path: manifest.destinationPath, create: true),
                    writer: loader.cache?.writer ?? DurableWriter(),
                    latePaths: LatePaths(store)
                )
            }
    }
}
