import JobPlanning
import JobStorage

/// Owns an item from its claim to its record: runs the pipeline, then the recorder.
struct ItemExecutor: Sendable {
    let pipeline: ItemPipeline
    let recorder: ItemRecorder

    /// Runs `item` and records its outcome, success or failure.
    func execute(_ item: ClaimedItem) async {
        let started = AttemptStart()
        defer { pipeline.release(item) }
        if let outputs = pipeline.withoutOriginal(item) {
            return await recorder.record(outputs, of: item, started: started)
        }
        do throws(ItemError) {
            if let outputs = try await pipeline.forbidden(item) {
                return await recorder.record(outputs, of: item, started: started)
            }
            if let (reused, decided) = try await pipeline.moved(item) {
                return await recorder.record(decided, reusing: reused, of: item, started: started)
            }
            await recorder.record(try await pipeline.run(item), started: started)
        } catch {
            await recorder.record(error, of: item, started: started)
        }
    }
}
