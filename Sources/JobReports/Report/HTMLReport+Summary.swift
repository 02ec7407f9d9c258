import Foundation
import JobManifest

/// The head of the page: verdict and states.
extension HTMLReport {
    static func header(_ manifest: Manifest, _ figures: ReportFigures, scope: String?) -> HTML {
        let file = (manifest.shownPath as NSString).lastPathComponent
        let place = scope.map { "\(file) · \($0)" } ?? file
        return """
            <header>
            <h1>\(manifest.name)</h1>
            \(verdict(figures.status))
            <p class="quiet wrap">\(place)\(lastRun(figures.status))</p>
            </header>
            \(states(figures.status))
            \(totals(figures))
            """
    }

    private static func verdict(_ status: JobStatus) -> HTML {
        guard let items = status.items else { return "<p class=\"verdict\">This job was never run.</p>" }
        let count = { (name: String) in status.states[name] ?? 0 }
        let failed = count("failed") + count("quarantined")
        let left = items - status.finished
        let grouped = Quantity.grouped
        if items == 0 { return "<p class=\"verdict\">This job has no items.</p>" }
        let done: HTML =
            failed + left == 0
            ? "<b class=\"done\">\(items == 1 ? "The only item is" : "All \(grouped(items)) items are") done.</b>"
            : "<b>\(grouped(count("done") + count("skipped"))) of \(Quantity.count(items, "item")) \(items == 1 ? "is" : "are") done.</b>"
        let failures: HTML = failed == 0 ? "" : " <b class=\"failed\">\(grouped(failed)) failed.</b>"
        let rest: HTML = left == 0 ? "" : " \(grouped(left)) left\(time(left: status))."
        return "<p class=\"verdict\">\(done)\(failures)\(rest)</p>"
    }

    /// The time until the active runs end, where it is known.
    private static func time(left status: JobStatus) -> String {
        guard let seconds = status.eta.map(Quantity.duration) else { return "" }
        // What is left can be that of a partition without an active run.
        return status.shards.isEmpty
            ? ", about \(seconds) at the rate of this run" : "; the active runs need about \(seconds)"
    }

    private static func lastRun(_ status: JobStatus) -> String {
        guard let run = status.runs.first else { return "" }
        if run.isGoingOn { return " · run \(run.run) is running" }
        let took = run.seconds.map { " and took \(duration($0))" } ?? ""
        return " · run \(run.run) started \(run.startedText)\(took)"
    }

    /// Returns the states of the items as one bar with its legend.
    private static func states(_ status: JobStatus) -> HTML {
        guard let items = status.items, items > 0 else { return "" }
        let count = { (names: [String]) in names.reduce(0) { $0 + (status.states[$1] ?? 0) } }
        let groups = [
            ("done", "done", count(["done"])), ("skipped", "skipped", count(["skipped"])),
            ("failed", "failed", count(["failed", "quarantined"])),
            ("waiting", "waiting", count(["pending", "running", "retry"])),
        ].filter { $0.2 > 0 }
        var position = 0.0
        let bars = groups.map { style, name, count -> HTML in
            // A small share must stay visible.
            let width = max(4, 1000 * Double(count) / Double(items))
            defer { position += width }
            return
                "<rect class=\"\(style)\" x=\"\(number(position))\" y=\"0\" width=\"\(number(width))\" height=\"1\"/>"
        }
        let names = groups.map { style, name, count -> HTML in
            """
            <li class="\(style)"><i></i><span>\(Quantity.grouped(count)) \(name), \
            \(percent(count, of: items))</span></li>
            """
        }
        return """
            <div class="states">
            <svg viewBox="0 0 \(number(position)) 1" preserveAspectRatio="none" aria-hidden="true">\(bars)</svg>
            <ul class="legend">\(names)</ul>
            </div>
            """
    }

    static func duration(_ seconds: Double) -> String {
        seconds < 60 ? String(format: "%.1f s", seconds) : Quantity.duration(seconds)
    }

    static func time(microseconds: Int) -> String {
        JobStatus.Slowest.Times.text(Double(microseconds) / 1000)
    }

    private static func number(_ value: Double) -> String {
        String(format: "%.1f", value)
    }

    /// Formats a share such as `99.5 %`; 0 and 100 only if exact.
    static func percent(_ count: Int, of total: Int) -> String {
        if count == total { return "100 %" }
        return String(format: "%.1f %%", min(99.9, max(0.1, 100 * Double(count) / Double(total))))
    }
}

extension JobStatus.Run {
    /// The start as text.
    var startedText: String {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return (try? Date(started, strategy: format)).map(HTMLReport.date) ?? started
    }
}
