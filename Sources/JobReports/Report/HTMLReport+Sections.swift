import Foundation
import Imaging
import JobManifest
import JobPlanning
import JobStorage

/// The sections of the page; each is empty if there is nothing to show.
extension HTMLReport {
    static func failures(_ figures: ReportFigures, of manifest: Manifest, _ commands: NextCommands) -> HTML {
        let causes = figures.status.failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        guard !causes.isEmpty else { return "" }
        let most = causes[0].value
        let rows = causes.prefix(2 * ReportFigures.rows).map { error, count -> HTML in
            """
            <li><b>\(error)</b><span>\(Quantity.grouped(count))</span>\(bar("failed", count, of: most))
            <span class="quiet">\(ErrorCode(rawValue: error)?.entry.meaning ?? "")</span>
            \(advice(on: error, figures, of: manifest, continuing: commands))</li>
            """
        }
        let hosts = figures.hosts.map { failure -> HTML in
            """
            <tr><td class="wrap">\(host(failure.host))</td><td>\(failure.error)</td>\
            <td class="number">\(Quantity.grouped(failure.count))</td></tr>
            """
        }
        let items = figures.failed.map { item -> HTML in
            """
            <li><span class="mono wrap">\(breakable(item.shownURL))</span>\
            <span class="failed">\(item.error ?? item.state)</span></li>
            """
        }
        let all = causes.reduce(0) { $0 + $1.value }
        let rest: HTML =
            all > figures.failed.count
            ? """
            <p class="quiet">The first \(figures.failed.count) of \(Quantity.grouped(all)). All of them: \
            <span class="mono wrap">\(commands.failures)</span></p>
            """ : ""
        return """
            <section><h2>Failures by cause</h2><ul class="rows">\(rows)</ul></section>
            <section><h2>Failures by host</h2>
            <table><thead><tr><th>host</th><th>cause</th><th class="number">items</th></tr></thead>
            <tbody>\(hosts)</tbody></table></section>
            <section class="wide"><h2>Failed items</h2>\(rest)<ol class="rows">\(items)</ol></section>
            """
    }

    /// Returns what `explain` advises for the items that failed with an error: sentences, and a command.
    private static func advice(
        on error: String,
        _ figures: ReportFigures,
        of manifest: Manifest,
        continuing commands: NextCommands
    ) -> [HTML] {
        let code = ErrorCode(rawValue: error)
        // No command can select an error that this release does not know.
        let retry = code == nil ? commands.retry : "\(commands.retry) --error \(error)"
        let isQuarantined = code == .crashed && figures.status.states["quarantined", default: 0] > 0
        let steps =
            isQuarantined
            ? ItemAdvice.nextInQuarantine(retry: retry)
            : ItemAdvice.next(after: code, in: manifest, commands, retry: retry)
        return steps.map { step in
            step.hasPrefix("nuke-batch ")
                ? "<span class=\"quiet mono wrap\">\(step)</span>" : "<span class=\"quiet\">\(step)</span>"
        }
    }

    static func outputs(_ figures: ReportFigures) -> HTML {
        guard !figures.outputs.isEmpty else { return "" }
        let count = { (value: Int) in value == 0 ? "–" : Quantity.grouped(value) }
        let rows = figures.outputs.map { output -> HTML in
            let mean = output.made == 0 ? "–" : Quantity.bytes(output.bytes / output.made)
            return """
                <tr><td class="wrap">\(output.name)\(formats(of: output))</td><td class="number">\(count(output.made))</td>\
                <td class="number">\(count(output.skipped))</td><td class="number">\(count(output.failed))</td>\
                <td class="number">\(mean)</td></tr>
                """
        }
        return """
            <section class="wide"><h2>Outputs</h2>
            <table><thead><tr><th>name</th><th class="number">made</th><th class="number">skipped</th>\
            <th class="number">failed</th><th class="number">mean size</th></tr></thead>
            <tbody>\(rows)</tbody></table></section>
            """
    }

    /// The formats of an output's files, if they are several: the most frequent first, with their numbers.
    private static func formats(of output: OutputTotals) -> HTML {
        guard output.formats.count > 1 else { return "" }
        let counts = output.formats.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let list = counts.map { "\($0.key) \(Quantity.grouped($0.value))" }.joined(separator: ", ")
        return "<br><span class=\"quiet\">\(list)</span>"
    }

    static func times(_ figures: ReportFigures) -> HTML {
        let times = figures.requestTime
        guard times.count > 0 else { return "" }
        let plot = DistributionPlot(
            title: "Response times",
            distribution: times,
            label: { Self.time(microseconds: $0).replacing(".0 ", with: " ") },
            noun: "request",
            caption: "\(Quantity.count(times.count, "request")): median "
                + "\(time(microseconds: times.median)), 95th percentile "
                + "\(time(microseconds: times.percentile95)), slowest \(time(microseconds: times.maximum)). "
                + "Without the time in the queue."
        )
        return "<section class=\"tall\"><h2>Response times</h2>\(plot.html)</section>"
    }

