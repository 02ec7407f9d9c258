import Imaging
package import JobManifest
package import JobStorage
import Synchronization

extension JobStore {
    /// Finds the items of which earlier ones are twins, by what is on record of all originals.
    ///
    /// Of equal originals the first in the manifest's order is kept. So is, of similar ones, the first that is similar to none
    /// that is kept. By pixels, this takes about 250 bytes of memory for each item.
    /// - Throws: `JobStoreError`.
    package func findDuplicates(by deduplication: DatasetSettings.Deduplication) throws(JobStoreError) {
        switch deduplication {
        case .bytes: try findEqualOriginals(in: .dataset)
        case .pixels: try replaceDuplicates(similarOriginals().duplicates)
        }
    }

    private func similarOriginals() throws(JobStoreError) -> SimilarOriginals {
        let found = Mutex(SimilarOriginals())
        try forEachOriginal(in: .dataset) { original in
            found.withLock { $0.add(original) }
        }
        return found.withLock { $0 }
    }
}

extension ComparisonScope {
    /// The errors of an image that cannot be decoded or processed: its copies would all fail alike.
    private static let errors: [ErrorCode] = [.wrongType, .corrupt, .limits, .plugIn, .processing, .crashed]

    /// The items of a dataset.
    fileprivate static let dataset = ComparisonScope(
        exceptSkippedFor: Manifest.wishes,
        withErrors: errors.map(\.rawValue)
    )
}

/// Originals whose perceptual hashes are compared; those that show too little are compared by their bytes.
private struct SimilarOriginals: Sendable {
    private var hashes: [PerceptualHash] = []
    /// The items of the hashes.
    private var items: [Int64] = []
    private var firstByDigest: [String: Int64] = [:]
    private var equal: [FoundDuplicate] = []

    mutating func add(_ original: ComparedOriginal) {
        if let hash = original.hash.flatMap({ PerceptualHash(text: $0) }), let quality = original.quality,
            quality >= PDQ.leastQuality
        {
            hashes.append(hash)
            items.append(original.itemID)
        } else if let first = firstByDigest[original.sha256] {
            equal.append(FoundDuplicate(itemID: original.itemID, twinID: first, distance: 0))
        } else {
            firstByDigest[original.sha256] = original.itemID
        }
    }

    /// The items that are duplicates.
    var duplicates: [FoundDuplicate] {
        NearCopies(hashes, within: PerceptualHash.recommendedDistance).groups.flatMap { group in
            group.copies.map { copy in
                FoundDuplicate(itemID: items[copy.index], twinID: items[group.first], distance: copy.distance)
            }
        } + equal
    }
}
