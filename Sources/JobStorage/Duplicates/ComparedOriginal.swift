import SQLite

/// The original of an item as it is compared with those of others.
public struct ComparedOriginal: Sendable {
    /// The item's row.
    public let itemID: Int64
    /// SHA-256 of the original in hexadecimal.
    public let sha256: String
    /// The perceptual hash as 64 hexadecimal digits; nil if none is on record.
    public let hash: String?
    /// The quality of the hash, 0 to 100.
    public let quality: Int?

    init(_ row: Statement) {
        (itemID, sha256) = (row["item_id"], row["original_sha256"])
        (hash, quality) = (row["hash"], row["quality"])
    }
}

/// The items whose originals are compared: those that are in a dataset, or that fail because of their bytes.
public struct ComparisonScope: Sendable {
    /// The reasons for which an item is skipped that stands for no other.
    let reasons: [String]
    /// The errors of an original, by which its copies would fail as well.
    ///
    /// An item that failed with another one stands for no other.
    let errors: [String]

    /// Describes the scope; an item that was skipped because another row has its path stands for no other either.
    public init(exceptSkippedFor reasons: [String], withErrors errors: [String]) {
        (self.reasons, self.errors) = (reasons, errors)
    }

    /// Selects the items `i`.
    var condition: String {
        func parameters(_ count: Int, after used: Int) -> String {
            (0..<count).map { "?\($0 + used + 1)" }.joined(separator: ", ")
        }
        return """
            listed = 1 AND original_sha256 IS NOT NULL
                AND (state NOT IN ('failed', 'quarantined')
                    OR error IN (\(parameters(errors.count, after: 1 + reasons.count))))
                AND NOT (state = 'skipped' AND EXISTS (
                    SELECT 1 FROM output o WHERE o.item_id = i.item_id AND o.state = 'skipped'
                        AND (substr(o.reason, 1, length(?1)) = ?1
                            OR o.reason IN (\(parameters(reasons.count, after: 1))))))
            """
    }

    /// The parameters of the condition.
    var values: [any StoredValue] { [OutputRecord.pathTaken] + reasons + errors }
}

/// An item that is a duplicate of an earlier one.
public struct FoundDuplicate: Sendable {
    let itemID: Int64
    let twinID: Int64
    let distance: Int

    /// Describes an item whose perceptual hash differs from that of its twin in `distance` bits.
    public init(itemID: Int64, twinID: Int64, distance: Int) {
        (self.itemID, self.twinID, self.distance) = (itemID, twinID, distance)
    }
}
