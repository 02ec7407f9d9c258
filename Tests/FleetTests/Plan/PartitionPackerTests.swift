import TestSupport
import Testing

@testable import Fleet

/// The packing of hosts into partitions.
@Suite struct PartitionPackerTests {
    /// Hosts with their items, in the order of their names.
    private static func hosts(_ count: Int, using random: inout SeededGenerator) -> [(
        name: String, items: Int
    )] {
        (0..<count).map { number in
            let isGiant = Int.random(in: 0..<50, using: &random) == 0
            return ("h\(1_000_000 + number)", Int.random(in: 1...(isGiant ? 900 : 30), using: &random))
        }
    }

    @Test("every item is in one partition, no partition has too many, and no part of a host takes too long")
    func limits() {
        let seed = SeededGenerator.seed(of: "packer")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            var limits = PartitionLimits()
            limits.items = Int.random(in: 1...200, using: &random)
            limits.minutes = Int.random(in: 1...3, using: &random)
            let rate = Double.random(in: 0.5...20, using: &random)
            var packer = PartitionPacker(limits) { _ in rate }
            var sizes: [Int: Int] = [:]
            for host in Self.hosts(200, using: &random) {
                let slices = packer.add(host.name, items: host.items)
                #expect(slices.reduce(0) { $0 + $1.items } == host.items)
                #expect(Set(slices.map(\.partition)).count == slices.count, "a host is twice in a partition")
                let share = rate / Double(slices.count)
                // A host that is split to single items cannot be split further.
                for slice in slices where slices.count < host.items {
                    #expect(Double(slice.items) / share <= limits.seconds * Double(slices.count) + 1 / share)
                }
                for slice in slices { sizes[slice.partition, default: 0] += slice.items }
            }
            #expect(sizes.values.allSatisfy { $0 <= limits.items }, "seed \(seed)")
            #expect(sizes.keys.sorted() == Array(0..<packer.count))
        }
    }

    @Test("small hosts share partitions, which are nearly full")
    func sharing() {
        var limits = PartitionLimits()
        limits.items = 100
        var packer = PartitionPacker(limits) { _ in nil }
        for number in 0..<1000 { _ = packer.add("h\(number)", items: 7) }
        #expect(packer.count <= 72)
    }

    @Test("a host whose items take longer than a partition is split, and tells the floor of the job")
    func giant() {
        var limits = PartitionLimits()
        limits.minutes = 1
        var packer = PartitionPacker(limits) { $0 == "slow" ? 2 : 1000 }
        #expect(packer.add("fast", items: 100).count == 1)
        let slices = packer.add("slow", items: 301)
        #expect(slices.map(\.items) == [101, 100, 100])
        #expect(packer.floor.host == "slow" && packer.floor.seconds == 150.5)
    }
}
