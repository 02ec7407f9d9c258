import Imaging
public import JobPlanning
import JobStorage

/// The search for near copies among the items of a job, by the fact `pdq` of their originals.
///
/// It takes about 250 bytes of memory for each item.
public struct DuplicateSearch {
    /// The criteria by which two items are near copies.
    public struct Criteria: Sendable {
        /// The most bits, 0 to 64, in which their hashes differ.
        public var distance = PerceptualHash.recommendedDistance
        /// The least quality of a hash, 0 to 100; items with less are not compared.
        public var quality = PDQ.leastQuality

        /// Creates the criteria that PDQ's reference recommends.
        public init() {}
    }

    /// The number of items that were compared.
    public var compared: Int { hashes.count }
    /// The number of items whose hash has too little quality to be compared.
    public private(set) var indistinct = 0

    private let criteria: Criteria
    private var readers: [JobReader] = []
    private var hashes: [PerceptualHash] = []
    private var places: [Place] = []

    /// An item by its state and its row there.
    private struct Place {
        let ordinal: Int
        let state: Int
        let itemID: Int64
    }

    /// Begins a search with no items.
    public init(_ criteria: Criteria = Criteria()) {
        self.criteria = criteria
    }

    /// Adds the items of a state, which may be that of a partition.
    /// - Throws: `RunError.machine`; `wrongInput` for more than 2^31 items.
    public mutating func add(_ state: JobState) throws(RunError) {
        guard let reader = state.reader else { return }
        let number = readers.count
        readers.append(reader)
        try RunError.wrapping {
            try reader.forEachHash { item in
                guard let hash = PerceptualHash(text: item.hash) else { return }
                guard item.quality >= criteria.quality else { return indistinct += 1 }
                hashes.append(hash)
                places.append(Place(ordinal: item.ordinal, state: number, itemID: item.itemID))
            }
        }
        guard hashes.count <= NearPairs.mostHashes else {
            throw .wrongInput("more than 2^31 items have hashes: search the partitions one by one")
        }
    }

    /// Calls `body` with each item that has near copies, in the manifest's order.
    /// - Throws: `RunError.machine`.
    public func forEachGroup(_ body: (DuplicateGroup) -> Void) throws(RunError) {
        // The rows of partitions alternate in the manifest.
        let order = places.indices.sorted {
            (places[$0].ordinal, places[$0].state) < (places[$1].ordinal, places[$1].state)
        }
        let found = NearCopies(order.map { hashes[$0] }, within: criteria.distance)
        for group in found.groups {
            var copies: [DuplicateGroup.Copy] = []
            guard let first = try item(places[order[group.first]]) else { continue }
            for copy in group.copies {
                guard let item = try item(places[order[copy.index]]) else { continue }
                copies.append(DuplicateGroup.Copy(distance: copy.distance, item: item))
            }
            body(DuplicateGroup(first: first, copies: copies))
        }
    }

    private func item(_ place: Place) throws(RunError) -> DuplicateGroup.Item? {
        try RunError.wrapping { try readers[place.state].item(place.itemID).map(DuplicateGroup.Item.init) }
    }
}
