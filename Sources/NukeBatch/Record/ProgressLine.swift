import Foundation
import JobManifest

/// A run's progress as one line for a terminal: a bar, counts, failures, rates, and hosts that keep requests waiting.
///
/// It never exceeds its width: the bar becomes shorter first, then the least important parts are left out.
public struct ProgressLine: Sendable {
    /// The abilities of the terminal.
    public struct Style: Sendable {
        /// The width in columns.
        public var width: Int
        /// True if it shows more than ASCII.
        public var isUnicode: Bool
        /// True if colours are allowed (ECMA-48, SGR).
        public var isColored: Bool

        /// Creates a style from its parts.
        public init(width: Int, isUnicode: Bool, isColored: Bool) {
            (self.width, self.isUnicode, self.isColored) = (width, isUnicode, isColored)
        }
    }

    /// A part of the line.
    struct Part {
        enum Tone {
            case plain, failure, quiet
        }

        let text: String
        /// The order of removal if the line is too wide: the highest rank first; 0 always stays.
        let rank: Int
        var tone = Tone.plain
    }

    private static let gap = "  "
    private static let barWidths = 10...40

    private let progress: RunProgress
    private let rates: RateMeter.Rates?

    /// Creates the line for `progress`; `rates` are those of the last seconds.
    public init(_ progress: RunProgress, rates: RateMeter.Rates? = nil) {
        (self.progress, self.rates) = (progress, rates)
    }

    /// Returns the line in at most `style.width - 1` columns: some terminals wrap after the last one.
    public func text(_ style: Style) -> String {
        let room = max(0, style.width - 1)
        if let stage = progress.stage {
            return String((stage + (style.isUnicode ? "…" : "...")).prefix(room))
        }
        var parts = Self.parts(progress, rates)
        // The host that stops the run matters most; the end of its text says why.
        let most = max(20, room - Self.width(parts.filter { $0.rank < 2 }) - Self.barWidths.lowerBound - 2)
        parts += progress.waiting.prefix(3).enumerated().map { index, wait in
            let mark = style.isUnicode ? "…" : "..."
            let text = wait.text.count > most ? mark + wait.text.suffix(most - mark.count) : wait.text
            return Part(text: text, rank: index == 0 && wait.isPaused ? 2 : 10 + index, tone: .quiet)
        }
        while Self.width(parts) + Self.barWidths.lowerBound > room,
            let last = parts.indices.filter({ parts[$0].rank > 0 }).max(by: {
                parts[$0].rank < parts[$1].rank
            })
        {
            parts.remove(at: last)
        }
        let left = room - Self.width(parts)
        // Without room for a bar, only the count is shown.
        guard left >= Self.barWidths.lowerBound else {
            return String((parts.first?.text ?? "").prefix(room))
        }
        let bar = bar(min(left, Self.barWidths.upperBound), style)
        return bar + parts.map { Self.gap + Self.painted($0.text, $0.tone, style: style) }.joined()
    }

    /// Returns the parts beside the bar, in their order.
    static func parts(_ progress: RunProgress, _ rates: RateMeter.Rates?) -> [Part] {
        let finished = progress.done + progress.failed
        var parts = [Part(text: "\(Quantity.grouped(finished))/\(Quantity.grouped(progress.total))", rank: 0)]
        if progress.failed > 0 {
            parts.append(Part(text: "\(Quantity.grouped(progress.failed)) failed", rank: 1, tone: .failure))
            let classes = progress.failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3)
            if !classes.isEmpty {
                let text = classes.map { "\($0.key) \(Quantity.grouped($0.value))" }.joined(separator: ", ")
                parts.append(Part(text: "(\(text))", rank: 6, tone: .failure))
            }
        }
        guard let rates = rates ?? progress.rates, rates.items > 0 else { return parts }
        let rate = String(format: rates.items < 100 ? "%.1f/s" : "%.0f/s", rates.items)
        parts.append(Part(text: rate, rank: 4))
        if let bytes = rates.bytes {
            parts.append(Part(text: String(format: "%.1f MB/s", bytes / 1_000_000), rank: 7, tone: .quiet))
        }
        let left = Double(max(0, progress.total - finished))
        // The last items may be those of the host that has to be waited for.
        let seconds = max(left / rates.items, left > 0 ? progress.waiting.map(\.seconds).max() ?? 0 : 0)
        if seconds.isFinite { parts.append(Part(text: "ETA \(Quantity.duration(seconds))", rank: 3)) }
        return parts
    }

    private static func width(_ parts: [Part]) -> Int {
        parts.reduce(0) { $0 + gap.count + $1.text.count }
    }

    private func bar(_ width: Int, _ style: Style) -> String {
        let inner = style.isUnicode ? width : width - 2
        let share = { (count: Int) in progress.total == 0 ? 0 : Double(count) / Double(progress.total) }
        let filled = min(inner, Int(Double(inner) * share(progress.done + progress.failed)))
        // Even one failure among many thousands stays visible.
        let failed =
            progress.failed == 0 ? 0 : min(filled, max(1, Int(Double(inner) * share(progress.failed))))
        let (mark, rest) = style.isUnicode ? ("━", "─") : ("#", ".")
        let bar =
            Self.painted(String(repeating: mark, count: filled - failed), nil, style: style)
            + Self.painted(String(repeating: mark, count: failed), .failure, style: style)
            + Self.painted(String(repeating: rest, count: inner - filled), .quiet, style: style)
        return style.isUnicode ? bar : "[\(bar)]"
    }

    /// Returns the text in green (the bar, whose tone is nil), red or dim.
    private static func painted(_ text: String, _ tone: Part.Tone?, style: Style) -> String {
        guard style.isColored, !text.isEmpty else { return text }
        let code: String? =
            switch tone {
            case nil: "32"
            case .failure: "31"
            case .quiet: "2"
            case .plain: nil
            }
        return code.map { "\u{1B}[\($0)m\(text)\u{1B}[0m" } ?? text
    }
}

extension RunProgress {
    /// The rates since the run began.
    fileprivate var rates: RateMeter.Rates? {
        guard seconds > 0, finishedNow > 0 else { return nil }
        return RateMeter.Rates(items: Double(finishedNow) / seconds, bytes: Double(networkBytes) / seconds)
    }
}
