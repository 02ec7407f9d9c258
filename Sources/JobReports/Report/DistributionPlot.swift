import Foundation
import JobManifest
import JobStorage

/// A histogram on a logarithmic axis of whole decades, as SVG; its labels are HTML, so that they keep their size on a phone.
struct DistributionPlot {
    let title: String
    let distribution: Distribution
    /// A value for people, such as `12 ms`.
    let label: (Int) -> String
    /// The noun for what is counted, such as `request`.
    let noun: String
    /// The sentence under it.
    let caption: String

    /// The plot; nothing without values.
    var html: HTML {
        guard let steps else { return "" }
        let bars = steps.filter { distribution.counts[$0] != nil }.map { bar($0, steps) }
        let width = steps.count * 10
        let decades = stride(from: 0, through: width, by: Distribution.stepsPerDecade * 10).map {
            position -> HTML in
            "<line class=\"grid\" x1=\"\(position)\" x2=\"\(position)\" y1=\"0\" y2=\"100\"/>"
        }
        let ticks = stride(from: steps.lowerBound, through: steps.upperBound, by: Distribution.stepsPerDecade)
            .map { step -> HTML in "<span>\(label(Self.power(step)))</span>" }
        return """
            <figure><div class="plot"><svg viewBox="0 0 \(width) 100" preserveAspectRatio="none" role="img" \
            aria-label="\(title): \(caption)">
            \(decades)
            \(bars)
            \(mark(steps))
            </svg><div class="ticks">\(ticks)</div></div>
            <figcaption>\(caption)</figcaption></figure>
            """
    }

    /// The steps that are shown, from a power of ten to another.
    private var steps: Range<Int>? {
        guard let first = distribution.counts.keys.min(), let last = distribution.counts.keys.max() else {
            return nil
        }
        let size = Distribution.stepsPerDecade
        return first / size * size..<(last / size + 1) * size
    }

    private func bar(_ step: Int, _ steps: Range<Int>) -> HTML {
        let count = distribution.counts[step] ?? 0
        let most = distribution.counts.values.max() ?? 1
        // Every bar must stay visible.
        let height = max(2, 96 * count / most)
        let (from, to) = (
            label(Distribution.upperBound(of: step - 1)), label(Distribution.upperBound(of: step))
        )
        return """
            <rect class="measure" x="\((step - steps.lowerBound) * 10 + 1)" y="\(100 - height)" width="8" \
            height="\(height)"><title>\(from) to \(to): \(Quantity.count(count, noun))</title></rect>
            """
    }

    /// A line at the median.
    private func mark(_ steps: Range<Int>) -> HTML {
        let decades = log10(Double(max(1, distribution.median)))
        let exact = Int((decades * Double(Distribution.stepsPerDecade) * 10).rounded())
        let position = min(max(0, exact - steps.lowerBound * 10), steps.count * 10)
        return "<line class=\"mark\" x1=\"\(position)\" x2=\"\(position)\" y1=\"0\" y2=\"100\"/>"
    }

    private static func power(_ step: Int) -> Int {
        Int(pow(10, Double(step / Distribution.stepsPerDecade)))
    }
}
