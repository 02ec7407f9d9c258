/// A meter of the rates over the last seconds, for a progress line and its ETA.
public struct RateMeter: Sendable {
    /// Growth per second.
    public struct Rates: Sendable, Hashable {
        /// Items finished per second.
        public var items: Double
        /// Bytes loaded per second; nil if unknown.
        public var bytes: Double?

        /// Creates rates from measured values.
        public init(items: Double, bytes: Double?) {
            (self.items, self.bytes) = (items, bytes)
        }
    }

    private struct Sample {
        let seconds: Double
        let items, bytes: Int
    }

    /// The length of the window in seconds.
    private let window: Double
    private var samples: [Sample] = []

    /// Creates a meter with a window of `window` seconds.
    public init(window: Double = 10) {
        self.window = window
    }

    /// Adds a sample and returns the rates since the oldest sample of the window; nil after the first.
    ///
    /// `seconds` must not decrease. If no item was finished within the window, the rates are those since the beginning.
    public mutating func add(seconds: Double, items: Int, bytes: Int) -> Rates? {
        samples.append(Sample(seconds: seconds, items: items, bytes: bytes))
        // The sample before the window stays, so that the rates cover the whole window.
        while samples.count > 2, samples[1].seconds <= seconds - window { samples.removeFirst() }
        guard let oldest = samples.first, seconds > oldest.seconds else { return nil }
        guard items > oldest.items else {
            return seconds > 0 ? Rates(items: Double(items) / seconds, bytes: Double(bytes) / seconds) : nil
        }
        let passed = seconds - oldest.seconds
        return Rates(
            items: Double(items - oldest.items) / passed,
            bytes: Double(max(0, bytes - oldest.bytes)) / passed
        )
    }
}
