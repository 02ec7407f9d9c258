import JobManifest
import JobStorage

/// A counter as the metrics file shows it.
private struct CounterDescription {
    /// The name of the label that has the counter's detail; nil for a counter without one.
    var label: String?
    /// The details that are shown from the start with zero, since an increase from nothing is none to Prometheus.
    var known: [String] = []
    /// True if it is kept by class of hosts.
    var isByHost = false
    var unit: String?
    let help: String
}

extension JobCounter {
    /// The counters that are metrics of their own; the others are parts of a histogram.
    static let plain = allCases.filter { $0 != .requestBuckets && $0 != .requestSeconds }

    private static let errors = ErrorCode.listed.map(\.rawValue).sorted()

    private var description: CounterDescription {
        switch self {
        case .itemResults:
            CounterDescription(
                label: "result",
                known: ["done", "failed", "quarantined", "skipped"],
                help: "Items that runs have finished, by result."
            )
        case .itemFailures:
            CounterDescription(
                label: "error",
                known: Self.errors,
                help: "Items that failed or were quarantined, by error."
            )
        case .itemRetries:
            CounterDescription(
                label: "error",
                known: Self.errors,
                help: "Attempts that failed and were repeated, by error."
            )
        case .outputs:
            CounterDescription(
                label: "result",
                known: ["failed", "made", "reused", "skipped"],
                help: "Outputs of finished items, by result."
            )
        case .originals:
            CounterDescription(
                label: "source",
                known: ["cache", "file", "network", "shared"],
                help: "Originals of finished items, by source."
            )
        case .originalBytes:
            CounterDescription(
                label: "source",
                known: ["cache", "file", "network", "shared"],
                unit: "bytes",
                help: "Bytes of these originals, by source."
            )
        case .requests:
            CounterDescription(
                label: "status",
                isByHost: true,
                help: "Requests by class of hosts and HTTP status; none means no response."
            )
        case .responseBytes:
            CounterDescription(
                isByHost: true,
                unit: "bytes",
                help: "Bytes of response bodies by class of hosts."
            )
        case .edgeResponses:
            CounterDescription(
                label: "result",
                isByHost: true,
                help: "Responses that report a hit or a miss of a cache in front of the origin."
            )
        case .waitingSeconds:
            CounterDescription(
                label: "cause",
                known: WaitCause.allCases.map(\.rawValue).sorted(),
                unit: "seconds",
                help: "Time in which hosts kept requests waiting, summed over hosts, by cause."
            )
        case .requestBuckets, .requestSeconds:
            CounterDescription(isByHost: true, help: "")
        }
    }

    /// Returns the family of a counter that is a metric of its own.
    func family(_ totals: [Counter: Double]) -> MetricFamily {
        let description = description
        var own = totals.filter { $0.key.name == rawValue }
        for detail in description.known { own[Counter(rawValue, detail: detail), default: 0] += 0 }
        let samples = own.sorted { ($0.key.hostClass, $0.key.detail) < ($1.key.hostClass, $1.key.detail) }.map
        {
            counter,
            total in
            var labels: [(name: String, value: String)] = []
            if description.isByHost { labels.append(("host_class", counter.hostClass)) }
            if let label = description.label { labels.append((label, counter.detail)) }
            return MetricFamily.Sample(suffix: "_total", labels: labels, value: total)
        }
        return MetricFamily(
            name: "nuke_batch_\(rawValue)",
            kind: .counter,
            unit: description.unit,
            help: description.help,
            samples: samples
        )
    }

    /// Returns the histogram of requests by their duration, with cumulative buckets.
    static func requestDurations(_ totals: [Counter: Double]) -> MetricFamily {
        let buckets = totals.filter { $0.key.name == requestBuckets.rawValue }
        let samples = Set(buckets.keys.map(\.hostClass)).sorted().flatMap { hostClass in
            var count = 0.0
            var samples = LatencyBuckets.texts.map { bound in
                count += buckets[Counter(requestBuckets.rawValue, hostClass: hostClass, detail: bound)] ?? 0
                return MetricFamily.Sample(
                    suffix: "_bucket",
                    labels: [("host_class", hostClass), ("le", bound)],
                    value: count
                )
            }
            let labels = [(name: "host_class", value: hostClass)]
            let seconds = totals[Counter(requestSeconds.rawValue, hostClass: hostClass)] ?? 0
            samples.append(MetricFamily.Sample(suffix: "_count", labels: labels, value: count))
            samples.append(MetricFamily.Sample(suffix: "_sum", labels: labels, value: seconds))
            return samples
        }
        return MetricFamily(
            name: "nuke_batch_request_duration_seconds",
            kind: .histogram,
            unit: "seconds",
            help: "Duration of requests by class of hosts, without the wait for their turn.",
            samples: samples
        )
    }
}
