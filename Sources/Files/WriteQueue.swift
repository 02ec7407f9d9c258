import Foundation
import Synchronization

/// One file to write.
struct WriteJob: Sendable {
    let data: Data
    /// A file that holds the same bytes already and only needs its name; nil for none.
    var file: UnnamedFile?
    /// A file with the same bytes that may be shared instead of writing them; nil for none.
    var source: DurableFile?
    let name: String
    let folder: Folder
    /// The folder for a name that the file needs before its own; nil to put it beside that.
    var staging: StagingFolder?
    /// True to replace an existing file.
    let replaces: Bool
    let completion: @Sendable (Result<Void, FileError>) -> Void

    /// The file's path, for messages.
    var path: String { "\(folder.path)/\(name)" }
}

/// The jobs waiting to be written, shared by a writer's threads.
///
/// One thread at a time collects a batch.
final class WriteQueue: Sendable {
    /// The most files in a batch, each of which holds a descriptor; several threads may have one each.
    private static let batchSize = max(1, min(128, ProcessLimits.descriptors(atMost: 4096) / 16))

    private struct State {
        var jobs: [WriteJob] = []
        var isStopped = false
        /// The reason why no thread takes jobs.
        var trouble: FileError?

        mutating func takeBatch() -> [WriteJob] {
            var batch: [WriteJob] = []
            var rest: [WriteJob] = []
            for job in jobs {
                let isOfIt = batch.first.map { $0.folder.device == job.folder.device } ?? true
                if isOfIt, batch.count < WriteQueue.batchSize { batch.append(job) } else { rest.append(job) }
            }
            jobs = rest
            return batch
        }
    }

    private let state = Mutex(State())
    /// Signalled for the first job, for a full batch, and when the queue stops.
    private let arrivals = TimedSemaphore()
    /// The turn to collect a batch.
    private let turn = DispatchSemaphore(value: 1)

    func add(_ job: WriteJob) {
        let (count, trouble) = state.withLock { state -> (Int, FileError?) in
            if state.trouble == nil { state.jobs.append(job) }
            return (state.jobs.count, state.trouble)
        }
        if let trouble { return job.completion(.failure(trouble)) }
        if count == 1 || count == Self.batchSize { arrivals.signal() }
    }

    /// Makes all later jobs fail with `trouble`, since there is no thread for them.
    func refuse(_ trouble: FileError) {
        state.withLock { $0.trouble = trouble }
    }

    /// Ends the threads after all added jobs are written.
    func stop() {
        state.withLock { $0.isStopped = true }
        arrivals.signal()
    }

    /// Waits for the turn, then for jobs, then up to `delay` seconds for more.
    ///
    /// Nil if the queue is stopped and empty.
    ///
    /// All files of a batch are on one file system, so that one sync can cover it. The thread that gets a batch keeps
    /// the turn until `passTurn`. A signal is only a hint: the queue may be empty after it.
    func take(delay: Double) -> [WriteJob]? {
        turn.wait()
        while true {
            arrivals.wait()
            let deadline = ContinuousClock.now + .seconds(delay)
            while state.withLock({ !$0.isStopped && !$0.jobs.isEmpty && $0.jobs.count < Self.batchSize }) {
                guard arrivals.wait(seconds: (deadline - .now) / .seconds(1)) else { break }
            }
            let (batch, isLeft, isStopped): ([WriteJob], Bool, Bool) = state.withLock { state in
                (state.takeBatch(), !state.jobs.isEmpty, state.isStopped)
            }
            // The remaining jobs are for the next thread, and every thread must see the stop.
            if isLeft || isStopped { arrivals.signal() }
            if !batch.isEmpty { return batch }
            if isStopped {
                passTurn()
                return nil
            }
        }
    }

    /// Allows the next thread to collect a batch.
    func passTurn() {
        turn.signal()
    }
}
