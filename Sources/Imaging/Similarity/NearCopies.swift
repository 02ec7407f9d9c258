/// The division of images into first ones and near copies of these.
///
/// In their order, each image is a near copy of the earliest first one within the distance, or is a first one itself. So no two
/// first ones are within the distance, and the result depends on nothing but the hashes and their order.
public struct NearCopies: Sendable {
    /// A near copy.
    public struct Copy: Sendable, Equatable {
        /// Its number.
        public let index: Int
        /// The number of bits in which its hash differs from that of the first one.
        public let distance: Int
    }

    /// A first image with its near copies, in their order.
    public struct Group: Sendable, Equatable {
        /// The number of the first image.
        public let first: Int
        /// Its near copies.
        public let copies: [Copy]
    }

    /// The first images that have copies, in their order.
    public let groups: [Group]

    /// Divides images by their hashes, which are numbered in order, at most `NearPairs.mostHashes`.
    public init(_ hashes: [PerceptualHash], within distance: Int) {
        let earliest = Self.earliest(hashes)
        let leaders = Self.leaders(hashes, earliest, within: distance)
        var copies: [Int: [Copy]] = [:]
        for (index, same) in earliest.enumerated() {
            if let leader = leaders[same] {
                copies[leader.index, default: []].append(Copy(index: index, distance: leader.distance))
            } else if Int(same) != index {
                copies[Int(same), default: []].append(Copy(index: index, distance: 0))
            }
        }
        groups = copies.sorted { $0.key < $1.key }.map { Group(first: $0.key, copies: $0.value) }
    }

    /// Returns the first number of each hash: the search would find each pair of equal ones.
    private static func earliest(_ hashes: [PerceptualHash]) -> [UInt32] {
        func isBefore(_ one: SIMD4<UInt64>, _ other: SIMD4<UInt64>) -> Bool? {
            for lane in 0..<4 where one[lane] != other[lane] { return one[lane] < other[lane] }
            return nil
        }
        let sorted = (0..<UInt32(hashes.count)).sorted { one, other in
            isBefore(hashes[Int(one)].words, hashes[Int(other)].words) ?? (one < other)
        }
        var earliest = [UInt32](repeating: 0, count: hashes.count)
        var first: UInt32 = 0
        for (place, index) in sorted.enumerated() {
            if place == 0 || hashes[Int(sorted[place - 1])] != hashes[Int(index)] { first = index }
            earliest[Int(index)] = first
        }
        return earliest
    }

    /// Returns the first image of each hash that is near an earlier one, by the first number of that hash.
    private static func leaders(
        _ hashes: [PerceptualHash],
        _ earliest: [UInt32],
        within distance: Int
    ) -> [UInt32: Copy] {
        let distinct = earliest.indices.filter { Int(earliest[$0]) == $0 }
        var pairs: [(later: UInt32, earlier: UInt32, distance: UInt32)] = []
        NearPairs(distinct.map { hashes[$0] }).forEach(within: distance) { pair in
            pairs.append((UInt32(distinct[pair.second]), UInt32(distinct[pair.first]), UInt32(pair.distance)))
        }
        pairs.sort { ($0.later, $0.earlier) < ($1.later, $1.earlier) }
        var leaders: [UInt32: Copy] = [:]
        // All that is earlier has been decided.
        for pair in pairs where leaders[pair.later] == nil && leaders[pair.earlier] == nil {
            leaders[pair.later] = Copy(index: Int(pair.earlier), distance: Int(pair.distance))
        }
        return leaders
    }
}
