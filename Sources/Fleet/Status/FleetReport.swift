package import Foundation
import JobManifest
package import JobPlanning
import JobReports

/// A fleet as one page of HTML: partitions over time, stragglers, hosts that limit the job, failures by cause, and the cost.
package struct FleetReport {
    /// The rows of a table.
    private static let rows = 10

    /// The page.
    package private(set) var html: String

    /// A committed partition, with its start and its end in seconds since the first start.
    private typealias Span = (commit: CommittedPartition, start: Double, end: Double)

    private let status: FleetStatus
    /// The committed partitions in the order of their starts.
    private let spans: [Span]
    private let causes: [(error: String, items: Int)]
    /// The price of a worker for an hour; nil if it is not known.
    private let price: Double?

    /// Reads a store; `price` is that of a worker for an hour, in any currency.
    /// - Throws: `RunError`.
    package init(
        _ store: FleetStore,
        _ status: FleetStatus,
        price: Double?,
        now: Date = .now
    ) async throws(RunError) {
        self.status = status
        spans = Self.spans(status.commits)
        self.price = price
        causes = try await Self.causes(status, store)
        html = ""
        html =
            HTMLPage(
                title: "Fleet of plan \(status.plan.short)",
                header: header,
                sections: [timeline, stragglers, hosts, failures],
                footer: "Times are those of the workers' clocks.",
                now: now
            ).html
    }

    /// The failed items by the name of their error, the most frequent first.
    private static func causes(
        _ status: FleetStatus,
        _ store: FleetStore
    ) async throws(RunError) -> [(error: String, items: Int)] {
        try await RunError.wrapping {
            let commits = status.commits.filter { $0.counts.failed + $0.counts.quarantined > 0 }
            var counts: [String: Int] = [:]
            try await FleetStore.forEach(commits, inGroupsOf: 64) { kept -> [String] in
                guard let commit = try await store.commit(of: kept.partition, in: status.plan) else {
                    return []
                }
                return try await store.rows(of: commit, status.fleet.partitions[commit.partition])
                    .filter { [.failed, .quarantined].contains($0.state) }.map { $0.error ?? "unknown" }
            } _: { errors in
                for error in errors { counts[error, default: 0] += 1 }
            }
            return counts.map { ($0.key, $0.value) }.sorted { ($1.items, $0.error) < ($0.items, $1.error) }
        }
    }

    private var header: HTML {
        let isDone = status.missing.isEmpty
        let verdict: HTML =
            isDone
            ? "<b class=\"done\">All \(Quantity.count(status.partitions, "partition")) are committed.</b>"
            : "<b>\(status.committed) of \(Quantity.count(status.partitions, "partition")) are committed.</b>"
        let left: HTML =
            isDone
            ? ""
            : " About \(status.secondsLeft.map(Quantity.duration) ?? "an unknown time") left at this rate."
        let figures = figures.map { name, value -> HTML in "<div><dt>\(name)</dt><dd>\(value)</dd></div>" }
        return """
            <header><h1>Fleet</h1><p class="verdict">\(verdict)\(left)</p>
            <p class="quiet wrap">plan \(status.plan.description)</p></header>
            <dl class="figures">\(figures)</dl>
            """
    }

    private var figures: [(String, String)] {
        var figures = [
            ("items", "\(Quantity.grouped(status.counts.total)) of \(Quantity.grouped(status.items))"),
            ("failed", Quantity.grouped(status.counts.failed + status.counts.quarantined)),
            ("deferred", Quantity.grouped(status.counts.deferred)),
            ("items/s", "\(status.itemsPerSecond)"),
            ("network", Quantity.bytes(status.networkBytes)),
            ("workers at once", "\(mostAtOnce)"),
            ("worker time", Quantity.duration(workerSeconds)),
        ]
        if let price {
            let hours = workerSeconds / 3600
            let spent = (hours * price * 100).rounded() / 100
            let done = Double(max(status.counts.total, 1)) / Double(max(status.items, 1))
            figures.append(("cost so far", "\(spent)"))
            figures.append(("cost of the whole job", "\((hours * price / done * 100).rounded() / 100)"))
        }
        return figures
    }

    private static func spans(_ commits: [CommittedPartition]) -> [Span] {
        guard let first = commits.map(\.started).min() else { return [] }
        return commits.map { commit in
            let start = commit.started.timeIntervalSince(first)
            return (commit, start, max(start, commit.ended.timeIntervalSince(first)))
        }
        .sorted { ($0.start, $0.commit.partition) < ($1.start, $1.commit.partition) }
    }

    private var workerSeconds: Double { spans.reduce(0) { $0 + $1.end - $1.start } }

    /// The most partitions that were worked on at the same time, among those that are committed.
    private var mostAtOnce: Int {
        let changes = spans.flatMap { [($0.start, 1), ($0.end, -1)] }.sorted { $0 < $1 }
        var (now, most) = (0, 0)
        for change in changes {
            now += change.1
            most = max(most, now)
        }
        return most
    }

    private var median: Double {
        let times = spans.map { $0.end - $0.start }.sorted()
        return times.isEmpty ? 0 : times[times.count / 2]
    }

    private var timeline: HTML {
        guard let last = spans.map(\.end).max(), last > 0 else { return "" }
        let median = median
        let shown =
            spans.count <= 400
            ? spans : spans.enumerated().filter { $0.offset % (spans.count / 400 + 1) == 0 }.map(\.element)
        let bars = shown.enumerated().map { index, span -> HTML in
            let (x, width) = (
                Int(span.start / last * 1000), max(2, Int((span.end - span.start) / last * 1000))
            )
            let kind = span.end - span.start > 2 * median ? "failed" : "measure"
            let title =
                "partition \(span.commit.partition) on \(span.commit.node): \(Quantity.duration(span.end - span.start))"
            return """
                <rect class="\(kind)" x="\(x)" y="\(index)" width="\(width)" height="1"><title>\(title)</title></rect>
                """
        }
        return """
            <section class="wide"><h2>Partitions over time</h2><figure><div class="plot"><svg \
            viewBox="0 0 1000 \(shown.count)" preserveAspectRatio="none" role="img" \
            aria-label="each committed partition from its start to its end">\(bars)</svg>
            <div class="ticks"><span>0</span><span>\(Quantity.duration(last))</span></div></div>
            <figcaption>Each line is a committed partition, in the order of their starts; red took more than twice the median of \
            \(Quantity.duration(median)).</figcaption></figure></section>
            """
    }

    private var stragglers: HTML {
        let slow = spans.sorted { $0.end - $0.start > $1.end - $1.start }.prefix(Self.rows)
        guard !slow.isEmpty else { return "" }
        let rows = slow.map { span -> HTML in
            """
            <tr><td>\(span.commit.partition)</td><td class="wrap">\(span.commit.node)</td>\
            <td class="number">\(span.commit.counts.total)</td>\
            <td class="number">\(Quantity.duration(span.end - span.start))</td></tr>
            """
        }
        return """
            <section><h2>Slowest partitions</h2><table><thead><tr><th>partition</th><th>node</th>\
            <th class="number">items</th><th class="number">time</th></tr></thead><tbody>\(rows)</tbody></table></section>
            """
    }

    private var hosts: HTML {
        var totals: [String: (items: Int, seconds: Double)] = [:]
        for host in status.fleet.partitions.flatMap(\.hosts) {
            totals[host.host, default: (0, 0)].items += host.items
            guard let rate = host.rate else { continue }
            // Parts of one host take their time together, or one after the other: never less than its longest.
            let longest = totals[host.host]?.seconds ?? 0
            totals[host.host]?.seconds = max(longest, Double(host.items) / rate)
        }
        let slow = totals.filter { $0.value.seconds > 0 }.sorted { $0.value.seconds > $1.value.seconds }
        guard !slow.isEmpty else { return "" }
        let rows = slow.prefix(Self.rows).map { host, total -> HTML in
            """
            <tr><td class="wrap">\(host)</td><td class="number">\(Quantity.grouped(total.items))</td>\
            <td class="number">\(Quantity.duration(total.seconds))</td></tr>
            """
        }
        return """
            <section><h2>Hosts that limit the job</h2><table><thead><tr><th>host</th><th class="number">items</th>\
            <th class="number">least time</th></tr></thead><tbody>\(rows)</tbody></table></section>
            """
    }

    private var failures: HTML {
        guard !causes.isEmpty else { return "" }
        let rows = causes.prefix(2 * Self.rows).map { error, items -> HTML in
            """
            <li><b>\(error)</b><span>\(Quantity.grouped(items))</span>\
            <span class="quiet">\(ErrorCode(rawValue: error)?.entry.meaning ?? "")</span></li>
            """
        }
        return "<section class=\"wide\"><h2>Failures by cause</h2><ul class=\"rows\">\(rows)</ul></section>"
    }
}
