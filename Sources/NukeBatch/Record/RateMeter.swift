/// A meter of the rates over the last seconds, for a progress line and its ETA.
public struct RateMeter: Sendable {
    /// Growth per second.
    public struct Rates: Sendable, Hashable {
        /// Items finished per second.
        public var items: Double
        /// Bytes loaded per second; nil if unknown.
        public var bytes: Double?
        /// True if no item has been finished for so long that the rates are no guide to the end.
        public var isStalled: Bool

        /// Creates rates from measured values.
        public init(items: Double, bytes: Double?, isStalled: Bool = false) {
            (self.items, self.bytes, self.isStalled) = (items, bytes, isStalled)
        }
    }

    private struct Sample {
        let seconds: Double
        let items, bytes: Int
    }

    /// The length of the window in seconds.
    private let window: Double
    private var samples: [Sample] = []
    /// The sample in which the number of items grew last.
    private var grown: Sample?
    /// The number of items that should have been finished, by the mean rate until then, before a run counts as stalled.
    private static let stall = 5.0

    /// Creates a meter with a window of `window` seconds.
    public init(window: Double = 10) {
        self.window = window
    }

    /// Adds a sample and returns the rates since the oldest sample of the window; nil after the first.
    ///
    /// `seconds` must not decrease. If no item was finished within the window, the rates are those since the beginning;
    /// a stalled run loads nothing.
    public mutating func add(seconds: Double, items: Int, bytes: Int) -> Rates? {
        let sample = Sample(seconds: seconds, items: items, bytes: bytes)
        samples.append(sample)
        if items > grown?.items ?? 0 { grown = sample }
        // The sample before the window stays, so that the rates cover the whole window.
        while samples.count > 2, samples[1].seconds <= seconds - window { samples.removeFirst() }
        guard let oldest = samples.first, seconds > oldest.seconds else { return nil }
        guard items > oldest.items else {
            guard seconds > 0 else { return nil }
            let isStalled = grown.map { last in
                Double(last.items) * (seconds - last.seconds) >= Self.stall * last.seconds
            }
            return Rates(
                items: Double(items) / seconds,
                bytes: isStalled == true ? 0 : Double(bytes) / seconds,
                isStalled: isStalled ?? false
            )
        }
        let passed = seconds - oldest.seconds
        return Rates(
            items: Double(items - oldest.items) / passed,
            bytes: Double(max(0, bytes - oldest.bytes)) / passed
        )
    }
}
