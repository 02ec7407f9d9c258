/// How fast something grows, seen over the last seconds: what a progress line shows and reckons with.
public struct RateMeter: Sendable {
    /// What grew, a second.
    public struct Rates: Sendable, Hashable {
        /// Items finished.
        public var items: Double
        /// Bytes loaded.
        public var bytes: Double

        /// Rates as they were found.
        public init(items: Double, bytes: Double) {
            (self.items, self.bytes) = (items, bytes)
        }
    }

    private struct Sample {
        let seconds: Double
        let items, bytes: Int
    }

    /// The seconds that count.
    private let window: Double
    private var samples: [Sample] = []

    /// A meter that looks `window` seconds back.
    public init(window: Double = 10) {
        self.window = window
    }

    /// Takes a sample at a time that grows, and gives the rates since the oldest sample that counts; nil after the first.
    ///
    /// Where nothing was finished within the window, the rates are those since the beginning.
    public mutating func add(seconds: Double, items: Int, bytes: Int) -> Rates? {
        samples.append(Sample(seconds: seconds, items: items, bytes: bytes))
        // The sample before the window stays, so that the rates are over the whole of it.
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
