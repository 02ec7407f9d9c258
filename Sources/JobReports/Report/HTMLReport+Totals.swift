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
        let all = outputs(figures) + sizes(figures) + lastRun(figures)
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

    /// The last run that ended, compared with the one before.
    private static func lastRun(_ figures: ReportFigures) -> [Figure] {
        guard let last = figures.ended.first else { return [] }
        let before = figures.ended.dropFirst().first
        let values: [(name: String, value: (RunCounters) -> Int?)] = [
            ("items done", \.done), ("items failed", \.failed), ("made", \.made),
        ]
        return values.compactMap { name, value in
            guard let now = value(last.counters) else { return nil }
            let former = before.flatMap { run in value(run.counters).map { (run.run, $0) } }
            return Figure(
                name: "\(name), run \(last.run)",
                value: Quantity.grouped(now),
                remark: former.map { "\(Quantity.grouped($1)) in run \($0)" }
            )
        }
    }
}
