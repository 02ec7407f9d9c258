public import Foundation

/// A job and its run in the text format that Prometheus reads (version 0.0.4), for node_exporter's textfile collector.
///
/// The names are a documented contract; `job` is the manifest's name.
public struct RunMetrics: Sendable {
    private let job: String
    private let status: JobStatus?
    private let progress: RunProgress
    private let requests: [RequestCounts.Key: Int]
    private let exit: ExitCode?
    private let now: Date

    /// What is to be told: the job's state if it can be read, and what its run has done.
    ///
    /// `exit` is nil while the run goes on.
    public init(
        job: String,
        status: JobStatus?,
        runner: BatchRunner,
        exit: ExitCode? = nil,
        now: Date = Date()
    ) {
        self.init(
            job: job,
            status: status,
            progress: runner.progress,
            requests: runner.requestCounts,
            exit: exit,
            now: now
        )
    }

    package init(
        job: String,
        status: JobStatus?,
        progress: RunProgress,
        requests: [RequestCounts.Key: Int],
        exit: ExitCode?,
        now: Date
    ) {
        self.job = job
        self.status = status
        self.progress = progress
        self.requests = requests
        self.exit = exit
        self.now = now
    }

    /// The file, with a line's end at its end.
    public var text: String {
        families.filter { !$0.samples.isEmpty }.map(\.text).joined()
    }

    /// Writes the file at `path` whole under its name, as what collects it may read it at any moment.
    /// - Throws: `RunError.machine`.
    public func write(to path: String) throws(RunError) {
        let draft = "\(path).new"
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: draft))
        } catch {
            throw .machine("\(draft) cannot be written: \(error.localizedDescription)")
        }
        guard rename(draft, path) == 0 else {
            throw .machine("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    private var families: [MetricFamily] {
        let states = status?.states.sorted { $0.key < $1.key } ?? []
        let errors = status?.failures.sorted { $0.key < $1.key } ?? []
        var families = [
            family("info", .gauge, "The program's version.", [(["version": Version.current], 1)]),
            family(
                "items",
                .gauge,
                "Items of the job by state.",
                states.map { (["state": $0.key], Double($0.value)) }
            ),
            family(
                "failed_items",
                .gauge,
                "Failed and quarantined items of the job by error.",
                errors.map { (["error": $0.key], Double($0.value)) }
            ),
            family("run_active", .gauge, "Whether a run is going on.", [([:], exit == nil ? 1 : 0)]),
            family("run_seconds", .gauge, "How long the run has worked.", [([:], progress.seconds)]),
            family(
                "run_items",
                .counter,
                "Items that the run has finished.",
                [([:], Double(progress.finishedNow))]
            ),
            family(
                "run_failures",
                .counter,
                "Items that failed in the run, by error.",
                progress.failures.sorted { $0.key < $1.key }.map { (["error": $0.key], Double($0.value)) }
            ),
            family("run_outputs", .counter, "Outputs that the run has made.", [([:], Double(progress.made))]),
            family(
                "run_bytes",
                .counter,
                "Bytes of originals in the run: from the network, or from cache and files.",
                [
                    (["source": "network"], Double(progress.networkBytes)),
                    (["source": "cache"], Double(progress.cacheBytes)),
                ]
            ),
            family(
                "run_requests",
                .counter,
                "Requests of the run by host and status; status 0 had no answer.",
                requests.sorted { ($0.key.host, $0.key.status) < ($1.key.host, $1.key.status) }
                    .map { (["host": $0.key.host, "status": String($0.key.status)], Double($0.value)) }
            ),
        ]
        if let last = lastRun {
            families += [
                family("last_run_exit_code", .gauge, "How the last run ended.", [([:], Double(last.exit))]),
                family(
                    "last_run_end_time_seconds",
                    .gauge,
                    "When the last run ended, since 1970.",
                    [([:], last.end.timeIntervalSince1970.rounded())]
                ),
            ]
        }
        return families
    }

    /// How and when the last run ended: this one, or before its end the one before it.
    private var lastRun: (exit: Int, end: Date)? {
        if let exit { return (Int(exit.rawValue), now) }
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let run = status?.runs.first(where: { $0.exit != nil }), let exit = run.exit,
            let ended = run.ended, let end = try? Date(ended, strategy: format)
        else { return nil }
        return (exit, end)
    }

    private func family(
        _ name: String,
        _ kind: MetricFamily.Kind,
        _ help: String,
        _ samples: [([String: String], Double)]
    ) -> MetricFamily {
        let samples = samples.map { labels, value in (labels.merging(["job": job]) { $1 }, value) }
        return MetricFamily(name: "nuke_batch_\(name)", kind: kind, help: help, samples: samples)
    }
}

/// A metric with all its labels, as it stands in the file.
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

    /// A label's value: a backslash before a backslash and a quotation mark, `\n` for a line's end.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(format: "%.3f", value)
    }
}
