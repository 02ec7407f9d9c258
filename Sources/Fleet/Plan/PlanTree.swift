import Files
import Foundation

/// A Merkle tree over the partitions of a plan, by whose root one partition is proved without the others.
///
/// Source: RFC 9162, section 2.1, with SHA-256.
struct PlanTree: Sendable {
    /// The hashes of the leaves, and above them those of each level up to the root.
    private let levels: [[Data]]

    /// Creates the tree of leaves in their order.
    init(_ leaves: [Data]) {
        var levels = [leaves.map(Self.hash(ofLeaf:))]
        while let last = levels.last, last.count > 1 {
            levels.append(
                stride(from: 0, to: last.count, by: 2).map { index in
                    // The last one of an odd number goes up as it is.
                    index + 1 < last.count ? Self.hash(of: last[index], last[index + 1]) : last[index]
                }
            )
        }
        self.levels = levels
    }

    /// The hash that stands for all leaves.
    var root: SHA256Name {
        SHA256Name(digest: levels.last?.first ?? Data(Digest.sha256.bytes(of: Data())))
    }

    /// The hashes by which a leaf is proved, from the leaves up.
    func proof(of index: Int) -> [SHA256Name] {
        var index = index
        var proof: [SHA256Name] = []
        for level in levels.dropLast() {
            if level.indices.contains(index ^ 1) { proof.append(SHA256Name(digest: level[index ^ 1])) }
            index /= 2
        }
        return proof
    }

    /// Returns true if `leaf` is the leaf at `index` of a tree of `count` leaves with this root (RFC 9162, section 2.1.3.2).
    static func proves(
        _ leaf: Data,
        at index: Int,
        of count: Int,
        _ proof: [SHA256Name],
        root: SHA256Name
    ) -> Bool {
        guard index >= 0, index < count else { return false }
        var (place, last, hash) = (index, count - 1, hash(ofLeaf: leaf))
        for other in proof {
            guard last != 0 else { return false }
            if place % 2 == 1 || place == last {
                hash = Self.hash(of: other.bytes, hash)
                while place % 2 == 0, place != 0 { (place, last) = (place / 2, last / 2) }
            } else {
                hash = Self.hash(of: hash, other.bytes)
            }
            (place, last) = (place / 2, last / 2)
        }
        return last == 0 && SHA256Name(digest: hash) == root
    }

    private static func hash(ofLeaf data: Data) -> Data { Data(Digest.sha256.bytes(of: Data([0]) + data)) }

    private static func hash(of left: Data, _ right: Data) -> Data {
        Data(Digest.sha256.bytes(of: Data([1]) + left + right))
    }
}
