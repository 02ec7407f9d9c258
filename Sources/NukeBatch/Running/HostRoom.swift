import JobStorage

/// How many more items each host may have in flight, so that slow ones cannot take all places.
struct HostRoom {
    private let total: Int
    private var counts: [Int64: Int] = [:]
    private(set) var inFlight = 0

    /// Room for `total` items, of which no host gets more than an equal share.
    init(total: Int) {
        self.total = total
    }

    /// What a host may have in flight: half of the places stay free for hosts that have none yet.
    var share: Int {
        max(1, total / (2 * max(counts.count, 1)))
    }

    /// What hosts with items in flight may have more; other hosts may have a whole share.
    var left: [Int64: Int] {
        counts.mapValues { max(0, share - $0) }
    }

    mutating func add(_ item: ClaimedItem) {
        inFlight += 1
        counts[item.hostID, default: 0] += 1
    }

    mutating func remove(_ item: ClaimedItem) {
        inFlight -= 1
        counts[item.hostID, default: 1] -= 1
        if counts[item.hostID] == 0 { counts[item.hostID] = nil }
    }
}