    static func sizes(_ figures: ReportFigures) -> HTML {
        let plots = [("original", figures.originalSize), ("output", figures.outputSize)].filter {
            $0.1.count > 0
        }
        guard !plots.isEmpty else { return "" }
        let figures = plots.map { noun, sizes in
            DistributionPlot(
                title: "Sizes of the \(noun)s",
                distribution: sizes,
                label: Self.roundSize,
                noun: noun,
                caption: "\(Quantity.count(sizes.count, noun)): median "
                    + "\(Quantity.bytes(sizes.median)), largest \(Quantity.bytes(sizes.maximum))."
            ).html
        }
        return "<section><h2>Sizes</h2>\(figures)</section>"
    }

    static func sheet(_ pairs: [ContactSheet.Pair], _ figures: ReportFigures) -> HTML {
        guard !pairs.isEmpty else { return "" }
        let done = figures.status.states["done"] ?? 0
        let choice =
            pairs.count == done
            ? "Every finished item: the original and its first output."
            : "\(pairs.count) of \(Quantity.grouped(done)) finished items, spread evenly over the manifest: the "
                + "original and its first output."
        let items = pairs.map { pair -> HTML in
            let name = pair.item.id ?? Self.name(of: pair.item)
            return """
                <li><div class="pair">\(image(pair.before, "the original of \(name)"))\
                \(pair.output == nil ? "" : image(pair.after, "an output of \(name)"))</div>
                <p><span><span class="name">\(name)</span>\(caption(pair.before))</span>\
                <span><span class="name">\(pair.output ?? "")</span>\(caption(pair.after))</span></p></li>
                """
        }
        return """
            <section class="wide"><h2>Before and after</h2><p class="quiet">\(choice)</p>
            <ul class="sheet">\(items)</ul></section>
            """
    }

    static func largest(_ figures: ReportFigures) -> HTML {
        guard let most = figures.largest.first?.bytes, most > 0 else { return "" }
        let rows = figures.largest.map { item, bytes -> HTML in
            let outputs = item.outputs.reduce(0) { $0 + ($1.bytes ?? 0) }
            return """
                <li><span class="mono wrap">\(breakable(item.shownURL))</span><span>\(Quantity.bytes(bytes))</span>
                \(bar("measure", bytes, of: most))
                <span class="quiet">\(outputs > 0 ? "\(Quantity.bytes(outputs)) of outputs" : item.state)</span></li>
                """
        }
        return "<section><h2>Largest originals</h2><ol class=\"rows\">\(rows)</ol></section>"
    }

    private static func image(_ thumbnail: ContactSheet.Thumbnail?, _ description: String) -> HTML {
        guard let thumbnail else { return "<div>missing</div>" }
        return "<div><img src=\"\(thumbnail.url)\" alt=\"\(description)\"></div>"
    }

    private static func caption(_ thumbnail: ContactSheet.Thumbnail?) -> String {
        thumbnail.map { "\($0.size.width) × \($0.size.height), \(Quantity.bytes($0.bytes))" } ?? ""
    }

    /// The last part of the URL's path.
    private static func name(of item: ItemListing) -> String {
        let path = item.shownURL.prefix { $0 != "?" }
        let last = String(path.split(separator: "/").last ?? path)
        return last.removingPercentEncoding ?? last
    }

    /// A URL that may be broken into lines after its slashes.
    static func breakable(_ url: String) -> HTML {
        let parts = url.split(separator: "/", omittingEmptySubsequences: false)
        let pieces = parts.enumerated().map { number, part -> HTML in
            number == parts.count - 1
                ? "\(String(part))" : "\(String(part))/\(part.isEmpty ? "" : HTML("<wbr>"))"
        }
        return HTML(stringLiteral: pieces.map(\.source).joined())
    }

    /// A host as written in URLs; the state writes the port in a form that is safe in paths.
    private static func host(_ name: String) -> String {
        guard let separator = name.lastIndex(of: "_"), Int(name[name.index(after: separator)...]) != nil
        else { return name.isEmpty ? "files" : name }
        return name[..<separator] + ":" + name[name.index(after: separator)...]
    }

    static func bar(_ style: String, _ count: Int, of most: Int) -> HTML {
        """
        <svg viewBox="0 0 1000 1" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="1000" height="1"/>\
        <rect class="\(style)" width="\(max(4, 1000 * count / max(1, most)))" height="1"/></svg>
        """
    }

    /// A size for an axis, without a trailing `.0`.
    private static func roundSize(_ bytes: Int) -> String {
        Quantity.bytes(bytes).replacing(".0 ", with: " ")
    }
}
