import SQLite

/// The first item with an original that a later item has as well, or nearly.
public struct Twin: Hashable, Sendable {
    /// The position in the manifest, over all sources.
    public let ordinal: Int
    /// The URL as given.
    public let url: String
    /// The list and line that name it.
    public let location: String
    /// SHA-256, in hexadecimal, of the later item's original when the two were compared.
    public let originalSHA256: String
    /// The number of bits, 0 to 256, in which their perceptual hashes differ; 0 for equal bytes.
    public let distance: Int

    /// Returns the twin of an item; nil if it has none.
    static func of(_ itemID: Int64, _ connection: Connection) throws(SQLiteError) -> Twin? {
        try connection.statement(
            """
            SELECT t.ordinal, t.url, t.location, d.original_sha256, d.distance
            FROM duplicate d JOIN item t ON t.item_id = d.twin_id WHERE d.item_id = ?
            """
        ).first(itemID) { row in
            Twin(
                ordinal: row["ordinal"],
                url: row["url"],
                location: row["location"],
                originalSHA256: row["original_sha256"],
                distance: row["distance"]
            )
        }
    }
}
