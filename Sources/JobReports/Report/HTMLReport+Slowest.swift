import JobManifest
import JobPlanning

/// The hosts and URLs that took longest to respond.
extension HTMLReport {
    static func slowest(_ figures: ReportFigures) -> HTML {
        let slowest = figures.slowest
        guard let most = (slowest.urls + slowest.hosts).map(\.p95).max(), most > 0 else { return "" }
        return """
            <section><h2>Slowest hosts</h2><p class="quiet">By the 95th percentile of \
            \(Quantity.count(slowest.requests, "request")).</p>\(rows(slowest.hosts, of: most))</section>
            <section><h2>Slowest URLs</h2>\(rows(slowest.urls, of: most))</section>
            """
    }

    private static func rows(_ all: [JobStatus.Slowest.Times], of most: Double) -> HTML {
        let rows = all.map { times -> HTML in
            let failures =
                times.failures == 0 ? "" : ", \(Quantity.grouped(times.failures)) without a response"
            return """
                <li><span class="mono wrap">\(breakable(ItemListing.shown(times.name)))</span>\
                <span>\(JobStatus.Slowest.Times.text(times.p95))</span>
                \(bar("measure", Int(times.p95 * 1000), of: Int(most * 1000)))
                <span class="quiet">\(Quantity.count(times.requests, "request"))\(failures), median \
                \(JobStatus.Slowest.Times.text(times.p50))</span></li>
                """
        }
        return "<ol class=\"rows\">\(rows)</ol>"
    }
}
