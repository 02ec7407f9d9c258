import Foundation
import JobManifest

/// A run's progress as one line for a terminal: a bar, counts, failures, rates, and hosts that keep requests waiting.
///
/// It never exceeds its width: the bar becomes shorter first, then the least important parts are left out. The count and
/// the name of a host that the run waits for stay longest.
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

        var text: String
        /// The order of removal if the line is too wide: the highest rank first; 0 always stays.
        var rank: Int
        var tone = Tone.plain
        /// A shorter text, which takes the place of `text` instead of its removal.
        var shorter: String?
    }

    private static let gap = "  "
    private static let barWidths = 10...40
    /// The least number of characters that identify a host.
    private static let leastHost = 8
    /// The seconds before the end in which a host that does not respond makes it unpredictable.
    private static let nearEnd = 60.0

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
            let wait = stopping.map { Self.gap + $0.text } ?? ""
            return String((stage + (style.isUnicode ? "…" : "...") + wait).prefix(room))
        }
        var parts = Self.parts(progress, rates, isUnicode: style.isUnicode)
        parts += waits(room - Self.width(parts.filter { $0.rank == 0 }), style)
        var leastBar = Self.barWidths.lowerBound
        while Self.width(parts) + leastBar > room,
            let last = parts.indices.filter({ parts[$0].rank > 0 }).max(by: {
                parts[$0].rank < parts[$1].rank
            })
        {
            if let shorter = parts[last].shorter {
                parts[last] = Part(text: shorter, rank: 0, tone: parts[last].tone)
                // Rather than anything beside the host, the bar is left out, with the gap after it.
                leastBar = -Self.gap.count
            } else {
                parts.remove(at: last)
            }
        }
        let left = room - Self.width(parts)
        let painted = parts.map { Self.painted($0.text, $0.tone, style: style) }
        guard left < Self.barWidths.lowerBound else {
            let bar = bar(min(left, Self.barWidths.upperBound), style)
            return ([bar] + painted).joined(separator: Self.gap)
        }
        let isWhole = leastBar < 0 && left >= leastBar
        return isWhole ? painted.joined(separator: Self.gap) : shortest(room, style)
    }

    /// The wait of the host that stops the run: the longest during which a host gets no request.
    private var stopping: RunProgress.Wait? { progress.waiting.first(where: \.isPaused) }

    /// Returns the waits as parts; that of the host that stops the run has a shorter form, in which the whole name is shown
    /// if that fits into `space` columns: all beside the count.
    private func waits(_ space: Int, _ style: Style) -> [Part] {
        let others = progress.waiting.filter { $0 != stopping }
        return ([stopping].compactMap(\.self) + others).prefix(3).enumerated().map { index, wait in
            guard wait == stopping else { return Part(text: wait.text, rank: 10 + index, tone: .quiet) }
            let free = space - wait.brief.count - 2
            let beside = free - Self.barWidths.lowerBound - Self.gap.count
            let isWhole = wait.host.count <= free
            let host = isWhole ? wait.host : Self.end(of: wait.host, max(Self.leastHost, beside), style)
            return Part(text: wait.text, rank: 3, tone: .quiet, shorter: "\(host): \(wait.brief)")
        }
    }

    /// Returns the count and, if it fits, the host that stops the run.
    private func shortest(_ room: Int, _ style: Style) -> String {
        let count = String(Self.count(progress).prefix(room))
        let free = room - count.count - Self.gap.count
        guard let wait = stopping, free >= Self.leastHost else { return count }
        let whole = [wait.text, "\(wait.host): \(wait.brief)"].first { $0.count <= free }
        let text = whole ?? Self.end(of: wait.host, free, style)
        return count + Self.gap + Self.painted(text, .quiet, style: style)
    }

    /// Returns at most `count` characters of a host's name: its end, which is the domain.
    private static func end(of host: String, _ count: Int, _ style: Style) -> String {
        guard host.count > count else { return host }
        let mark = style.isUnicode ? "…" : "..."
        return mark + host.suffix(max(0, count - mark.count))
    }

    private static func count(_ progress: RunProgress) -> String {
        "\(Quantity.grouped(progress.done + progress.failed))/\(Quantity.grouped(progress.total))"
    }

    /// Returns the parts beside the bar, in their order.
    static func parts(_ progress: RunProgress, _ rates: RateMeter.Rates?, isUnicode: Bool = true) -> [Part] {
        var parts = [Part(text: count(progress), rank: 0)]
        if progress.failed > 0 {
            parts.append(Part(text: "\(Quantity.grouped(progress.failed)) failed", rank: 2, tone: .failure))
            let classes = progress.failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3)
            if !classes.isEmpty {
                let text = classes.map { "\($0.key) \(Quantity.grouped($0.value))" }.joined(separator: ", ")
                parts.append(Part(text: "(\(text))", rank: 6, tone: .failure))
            }
        }
        let rates = rates ?? progress.rates
        // A rate of earlier would look as if something were being finished.
        if let rates, rates.items > 0, !rates.isStalled {
            let rate = String(format: rates.items < 100 ? "%.1f/s" : "%.0f/s", rates.items)
            parts.append(Part(text: rate, rank: 5))
            // Files and cached originals are not loaded.
            if let bytes = rates.bytes, bytes >= 1 {
                let rate = "\(Quantity.bytes(Int(min(bytes, 1e15))))/s"
                parts.append(Part(text: rate, rank: 7, tone: .quiet))
            }
        }
        let time = secondsLeft(progress, rates).map { Quantity.duration($0) } ?? (isUnicode ? "–" : "-")
        parts.append(Part(text: "ETA \(time)", rank: 4))
        return parts
    }

    /// Returns the seconds until the end; nil if they cannot be known.
    private static func secondsLeft(_ progress: RunProgress, _ rates: RateMeter.Rates?) -> Double? {
        let left = progress.total - progress.done - progress.failed
        guard left > 0 else { return 0 }
        guard let rates, rates.items > 0, !rates.isStalled else { return nil }
        let seconds = Double(left) / rates.items
        // The last items may be those of a host that has to be waited for.
        let isUncertain = progress.waiting.contains { wait in
            !wait.isCertain && seconds <= max(wait.seconds, nearEnd)
        }
        let latest = max(seconds, progress.waiting.map(\.seconds).max() ?? 0)
        return isUncertain || !latest.isFinite ? nil : latest
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
