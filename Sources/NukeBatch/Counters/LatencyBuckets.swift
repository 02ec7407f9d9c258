/// The buckets of the histogram of requests by their duration.
enum LatencyBuckets {
    /// The upper bounds in seconds: those of Prometheus' client libraries, without the first, and two for slow origins.
    static let bounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

    /// The upper bound of the last bucket, as it is written.
    static let infinity = "+Inf"

    /// All upper bounds as they are written: numbers with a point, as OpenMetrics wants them.
    static let texts = bounds.map { "\($0)" } + [infinity]

    /// Returns the bound, as it is written, of the bucket for a request of so many seconds.
    static func text(of seconds: Double) -> String {
        texts[bounds.firstIndex { seconds <= $0 } ?? bounds.count]
    }
}
