import Files
import Foundation
import JobManifest
import JobPlanning
import NukeBatch

/// Rewrites the file of `--metrics` as a whole every few seconds during a run, and after it.
final class MetricsFile: Sendable {
    /// The time between two versions of the file, in seconds.
    private static let interval = 5.0

    private let path: String
    private let format: MetricsFormat
    private let metrics: @Sendable (ExitCode?) -> RunMetrics
    private let thread: PeriodicThread

    /// Starts to write the metrics of `runner` to the file at `path`, on a thread of its own.
    /// - Throws: `RunError.machine` if the folder of the file is not writable, `FileError` if the system has no room for the
    ///   thread.
    init(
        path: String,
        format: MetricsFormat,
        manifest: Manifest,
        options: RunOptions,
        runner: BatchRunner
    ) throws {
        (self.path, self.format) = (path, format)
        let metrics: @Sendable (ExitCode?) -> RunMetrics = { exit in
            RunMetrics(manifest, options: options, progress: runner.progress, exit: exit)
        }
        self.metrics = metrics
        let folder = Folder.enclosing(path)
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw RunError.machine(
                "cannot write \(path): the folder \(folder) does not exist or is not writable"
            )
        }
        thread = try PeriodicThread("metrics", every: Self.interval) {
            Self.write(metrics(nil), to: path, format: format)
        }
    }

    /// Writes the metrics of the finished run; nothing if the run did not begin because another holds the job.
    func end(_ exit: ExitCode) {
        thread.stop()
        if exit != .held { Self.write(metrics(exit), to: path, format: format) }
    }

    private static func write(_ metrics: RunMetrics, to path: String, format: MetricsFormat) {
        do {
            try metrics.write(to: path, format: format)
        } catch {
            Output.warn("\(error)")
        }
    }
}
