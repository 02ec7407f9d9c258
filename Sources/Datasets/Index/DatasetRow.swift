import JobManifest
import JobPlanning
import JobStorage

/// The entry of one output in the index of a dataset; every key is always present.
struct DatasetRow: Encodable {
    /// The item's position in the manifest, from 1.
    let item: Int
    @Nullable var id: String?
    let url: String
    /// The output's name in the manifest.
    let name: String
    /// The path relative to the destination; for a member of a shard, the shard's name and the member's name.
    @Nullable var path: String?
    /// The offset of its bytes in the shard; null for a file of its own.
    @Nullable var offset: Int?
    @Nullable var width: Int?
    @Nullable var height: Int?
    @Nullable var bytes: Int?
    /// SHA-256 of its bytes, in hexadecimal.
    @Nullable var hash: String?
    /// SHA-256 of the original's bytes.
    @Nullable var original: String?
    let columns: [String: String]

    /// The columns of every index, in order.
    static let columns = [
        ParquetColumn("item", .integer), ParquetColumn("url"), ParquetColumn("path"),
        ParquetColumn("width", .integer), ParquetColumn("height", .integer),
        ParquetColumn("bytes", .integer), ParquetColumn("hash"), ParquetColumn("id"), ParquetColumn("name"),
        ParquetColumn("offset", .integer), ParquetColumn("original"),
    ]

    init(_ record: ItemRecord, _ output: OutputRecord) {
        item = record.ordinal
        url = ItemListing.withoutUser(record.url)
        name = output.name
        columns = [String: String](json: record.varsJSON)
        (id, original) = (record.id, record.knownOriginalSHA256)
        path = output.path
        // The rows of Parquet have no place of their own.
        offset = path.flatMap(Shard.format) == .parquet ? nil : output.shardOffset
        (width, height, bytes, hash) = (output.width, output.height, output.bytes, output.sha256)
    }

    /// The values of the columns, those of the list last.
    func values(_ columnNames: [String]) -> [String?] {
        let number = { (value: Int?) in value.map(String.init) }
        return [
            String(item), url, path, number(width), number(height), number(bytes), hash, id, name,
            number(offset), original,
        ] + columnNames.map { columns[$0] }
    }

    /// The same as text, which is empty where there is none.
    func fields(_ columnNames: [String]) -> [String] { values(columnNames).map { $0 ?? "" } }
}
