import Files
public import Foundation
public import JobManifest
public import JobPlanning
import JobStorage

/// The metrics of a job and its runs as a text file, for node_exporter's textfile collector or any other reader.
///
/// Names and labels are a documented contract (`docs/metrics.md`).
public struct RunMetrics: Sendable {
    /// The labels of every sample: the name of the manifest, and the partition of a job that is split.
    private let labels: [(name: String, value: String)]
    private let figures: JobFigures
    private let progress: RunProgress
    private let exit: ExitCode?
    private let now: Date

    /// Collects the metrics of `manifest`'s job and its run so far; `exit` is nil while the run is active.
    public init(
        _ manifest: Manifest,
        options: RunOptions,
        progress: RunProgress,
        exit: ExitCode? = nil,
        now: Date = Date()
    ) {
        let partition = options.shard.map { [(name: "partition", value: "\($0.number)/\($0.count)")] } ?? []
        labels = [(name: "manifest", value: manifest.name)] + partition
        figures = JobFigures(statePath: options.statePath(of: manifest)) ?? JobFigures()
        self.progress = progress
        self.exit = exit
        self.now = now
    }

    /// Returns the contents of the file, ending with a newline.
    public func text(_ format: MetricsFormat = .openmetrics) -> String {
        let families = gauges + counters
        let text = families.filter { !$0.samples.isEmpty }.map { $0.text(format, common: labels) }.joined()
        return format == .openmetrics ? text + "# EOF\n" : text
    }

    /// Replaces the file at `path` atomically, since a collector may read it at any moment.
    /// - Throws: `RunError.machine`.
    public func write(to path: String, format: MetricsFormat = .openmetrics) throws(RunError) {
        do {
            try ResultFile.write(Data(text(format).utf8), to: path)
        } catch {
            throw .machine("the metrics are not current: \(error)")
        }
    }

    private var counters: [MetricFamily] {
        // Without a state there is nothing to count from; zeros would look like a new beginning.
        guard figures.newest != nil else { return [] }
        var runs = Dictionary(uniqueKeysWithValues: ["0", "1", "4", "5", "killed"].map { ($0, 0) })
        for (exit, count) in figures.runs { runs[exit.map { "\($0)" } ?? "killed"] = count }
        let ended = MetricFamily(
            name: "nuke_batch_runs",
            kind: .counter,
            help: "Ended runs by exit code; killed means without one.",
            samples: runs.sorted { $0.key < $1.key }.map {
                .init(suffix: "_total", labels: [("exit", $0.key)], value: Double($0.value))
            }
        )
        return [ended] + JobCounter.plain.map { $0.family(figures.counters) }
            + [JobCounter.requestDurations(figures.counters)]
    }

    private var gauges: [MetricFamily] {
        let isActive = exit == nil
        return [
            gauge("info", help: "Version of nuke-batch.", by: "version", [Version.current: 1]),
            gauge("run_active", help: "1 while a run is active, otherwise 0.", isActive ? 1 : 0),
            time("written", help: "Time of these metrics, in seconds since 1970.", now.timeIntervalSince1970),
            gauge(
                "items",
                help: "Items of the job by state.",
                by: "state",
                Dictionary(uniqueKeysWithValues: figures.items.map { ($0.key.rawValue, Double($0.value)) })
            ),
            gauge(
                "failed_items",
                help: "Failed and quarantined items of the job by error.",
                by: "error",
                figures.failures.mapValues(Double.init)
            ),
            gauge(
                "hosts_down",
                help: "Hosts that were given up because they do not answer, by class of hosts.",
                by: "host_class",
                figures.hostsDown.mapValues(Double.init)
            ),
            gauge(
                "queue_length",
                help: "Lengths of the queues of the active run.",
                by: "queue",
                isActive ? progress.queues.mapValues(Double.init) : [:]
            ),
            time(
                "last_run_start",
                help: "Start of the newest run, in seconds since 1970.",
                figures.newest.map { Self.seconds($0.started) }
            ),
            time(
                "last_run_end",
                help: "End of the last run, in seconds since 1970.",
                isActive ? figures.last?.ended.map(Self.seconds) : now.timeIntervalSince1970
            ),
            time(
                "last_success",
                help: "End of the last run with exit code 0, in seconds since 1970.",
                figures.lastEnds[0].map(Self.seconds)
            ),
            time(
                "last_completion",
                help: "End of the last run with exit code 0 or 1, in seconds since 1970.",
                figures.lastEnds.values.max().map(Self.seconds)
            ),
            gauge(
                "last_run_exit_code",
                help: "Exit code of the last run.",
                isActive ? figures.last?.exit.map(Double.init) : exit.map { Double($0.rawValue) }
            ),
            gauge(
                "run_duration_seconds",
                unit: "seconds",
                help: "Duration of the active run, otherwise of the last one.",
                duration
            ),
        ]
    }

    /// The duration of the active or the last run in seconds; nil if it is not known.
    private var duration: Double? {
        guard let run = exit == nil ? figures.newest : figures.last else { return nil }
        let end = run.ended.map(Self.seconds) ?? now.timeIntervalSince1970
        // The clock may have been set back.
        return max(0, end - Self.seconds(run.started))
    }

    private func gauge(_ name: String, help: String, by label: String, _ values: [String: Double])
        -> MetricFamily
    {
        let samples = values.sorted { $0.key < $1.key }.map { name, value in
            MetricFamily.Sample(labels: [(label, name)], value: value)
        }
        return MetricFamily(name: "nuke_batch_\(name)", kind: .gauge, help: help, samples: samples)
    }

    private func gauge(_ name: String, unit: String? = nil, help: String, _ value: Double?) -> MetricFamily {
        let samples = value.map { [MetricFamily.Sample(value: $0)] } ?? []
        return MetricFamily(
            name: "nuke_batch_\(name)",
            kind: .gauge,
            unit: unit,
            help: help,
            samples: samples
        )
    }

    private func time(_ name: String, help: String, _ seconds: Double?) -> MetricFamily {
        gauge("\(name)_timestamp_seconds", unit: "seconds", help: help, seconds)
    }

    private static func seconds(_ milliseconds: Int64) -> Double { Double(milliseconds) / 1000 }
}
