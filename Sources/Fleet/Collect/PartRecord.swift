import Files
import Foundation
import JobManifest

/// The proof by a part of a collection, with the place of its state: `collected/parts/000003-of-000016/part.json`.
struct PartRecord: StoredRecord, Equatable {
    /// A piece of a file, of the state or of the digests.
    struct Piece: StoredRecord, Equatable {
        /// The most bytes of a piece.
        static let most = 32 << 20

        let sha256: SHA256Name
        let bytes: Int

        var bounds: [StoredBound] { [StoredBound("bytes", bytes, in: 1...Self.most)] }
    }

    /// The most bytes of a record.
    static let limit = 256 << 20

    /// The hash of the plan.
    let plan: SHA256Name
    let part: Int
    let parts: Int
    /// The version of nuke-batch that collected.
    let version: String
    /// The digest of the commits that it has seen (``CommitsDigest``).
    let commits: SHA256Name
    /// The committed partitions that are not proven, in their order.
    let refused: [Int]
    /// The contradictions, a sentence each.
    let contradictions: [String]
    /// The names of the shards that hold the outputs of proven partitions, sorted.
    let shards: [OutputName]
    /// The pieces of the state, in their order; none without partitions.
    let pieces: [Piece]
    /// The pieces of the digests of all files that its items have written (``WrittenFile``).
    let files: [Piece]
    /// HMAC-SHA256 of the record without this field, by the secret of the collection; null without one.
    var code: SHA256Name?

    var bounds: [StoredBound] {
        [
            StoredBound("part", part, in: 1...CollectPart.most),
            StoredBound("parts", parts, in: 1...CollectPart.most),
            StoredBound("version", version, longest: StoredBound.shortText),
            StoredBound(
                "refused",
                requires: refused.allSatisfy(StoredBound.partitions.contains),
                "has a number that no plan has"
            ),
            StoredBound(
                "contradictions",
                requires: contradictions.allSatisfy { $0.utf8.count <= StoredBound.longText },
                "has a text of more than \(StoredBound.longText) bytes"
            ),
            StoredBound("pieces", pieces, most: 1 << 20),
            StoredBound("files", files, most: 1 << 20),
            StoredBound(
                "files",
                requires: files.allSatisfy { $0.bytes.isMultiple(of: WrittenFile.size) },
                "has a piece that ends within a file"
            ),
        ]
    }

    /// The part that has written the record.
    var collected: CollectPart { CollectPart(part, of: parts) }

    /// Returns the code that the record has by `secret`.
    func code(by secret: String) -> SHA256Name {
        var record = self
        record.code = nil
        let code = Digest.sha256.authentication(of: JSONLine.text(record), key: [UInt8](secret.utf8))
        return SHA256Name(digest: Data(code))
    }
}

/// The digest of commits in the order of their partitions, and of what contradicts them.
struct CommitsDigest {
    private var text = ""

    /// Adds a commit, with the other attempts that say that they have won.
    mutating func add(_ commit: PartitionCommit, _ attempts: AttemptListing.Attempts?) {
        let others = attempts?.otherWinners(than: commit.attempt) ?? []
        text += "\(JSONLine.text(commit)) \(others.joined(separator: " "))\n"
    }

    /// The digest of what was added.
    var name: SHA256Name { SHA256Name(of: Data(text.utf8)) }
}
