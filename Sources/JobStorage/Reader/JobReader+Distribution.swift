import SQLite

/// Distributions over one or several states.
extension JobReader {
    /// A quantity with a distribution.
    public enum Measure: Sendable {
        /// The duration of each request in microseconds, without the time in the queue.
        case requestTime
        /// The size of each listed item's original in bytes, as last loaded or read from the cache.
        case originalSize
        /// The size of each output that the manifest asks for, in bytes.
        case outputSize
    }

    /// Returns the distribution of `measure` without its quantiles.
    fileprivate func histogram(of measure: Measure) throws(JobStoreError) -> Distribution {
        try read(measure.query) { statement in
            var distribution = Distribution()
            try statement.bind([])
            while try statement.step() { distribution.add(statement["value"]) }
            return distribution
        }
    }

    /// Returns how often each value of `measure` in a step of its distribution occurs.
    fileprivate func values(of measure: Measure, inStep step: Int) throws(JobStoreError) -> [Int: Int] {
        let least = step == 0 ? Int.min : Distribution.upperBound(of: step - 1) + 1
        return try read(
            "SELECT value, count(*) AS count FROM (\(measure.query)) WHERE value BETWEEN ? AND ? GROUP BY value"
        ) { try $0.dictionary(least, Distribution.upperBound(of: step)) { ($0["value"], $0["count"]) } }
    }
}

extension [JobReader] {
    /// Returns the distribution of `measure` over all states; each is read again for each quantile.
    /// - Throws: `JobStoreError`.
    public func distribution(of measure: JobReader.Measure) throws(JobStoreError) -> Distribution {
        var distribution = Distribution()
        for reader in self { distribution.add(try reader.histogram(of: measure)) }
        let count = distribution.count
        guard count > 0 else { return distribution }
        let lower = try value(ofRank: (count - 1) / 2, in: distribution, of: measure)
        let upper = try value(ofRank: count / 2, in: distribution, of: measure)
        distribution.median = lower + (upper - lower) / 2
        // Whole numbers: 95 % of 20 values are 19, which 0.95 * 20 may exceed.
        let rank = (count * 95 + 99) / 100 - 1
        distribution.percentile95 = try value(ofRank: rank, in: distribution, of: measure)
        return distribution
    }

    /// Returns the value with a rank, from 0 for the smallest; only the values of its step are kept.
    private func value(
        ofRank rank: Int,
        in distribution: Distribution,
        of measure: JobReader.Measure
    ) throws(JobStoreError) -> Int {
        guard let place = distribution.place(ofRank: rank) else { return 0 }
        var values: [Int: Int] = [:]
        for reader in self {
            values.merge(try reader.values(of: measure, inStep: place.step), uniquingKeysWith: +)
        }
        var rest = place.rank
        for (value, count) in values.sorted(by: { $0.key < $1.key }) {
            if rest < count { return value }
            rest -= count
        }
        // A run has removed values since the first reading.
        return Distribution.upperBound(of: place.step)
    }
}

extension JobReader.Measure {
    fileprivate var query: String {
        switch self {
        case .requestTime: "SELECT \(Self.time) AS value FROM request WHERE status IS NOT NULL"
        // SQLite takes the other columns from the row with the maximum (https://sqlite.org/lang_select.html).
        case .originalSize:
            """
            SELECT a.bytes AS value, max(a.n) FROM attempt a JOIN item i USING (item_id)
            WHERE a.bytes > 0 AND i.listed = 1 GROUP BY a.item_id
            """
        case .outputSize: "SELECT o.bytes AS value \(JobReader.wantedOutputs) AND o.state = 'done'"
        }
    }
}
