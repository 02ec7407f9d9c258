import Foundation
import JobManifest
import JobStorage

/// The figures of the first screen: how many, how much smaller, and what has changed since the run before.
extension HTMLReport {
    /// A figure with its name and a remark under it.
    private struct Figure {
        let name: String
        let value: String
        var remark: String?

        var html: HTML {
            let remark: HTML = remark.map { "<dd class=\"quiet\">\($0)</dd>" } ?? ""
            return "<div><dt>\(name)</dt><dd>\(value)</dd>\(remark)</div>"
        }
    }

    static func totals(_ figures: ReportFigures) -> HTML {
        let all = outputs(figures) + sizes(figures) + edge(figures) + lastRun(figures)
        return all.isEmpty ? "" : "<dl class=\"figures\">\(all.map(\.html))</dl>"
    }

    private static func outputs(_ figures: ReportFigures) -> [Figure] {
        let made = figures.outputs.reduce(0) { $0 + $1.made }
        return made == 0 ? [] : [Figure(name: "outputs", value: Quantity.grouped(made))]
    }

    /// The sizes of the originals and outputs; an original counts once, however often it was loaded.
    private static func sizes(_ figures: ReportFigures) -> [Figure] {
        let compared = figures.comparison
        guard compared.items > 0, compared.before > 0 else {
            let originals = figures.originalSize
            return originals.count == 0
                ? [] : [Figure(name: "original size", value: Quantity.bytes(originals.sum))]
        }
        let difference = abs(compared.before - compared.after)
        let isLarger = compared.after > compared.before
        // Outputs can be many times as large as their originals.
        let share = String(format: "%.1f %%", 100 * Double(difference) / Double(compared.before))
        let change = difference == 0 ? "0 %" : isLarger ? share : percent(difference, of: compared.before)
        return [
            Figure(name: "original size", value: Quantity.bytes(compared.before)),
            Figure(name: "output size", value: Quantity.bytes(compared.after)),
            Figure(
                name: isLarger ? "larger by" : "smaller by",
                value: change,
                remark: "\(Quantity.bytes(difference)) \(isLarger ? "more" : "saved")"
            ),
        ]
    }

    /// The share of the last runs' responses that came from the cache of an edge.
    private static func edge(_ figures: ReportFigures) -> [Figure] {
        let last = figures.ended.compactMap(\.first).map(\.counters)
        let hits = last.reduce(0) { $0 + ($1.edgeHits ?? 0) }
        let asked = hits + last.reduce(0) { $0 + ($1.edgeMisses ?? 0) }
        guard asked > 0 else { return [] }
        return [
            Figure(
                name: "edge hit ratio",
                value: hits == 0 ? "0 %" : percent(hits, of: asked),
                remark: "\(Quantity.grouped(hits)) of \(Quantity.count(asked, "response"))"
            )
        ]
    }

    /// The last run that ended, compared with the one before; for partitions, the sums over their last runs.
    private static func lastRun(_ figures: ReportFigures) -> [Figure] {
        let last = figures.ended.compactMap(\.first)
        let before = figures.ended.compactMap { $0.dropFirst().first }
        guard let run = last.first?.run else { return [] }
        let isPartitioned = !figures.status.shards.isEmpty
        let name = isPartitioned ? "last runs of \(Quantity.count(last.count, "partition"))" : "run \(run)"
        // Sums over different partitions cannot be compared.
        let former = before.count == last.count ? before : []
        let formerName = isPartitioned ? "in the runs before" : "in run \(former.first?.run ?? 0)"
        let values: [(name: String, value: (RunCounters) -> Int?)] = [
            ("items done", \.done), ("items failed", \.failed), ("made", \.made),
        ]
        return values.compactMap { counted, value in
            guard let now = sum(last.map { value($0.counters) }) else { return nil }
            let then = sum(former.map { value($0.counters) })
            return Figure(
                name: "\(counted), \(name)",
                value: Quantity.grouped(now),
                remark: then.map { "\(Quantity.grouped($0)) \(formerName)" }
            )
        }
    }

    /// Returns the sum; nil for no values, and if one is unknown.
    private static func sum(_ values: [Int?]) -> Int? {
        let known = values.compactMap { $0 }
        return known.isEmpty || known.count < values.count ? nil : known.reduce(0, +)
    }
}
