internal import CImageCodecs

/// The search of all pairs among many hashes that differ in few bits.
///
/// It is exact. It takes 80 bytes for each hash, up to 64 MiB for a table, and 12 bytes for each pair that one pass finds.
public struct NearPairs {
    /// Two hashes by their numbers.
    public struct Pair: Sendable, Hashable {
        /// The lower number.
        public let first: Int
        /// The higher number.
        public let second: Int
        /// The number of differing bits.
        public let distance: Int
    }

    /// The most hashes of a search.
    public static let mostHashes = 1 << 31

    private let hashes: [PerceptualHash]

    /// Prepares a search among `hashes`, at most 2^31.
    public init(_ hashes: [PerceptualHash]) {
        precondition(hashes.count <= Self.mostHashes, "a search has at most 2^31 hashes")
        self.hashes = hashes
    }

    /// Calls `body` once with each pair that differs in at most `distance` bits, in no particular order.
    public func forEach(within distance: Int, _ body: (Pair) -> Void) {
        forEach(within: distance, by: BandPlan(count: hashes.count, distance: distance), body)
    }

    /// Does the same with a plan that may be made for another number of hashes.
    func forEach(within distance: Int, by plan: BandPlan, _ body: (Pair) -> Void) {
        var (unsorted, sorted) = (rows, rows)
        var room = [nb_hash_pair](repeating: nb_hash_pair(), count: 1 << 12)
        for (index, band) in plan.bands.enumerated() {
            var starts = [UInt32](repeating: 0, count: 1 << band.bits + 1)
            nb_sort_hashes(&unsorted, &sorted, hashes.count, Int32(band.first), Int32(band.bits), &starts)
            for mask in band.masks {
                var next = 0
                while next < hashes.count {
                    let found = nb_join_hashes(
                        sorted,
                        hashes.count,
                        starts,
                        mask,
                        Int32(distance),
                        &next,
                        &room,
                        room.count
                    )
                    for pair in room[..<found] {
                        report(pair, unlessIn: plan.bands[..<index], body)
                    }
                    // A hash may have more partners than there is room for.
                    if found == 0, next < hashes.count {
                        room = [nb_hash_pair](repeating: nb_hash_pair(), count: 2 * room.count)
                    }
                }
            }
            swap(&unsorted, &sorted)
        }
    }

    /// Reports a pair unless one of the bands before has found it.
    private func report(
        _ pair: nb_hash_pair,
        unlessIn earlier: ArraySlice<BandPlan.Band>,
        _ body: (Pair) -> Void
    ) {
        let (one, other) = (Int(pair.one), Int(pair.other))
        guard !earlier.contains(where: { $0.matches(hashes[one].words, hashes[other].words) }) else { return }
        body(Pair(first: min(one, other), second: max(one, other), distance: Int(pair.distance)))
    }

    private var rows: [nb_hash] {
        hashes.enumerated().map { index, hash in
            let words = hash.words
            return nb_hash(words: (words[0], words[1], words[2], words[3]), item: UInt32(index), key: 0)
        }
    }
}
