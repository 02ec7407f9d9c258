import JobManifest

extension HTMLReport {
    /// The points of a row of the histogram.
    private static let step = 5

    /// The likeness of files to their images, where the manifest asks for one.
    static func scores(_ figures: ReportFigures) -> HTML {
        let rows = Dictionary(figures.scores.map { ($0.key / step * step, $0.value) }, uniquingKeysWith: +)
        guard let first = rows.keys.min(), let last = rows.keys.max(), let most = rows.values.max() else {
            return ""
        }
        let bars = stride(from: first, through: last, by: step).map { points -> HTML in
            let count = rows[points] ?? 0
            return """
                <li><b>\(points) to \(points + step)</b><span>\(Quantity.grouped(count))</span>\
                \(bar("measure", count, of: most))</li>
                """
        }
        let all = Quantity.count(rows.values.reduce(0, +), "file")
        let short = figures.status.shortfalls.sorted { $0.key < $1.key }.map { reason, count in
            "\(Quantity.grouped(count)) below the score asked for by \(reason)"
        }
        return """
            <section><h2>Quality by SSIMULACRA2</h2>
            <p class="quiet">\(([all] + short).joined(separator: ", ")).</p>
            <ul class="rows">\(bars)</ul></section>
            """
    }
}
