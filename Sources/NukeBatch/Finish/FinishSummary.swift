public import Foundation
public import JobManifest
public import JobPlanning

/// The summary of a run for programs: the keys of `run_finished`, and the job's name and manifest.
public struct FinishSummary: Sendable {
    /// The exit code of the run.
    public let exit: ExitCode
    /// The summary as a line of JSON, with its line end.
    public let line: Data

    /// Creates the summary of a run of `manifest` that ended at `time`.
    public init(_ report: RunReport, of manifest: Manifest, at time: Date = Date()) {
        exit = report.exit
        var fields = report.fields
        fields["time"] = Timestamp.text(time)
        fields["job"] = manifest.name
        fields["manifest"] = manifest.path
        line = Data((JSONLine.text(fields) + "\n").utf8)
    }
}
