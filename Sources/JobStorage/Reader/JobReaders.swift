/// The statistics of one or several states, such as those of all partitions of a job.
extension [JobReader] {
    /// Returns the totals of the outputs that the manifest asks for, by name.
    /// - Throws: `JobStoreError`.
    public func outputTotals() throws(JobStoreError) -> [OutputTotals] {
        var totals: [OutputTotals] = []
        for reader in self { totals += try reader.outputTotals() }
        return OutputTotals.sums(totals)
    }

    /// Returns the number of failed and quarantined items by host and error, largest first.
    /// - Throws: `JobStoreError`.
    public func failuresByHost(limit: Int) throws(JobStoreError) -> [HostFailures] {
        var counts: [HostFailures.Cause: Int] = [:]
        for reader in self {
            // What is rare in one state can be frequent in all.
            for failures in try reader.failuresByHost(limit: count == 1 ? limit : .max) {
                counts[failures.cause, default: 0] += failures.count
            }
        }
        let all = counts.map { HostFailures(host: $0.host, error: $0.error, count: $1) }
        let sorted = all.sorted { ($1.count, $0.host, $0.error) < ($0.count, $1.host, $1.error) }
        return [HostFailures](sorted.prefix(limit))
    }

    /// Returns the first failed and quarantined items, in the manifest's order.
    /// - Throws: `JobStoreError`.
    public func failedItems(limit: Int) throws(JobStoreError) -> [ItemRecord] {
        try merged(limit, by: { $0.ordinal < $1.ordinal }) { reader throws(JobStoreError) in
            try reader.failedItems(limit: limit)
        }
    }

    /// Compares the outputs that the manifest asks for with their originals, each of which counts once.
    /// - Throws: `JobStoreError`.
    public func sizeComparison() throws(JobStoreError) -> SizeComparison {
        var all = SizeComparison()
        for reader in self {
            let comparison = try reader.sizeComparison()
            all.items += comparison.items
            all.before += comparison.before
            all.after += comparison.after
        }
        return all
    }

    /// Returns the listed items with the largest originals and the size of those in bytes, largest first.
    /// - Throws: `JobStoreError`.
    public func largestItems(limit: Int) throws(JobStoreError) -> [(item: ItemRecord, bytes: Int)] {
        try merged(limit, by: { $0.bytes > $1.bytes }) { reader throws(JobStoreError) in
            try reader.largestItems(limit: limit)
        }
    }

    /// Returns up to `count` items that are done, spread evenly over the manifest.
    /// - Throws: `JobStoreError`.
    public func sample(count: Int) throws(JobStoreError) -> [ItemRecord] {
        let all = try merged(.max, by: { $0.ordinal < $1.ordinal }) { reader throws(JobStoreError) in
            try reader.sample(count: count)
        }
        guard all.count > count else { return all }
        return (0..<count).map { all[$0 * all.count / count] }
    }

    /// Returns the first of the records that `read` returns for each state, in an order.
    private func merged<Record>(
        _ limit: Int,
        by isBefore: (Record, Record) -> Bool,
        reading read: (JobReader) throws(JobStoreError) -> [Record]
    ) throws(JobStoreError) -> [Record] {
        var all: [Record] = []
        for reader in self { all += try read(reader) }
        return [Record](all.sorted(by: isBefore).prefix(limit))
    }
}

extension HostFailures {
    fileprivate struct Cause: Hashable {
        let host, error: String
    }

    fileprivate var cause: Cause { Cause(host: host, error: error) }
}

extension OutputTotals {
    /// Returns the sums of the totals with one name, in the order of the names.
    static func sums(_ parts: [OutputTotals]) -> [OutputTotals] {
        var totals: [String: OutputTotals] = [:]
        for part in parts { totals[part.name, default: OutputTotals(name: part.name)].add(part) }
        return totals.values.sorted { $0.name < $1.name }
    }

    private mutating func add(_ other: OutputTotals) {
        made += other.made
        skipped += other.skipped
        failed += other.failed
        bytes += other.bytes
        formats.merge(other.formats, uniquingKeysWith: +)
    }
}
