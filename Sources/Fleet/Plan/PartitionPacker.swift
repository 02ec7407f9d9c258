/// The bounds on a partition.
package struct PartitionLimits: Sendable, Equatable {
    /// The most items.
    package var items = 10_000
    /// The time that a partition should take, in minutes.
    package var minutes = 10
    /// True if the parts of a host that is too large for one partition follow each other, each with the host's whole rate.
    package var isChained = false

    /// Creates the defaults: 10,000 items and 10 minutes.
    package init() {}

    var seconds: Double { Double(minutes) * 60 }
}

/// Packs hosts into partitions, host by host in the order of their names: first fit, into the last few partitions.
///
/// The result depends on nothing but the hosts and their counts, so that the same list gives the same plan wherever it
/// is counted. Memory does not grow with the number of hosts.
struct PartitionPacker {
    /// The items of one host that go to one partition.
    struct Slice: Equatable {
        let partition: Int
        let items: Int
    }

    /// The partitions that still take hosts.
    ///
    /// More would fill partitions better, and keep more items in memory while they are written.
    static let openCount = 16

    private let limits: PartitionLimits
    private let rate: (String) -> Double?
    private var open: [(partition: Int, room: Int)] = []
    private(set) var count = 0
    /// The largest `items / rate` of a host, in seconds, with its name.
    private(set) var floor: (seconds: Double, host: String) = (0, "")

    /// Creates a packer; `rate` returns the requests a second that a host may get, nil without a limit.
    init(_ limits: PartitionLimits, rate: @escaping (String) -> Double?) {
        self.limits = limits
        self.rate = rate
    }

    /// Returns the partitions of a host's items, in their order; one for a host that fits.
    mutating func add(_ host: String, items: Int) -> [Slice] {
        let seconds = rate(host).map { Double(items) / $0 } ?? 0
        if seconds > floor.seconds { floor = (seconds, host) }
        let parts = max(
            (items + limits.items - 1) / limits.items,
            Int((seconds / limits.seconds).rounded(.up)),
            1
        )
        let count = min(parts, items)
        guard count > 1 else { return [place(items)] }
        // Equal parts; the first ones have the items that are left over. Each is in another partition, as a partition has one
        // rate for a host.
        return (0..<count).map { index in
            let size = items / count + (index < items % count ? 1 : 0)
            return begin(with: size)
        }
    }

    private mutating func place(_ items: Int) -> Slice {
        guard let index = open.firstIndex(where: { $0.room >= items }) else { return begin(with: items) }
        open[index].room -= items
        defer { if open[index].room == 0 { open.remove(at: index) } }
        return Slice(partition: open[index].partition, items: items)
    }

    private mutating func begin(with items: Int) -> Slice {
        let partition = count
        count += 1
        if limits.items > items {
            open.append((partition, limits.items - items))
            if open.count > Self.openCount { open.removeFirst() }
        }
        return Slice(partition: partition, items: items)
    }
}
