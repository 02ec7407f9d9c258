import Files
import Foundation
import Synchronization

/// A running `nuke-batch-parquet`, which is killed when nobody needs it any more.
final class ParquetProcess: Sendable {
    /// The most characters of an error message.
    private static let longestMessage = 4096

    private let process: ChildProcess
    private let errors: ErrorPipe
    /// Its end, once it was waited for.
    private let end = Mutex<ChildProcess.End?>(nil)

    init(_ process: ChildProcess, errors: ErrorPipe) {
        (self.process, self.errors) = (process, errors)
    }

    deinit {
        guard end.withLock({ $0 }) == nil else { return }
        process.kill()
        _ = process.wait()
    }

    /// Ends the process by force.
    func kill() { process.kill() }

    /// Waits for the end of the process; blocks the thread, until `isStopped` returns true.
    /// - Throws: `ParquetError` with what the process has said, or the signal that ended it.
    func requireSuccess(isStopped: @escaping @Sendable () -> Bool = { false }) throws(ParquetError) {
        switch wait(isStopped) {
        case .exit(0): return
        case .exit(let code):
            let said = errors.lines().last.map { String($0.prefix(Self.longestMessage)) }
            throw ParquetError(said ?? "nuke-batch-parquet ended with exit code \(code): run it again")
        case .silent: throw .silence
        case .stopped: throw ParquetError("nuke-batch-parquet was stopped")
        case .signal(SIGKILL):
            throw ParquetError(
                "nuke-batch-parquet was killed by SIGKILL (possibly out of memory): run it again"
            )
        case .signal(let number):
            throw ParquetError("nuke-batch-parquet was ended by signal \(number): run it again")
        }
    }

    private func wait(_ isStopped: @escaping @Sendable () -> Bool) -> ChildProcess.End {
        if let known = end.withLock({ $0 }) { return known }
        let found = process.wait(isStopped: isStopped)
        end.withLock { $0 = found }
        return found
    }
}
