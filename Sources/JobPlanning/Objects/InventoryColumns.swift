import Foundation
import JobManifest
import ObjectStorage

/// The columns of an inventory that count, by their places (Amazon S3 User Guide, "Amazon S3 Inventory list").
///
/// CSV calls them as in `LastModifiedDate`, Parquet as in `last_modified_date`.
struct InventoryColumns: Sendable {
    /// The columns that are read of a file in Parquet.
    static let used = UsedColumns(
        required: ["bucket", "key"],
        optional: ["size", "e_tag", "last_modified_date", "storage_class", "is_latest", "is_delete_marker"]
    )
    private static let archives: Set = ["GLACIER", "DEEP_ARCHIVE"]

    let count: Int
    let bucket: Int
    let key: Int
    private let size: Int?
    private let etag: Int?
    private let modified: Int?
    private let storageClass: Int?
    private let isLatest: Int?
    private let isDeleteMarker: Int?

    /// Finds the columns among those of a file.
    /// - Throws: An error if a column is missing that is needed.
    init(_ names: [String]) throws(TextError) {
        let plain = names.map { $0.replacing("_", with: "").lowercased() }
        func column(_ name: String) -> Int? { plain.firstIndex(of: name.lowercased()) }
        guard let bucket = column("Bucket"), let key = column("Key") else {
            throw TextError("lacks the columns of the bucket and the key")
        }
        (etag, modified) = (column("ETag"), column("LastModifiedDate"))
        guard etag != nil || modified != nil else {
            throw TextError("does not tell when an object changes: add ETag to the inventory's fields")
        }
        (count, self.bucket, self.key) = (names.count, bucket, key)
        (size, storageClass) = (column("Size"), column("StorageClass"))
        (isLatest, isDeleteMarker) = (column("IsLatest"), column("IsDeleteMarker"))
    }

    /// A row, whose bytes are valid until the next one is read.
    struct Row {
        let columns: InventoryColumns
        let fields: [DelimitedReader.Field]
        let bytes: UnsafeBufferPointer<UInt8>

        /// The text of a column; nil if it is missing, or not UTF-8.
        subscript(_ column: Int?) -> String? { column.flatMap { fields[$0].text(of: bytes) } }

        /// False for an older version, and for an object that was deleted.
        var isCurrent: Bool { self[columns.isLatest] != "false" && self[columns.isDeleteMarker] != "true" }

        var facts: ObjectFacts {
            let size = self[columns.size].flatMap { Int($0) } ?? 0
            var facts = ObjectFacts(size: size, etag: self[columns.etag])
            if facts.etag?.isEmpty ?? true, let modified = self[columns.modified] {
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: modified.contains("."))
                facts.modified = try? style.parse(modified)
            }
            facts.archive = self[columns.storageClass].flatMap { archives.contains($0) ? $0 : nil }
            return facts
        }
    }
}
