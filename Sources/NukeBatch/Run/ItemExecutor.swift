import JobPlanning
import JobStorage

/// Owns an item from its claim to its record: runs the pipeline, then the recorder.
struct ItemExecutor: Sendable {
    private(set) var pipeline: ItemPipeline
    let recorder: ItemRecorder

    /// Runs `item` and records its outcome, success or failure.
    func execute(_ item: ClaimedItem) async {
        let started = AttemptStart()
        defer { pipeline.release(item) }
        do throws(ItemError) {
            if let (reused, decided) = try await pipeline.withoutOriginal(item) {
                return await recorder.record(decided, reusing: reused, of: item, started: started)
            }
            await recorder.record(try await pipeline.run(item), started: started)
        } catch {
            await recorder.record(error, of: item, started: started)
        }
    }

    /// Loads the original of `item` and notes it, or records a failure; the run goes on to hold an item that did not fail.
    func see(_ item: ClaimedItem) async {
        let started = AttemptStart()
        do throws(ItemError) {
            guard let seen = try await pipeline.see(item) else { return }
            await recorder.note(seen, of: item)
        } catch {
            await recorder.record(error, of: item, started: started)
        }
    }

    /// The same executor in a run that has seen the originals of its items.
    var afterSeeingOriginals: ItemExecutor {
        var executor = self
        executor.pipeline = pipeline.afterSeeingOriginals
        return executor
    }
}
