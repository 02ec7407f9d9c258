import Foundation
import JobManifest
import JobPlanning
import JobReports
import NukeBatch

/// Rewrites the file of `--metrics` as a whole every few seconds during a run, and after it.
final class MetricsFile: Sendable {
    /// The time between two versions of the file, in seconds.
    private static let interval = 5.0

    private let path: String
    private let stopped = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let metrics: @Sendable (ExitCode?) -> RunMetrics

    /// Starts to write the metrics of `runner` to the file at `path`, on a thread of its own.
    /// - Throws: `RunError.machine` if the folder of the file is not writable.
    init(
        path: String,
        manifest: Manifest,
        options: RunOptions,
        runner: BatchRunner
    ) throws(RunError) {
        self.path = path
        metrics = { exit in
            RunMetrics(manifest, options: options, runner: runner, exit: exit)
        }
        let parent = (path as NSString).deletingLastPathComponent
        let folder = parent.isEmpty ? "." : parent
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw .machine("cannot write \(path): the folder \(folder) does not exist or is not writable")
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

    /// Writes the metrics of the finished run; nothing if the run did not begin because another holds the job.
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
