import Foundation

/// A run's progress as one line for a terminal: a bar, how much is done, what failed, how fast, what is waited for.
///
/// It is never wider than it may be: the bar becomes shorter, then what matters least goes.
public struct ProgressLine: Sendable {
    /// What the terminal can show.
    public struct Style: Sendable {
        /// Its columns.
        public var width: Int
        /// Whether it shows more than ASCII.
        public var isUnicode: Bool
        /// Whether it may be told colours (ECMA-48, SGR).
        public var isColored: Bool

        /// A terminal's abilities.
        public init(width: Int, isUnicode: Bool, isColored: Bool) {
            (self.width, self.isUnicode, self.isColored) = (width, isUnicode, isColored)
        }
    }

    /// A piece of the line.
    struct Part {
        enum Tone {
            case plain, failure, quiet
        }

        let text: String
        /// The part with the highest goes first where there is no room.
        let rank: Int
        var tone = Tone.plain
    }

    private static let gap = "  "
    private static let barWidths = 10...40

    private let progress: RunProgress
    private let rates: RateMeter.Rates?

    /// The line for `progress`; `rates` are those of the last seconds.
    public init(_ progress: RunProgress, rates: RateMeter.Rates? = nil) {
        (self.progress, self.rates) = (progress, rates)
    }

    /// The line, which takes at most `style.width - 1` columns: some terminals wrap after the last one.
    public func text(_ style: Style) -> String {
        let room = max(0, style.width - 1)
        if let stage = progress.stage {
            return String((stage + (style.isUnicode ? "…" : "...")).prefix(room))
        }
        var parts = Self.parts(progress, rates)
        let waiting = progress.waiting.prefix(3).enumerated()
        parts += waiting.map { Part(text: $1, rank: 10 + $0, tone: .quiet) }
        while Self.width(parts) + Self.barWidths.lowerBound > room,
            let last = parts.indices.filter({ parts[$0].rank > 0 }).max(by: {
                parts[$0].rank < parts[$1].rank
            })
        {
            parts.remove(at: last)
        }
        let left = room - Self.width(parts)
        // Without room for a bar the count says it.
        guard left >= Self.barWidths.lowerBound else {
            return String((parts.first?.text ?? "").prefix(room))
        }
        let bar = bar(min(left, Self.barWidths.upperBound), style)
        return bar + parts.map { Self.gap + Self.painted($0.text, $0.tone, style) }.joined()
    }

    /// What is to be said beside the bar, in its order.
    static func parts(_ progress: RunProgress, _ rates: RateMeter.Rates?) -> [Part] {
        let finished = progress.done + progress.failed
        var parts = [Part(text: "\(grouped(finished))/\(grouped(progress.total))", rank: 0)]
        if progress.failed > 0 {
            parts.append(Part(text: "\(grouped(progress.failed)) failed", rank: 1, tone: .failure))
            let classes = progress.failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3)
            if !classes.isEmpty {
                let text = classes.map { "\($0.key) \(grouped($0.value))" }.joined(separator: ", ")
                parts.append(Part(text: "(\(text))", rank: 5, tone: .failure))
            }
        }
        guard let rates = rates ?? progress.rates, rates.items > 0 else { return parts }
        let rate = String(format: rates.items < 100 ? "%.1f/s" : "%.0f/s", rates.items)
        parts.append(Part(text: rate, rank: 3))
        parts.append(Part(text: String(format: "%.1f MB/s", rates.bytes / 1_000_000), rank: 6, tone: .quiet))
        let left = Double(max(0, progress.total - finished))
        parts.append(Part(text: "ETA \(RunProgress.duration(left / rates.items))", rank: 2))
        return parts
    }

    private static func width(_ parts: [Part]) -> Int {
        parts.reduce(0) { $0 + gap.count + $1.text.count }
    }

    private func bar(_ width: Int, _ style: Style) -> String {
        let inner = style.isUnicode ? width : width - 2
        let share = { (count: Int) in progress.total == 0 ? 0 : Double(count) / Double(progress.total) }
        let filled = min(inner, Int(Double(inner) * share(progress.done + progress.failed)))
        // A failure among many thousands is still to be seen.
        let failed =
            progress.failed == 0 ? 0 : min(filled, max(1, Int(Double(inner) * share(progress.failed))))
        let (mark, rest) = style.isUnicode ? ("━", "─") : ("#", ".")
        let bar =
            Self.painted(String(repeating: mark, count: filled - failed), nil, style)
            + Self.painted(String(repeating: mark, count: failed), .failure, style)
            + Self.painted(String(repeating: rest, count: inner - filled), .quiet, style)
        return style.isUnicode ? bar : "[\(bar)]"
    }

    /// Green (of the bar, without a tone), red and dim.
    private static func painted(_ text: String, _ tone: Part.Tone?, _ style: Style) -> String {
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

    /// A count with commas between thousands, whatever the locale.
    package static func grouped(_ count: Int) -> String {
        let digits = Array(String(count))
        return digits.indices.reduce(into: "") { text, index in
            let isBoundary = index > 0 && (digits.count - index) % 3 == 0 && digits[index - 1] != "-"
            text += (isBoundary ? "," : "") + String(digits[index])
        }
    }
}

extension RunProgress {
    /// The rates since the run began.
    fileprivate var rates: RateMeter.Rates? {
        guard seconds > 0, finishedNow > 0 else { return nil }
        return RateMeter.Rates(items: Double(finishedNow) / seconds, bytes: Double(networkBytes) / seconds)
    }
}
