import JobManifest
import JobPlanning

/// The hosts and URLs that took longest to respond.
extension HTMLReport {
    static func slowest(_ figures: ReportFigures) -> HTML {
        let slowest = figures.slowest
        guard let most = slowest.urls.map(\.p95).max(), most > 0 else { return "" }
        let hosts = slowest.hosts.map { host -> HTML in
            """
            <tr><td class="wrap">\(host.name)</td><td class="number">\(Quantity.grouped(host.requests))</td>\
            <td class="number">\(host.failures == 0 ? "–" : Quantity.grouped(host.failures))</td>\
            <td class="number">\(JobStatus.Slowest.Times.text(host.p50))</td>\
            <td class="number">\(JobStatus.Slowest.Times.text(host.p95))</td></tr>
            """
        }
        let urls = slowest.urls.map { url -> HTML in
            """
            <li><span class="mono wrap">\(breakable(ItemListing.shown(url.name)))</span>\
            <span>\(JobStatus.Slowest.Times.text(url.p95))</span>
            \(bar("measure", Int(url.p95 * 1000), of: Int(most * 1000)))
            <span class="quiet">\(Quantity.count(url.requests, "request")), median \
            \(JobStatus.Slowest.Times.text(url.p50))</span></li>
            """
        }
        return """
            <section><h2>Slowest hosts</h2>
            <table><thead><tr><th>host</th><th class="number">requests</th><th class="number">no response</th>\
            <th class="number">p50</th><th class="number">p95</th></tr></thead>
            <tbody>\(hosts)</tbody></table></section>
            <section><h2>Slowest URLs</h2><p class="quiet">By the 95th percentile of \
            \(Quantity.count(slowest.requests, "request")).</p><ol class="rows">\(urls)</ol></section>
            """
    }
}
