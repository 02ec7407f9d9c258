import Files
public import Foundation
public import JobManifest
public import JobPlanning
import JobStorage

/// A job and its run in the Prometheus text format (version 0.0.4), for node_exporter's textfile collector.
///
/// The metric names are a documented contract (`docs/nightly.md`); the label `job` is the manifest's name.
public struct RunMetrics: Sendable {
    /// The job's figures from its state file.
    package struct Job: Sendable {
        /// Items by state.
        var states: [String: Int] = [:]
        /// Failed and quarantined items by error.
        var failures: [String: Int] = [:]
        /// The exit code of the last finished run and its end in milliseconds since 1970.
        var lastRun: (exit: Int, ended: Int64)?

        /// Reads the state at `path`; empty if there is none yet or if it cannot be read.
        package init(statePath path: String) {
            guard let reader = try? JobReader(path: path), (try? reader.revision()) != nil,
                let counts = try? reader.counts()
            else { return }
            states = Dictionary(uniqueKeysWithValues: ItemState.allCases.map { ($0.rawValue, counts[$0]) })
            failures = (try? reader.failures()) ?? [:]
            for run in (try? reader.runs()) ?? [] {
                guard let exit = run.exit, let ended = run.ended else { continue }
                lastRun = (exit, ended)
                break
            }
        }
    }

    private let jobName: String
    private let job: Job
    private let progress: RunProgress
    private let requests: [RequestCounts.Key: Int]
    private let exit: ExitCode?
    private let now: Date

    /// Collects the metrics of `manifest`'s job and its run so far; `exit` is nil while the run is active.
    public init(
        _ manifest: Manifest,
        options: RunOptions,
        runner: BatchRunner,
        exit: ExitCode? = nil,
        now: Date = Date()
    ) {
        jobName = manifest.name
        job = Job(statePath: options.statePath(of: manifest))
        progress = runner.progress
        requests = runner.requestCounts
        self.exit = exit
        self.now = now
    }

    /// The contents of the file, ending with a newline.
    public var text: String {
        families.filter { !$0.samples.isEmpty }.map(\.text).joined()
    }

    /// Replaces the file at `path` atomically, since a collector may read it at any moment.
    /// - Throws: `RunError.machine`.
    public func write(to path: String) throws(RunError) {
        do {
            try ResultFile.write(Data(text.utf8), to: path)
        } catch {
            throw .machine("the metrics are not current: \(error)")
        }
    }

    private var families: [MetricFamily] {
        let states = job.states.sorted { $0.key < $1.key }
        let errors = job.failures.sorted { $0.key < $1.key }
        var families = [
            family(
                "info",
                .gauge,
                help: "Version of nuke-batch.",
                samples: [(["version": Version.current], 1)]
            ),
            family(
                "items",
                .gauge,
                help: "Items of the job by state.",
                samples: states.map { (["state": $0.key], Double($0.value)) }
            ),
            family(
                "failed_items",
                .gauge,
                help: "Failed and quarantined items of the job by error.",
                samples: errors.map { (["error": $0.key], Double($0.value)) }
            ),
            family(
                "run_active",
                .gauge,
                help: "1 while a run is active, otherwise 0.",
                samples: [([:], exit == nil ? 1 : 0)]
            ),
            family(
                "run_seconds",
                .gauge,
                help: "Duration of the run in seconds.",
                samples: [([:], progress.seconds)]
            ),
            family(
                "run_items",
                .counter,
                help: "Items finished by the run.",
                samples: [([:], Double(progress.finishedNow))]
            ),
            family(
                "run_failures",
                .counter,
                help: "Items that failed in the run, by error.",
                samples: progress.failures.sorted { $0.key < $1.key }.map {
                    (["error": $0.key], Double($0.value))
                }
            ),
            family(
                "run_outputs",
                .counter,
                help: "Outputs made by the run.",
                samples: [([:], Double(progress.made))]
            ),
            family(
                "run_bytes",
                .counter,
                help: "Bytes of originals loaded by the run, from the network or from cache and files.",
                samples: [
                    (["source": "network"], Double(progress.networkBytes)),
                    (["source": "cache"], Double(progress.cacheBytes)),
                ]
            ),
            family(
                "run_requests",
                .counter,
                help: "Requests of the run by host and status; status 0 means no response.",
                samples: requests.sorted { ($0.key.host, $0.key.status) < ($1.key.host, $1.key.status) }
                    .map { (["host": $0.key.host, "status": String($0.key.status)], Double($0.value)) }
            ),
        ]
        if let last = lastRun {
            families += [
                family(
                    "last_run_exit_code",
                    .gauge,
                    help: "Exit code of the last run.",
                    samples: [([:], Double(last.exit))]
                ),
                family(
                    "last_run_end_time_seconds",
                    .gauge,
                    help: "End of the last run in seconds since 1970.",
                    samples: [([:], last.end.timeIntervalSince1970.rounded())]
                ),
            ]
        }
        return families
    }

    /// The exit code and end of the last run: this one if it has ended, or the run before it.
    private var lastRun: (exit: Int, end: Date)? {
        if let exit { return (Int(exit.rawValue), now) }
        return job.lastRun.map { ($0.exit, Date(timeIntervalSince1970: Double($0.ended) / 1000)) }
    }

    private func family(
        _ name: String,
        _ kind: MetricFamily.Kind,
        help: String,
        samples: [([String: String], Double)]
    ) -> MetricFamily {
        let samples = samples.map { labels, value in (labels.merging(["job": jobName]) { $1 }, value) }
        return MetricFamily(name: "nuke_batch_\(name)", kind: kind, help: help, samples: samples)
    }
}

/// A metric with all its samples, as it is written to the file.
private struct MetricFamily {
    enum Kind: String {
        case gauge, counter
    }

    let name: String
    let kind: Kind
    let help: String
    let samples: [(labels: [String: String], value: Double)]

    var text: String {
        let name = kind == .counter ? "\(name)_total" : name
        let lines = samples.map { labels, value in
            let text = labels.sorted { $0.key < $1.key }.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(
                separator: ","
            )
            return "\(name){\(text)} \(Self.number(value))\n"
        }
        return "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n" + lines.joined()
    }

    /// Escapes a label's value: backslashes and quotation marks get a backslash, a newline becomes `\n`.
    ///
    /// For other control characters, which somebody's terminal would obey, the format has no escape.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: scalar.properties.generalCategory == .control ? "\u{FFFD}" : String(scalar)
            }
        }.joined()
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(format: "%.3f", value)
    }
}
