import Foundation
import Synchronization

/// One file to be written.
struct WriteJob: Sendable {
    let data: Data
    let name: String
    let folder: Folder
    /// Whether a file that stands there gives way.
    let replaces: Bool
    let completion: @Sendable (Result<Void, FileError>) -> Void
}

/// What is waiting to be written, shared by a writer and its threads, of which one at a time gathers a batch.
final class WriteQueue: Sendable {
    /// The most files of a batch; each holds a descriptor.
    private static let batchSize = 128

    private struct State {
        var jobs: [WriteJob] = []
        var isStopped = false

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
    /// Signalled for the first job, for a full batch, and for the end.
    private let arrivals = DispatchSemaphore(value: 0)
    /// Whose turn it is to gather.
    private let turn = DispatchSemaphore(value: 1)

    func add(_ job: WriteJob) {
        let count = state.withLock { state in
            state.jobs.append(job)
            return state.jobs.count
        }
        if count == 1 || count == Self.batchSize { arrivals.signal() }
    }

    /// Ends the threads once everything that was added is written.
    func stop() {
        state.withLock { $0.isStopped = true }
        arrivals.signal()
    }

    /// Waits for the turn, for work, then a little for more of it; nil when the writer was stopped and nothing is left.
    ///
    /// A batch goes below folders of one file system, so that one sync may serve all of it. Whoever gets a batch has the
    /// turn until `passTurn`. A signal is a hint: there may be nothing after it.
    func take(delay: Double) -> [WriteJob]? {
        turn.wait()
        while true {
            arrivals.wait()
            let deadline = DispatchTime.now() + delay
            while state.withLock({ !$0.isStopped && !$0.jobs.isEmpty && $0.jobs.count < Self.batchSize }) {
                guard arrivals.wait(timeout: deadline) == .success else { break }
            }
            let (batch, isLeft, isStopped): ([WriteJob], Bool, Bool) = state.withLock { state in
                (state.takeBatch(), !state.jobs.isEmpty, state.isStopped)
            }
            // The rest waits for the next, and every thread is to see the end.
            if isLeft || isStopped { arrivals.signal() }
            if !batch.isEmpty { return batch }
            if isStopped {
                passTurn()
                return nil
            }
        }
    }

    /// Lets the next thread gather.
    func passTurn() {
        turn.signal()
    }
}
