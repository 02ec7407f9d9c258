import Foundation
import NukeBatch

/// Keeps the file of `--metrics` up to date while a run goes on: rewritten whole every few seconds, and at its end.
final class MetricsFile: Sendable {
    private static let interval = 5.0

    private let path: String
    private let stopped = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let metrics: @Sendable (ExitCode?) -> RunMetrics

    /// Begins to write what `runner` does into the file at `path`.
    /// - Throws: `RunError.machine` where nothing can be written.
    init(path: String, _ manifest: Manifest, _ options: RunOptions, _ runner: BatchRunner) throws(RunError) {
        self.path = path
        metrics = { exit in
            // There may be no state yet, or one that cannot be read: then nothing is told of it.
            let status = (try? JobState(manifest, options: options)).flatMap { try? $0.status() }
            return RunMetrics(job: manifest.name, status: status, runner: runner, exit: exit)
        }
        let parent = (path as NSString).deletingLastPathComponent
        let folder = parent.isEmpty ? "." : parent
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw .machine("\(path) cannot be written: \(folder) is no folder that can be written in")
        }
        let thread = Thread { [stopped, ended, metrics] in
            while stopped.wait(timeout: .now() + Self.interval) == .timedOut {
                Self.write(metrics(nil), to: path)
            }
            ended.signal()
        }
        thread.name = "metrics"
        thread.start()
    }

    /// Writes how the run ended; one that did not begin as another holds the job writes nothing.
    func end(_ exit: ExitCode) {
        stopped.signal()
        ended.wait()
        if exit != .held { Self.write(metrics(exit), to: path) }
    }

    private static func write(_ metrics: RunMetrics, to path: String) {
        do {
            try metrics.write(to: path)
        } catch {
            Output.message("warning: \(Output.printable("\(error)"))")
        }
    }
}
