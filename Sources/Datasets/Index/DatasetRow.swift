import JobManifest
import JobPlanning
import JobStorage

/// The entry of one output in the index of a dataset; every key is always present.
struct DatasetRow {
    /// The item's position in the manifest, from 1.
    let item: Int
    let id: String?
    let url: String
    /// The output's name in the manifest.
    let name: String
    /// The path relative to the destination; for a member of a shard, the shard's name and the member's name.
    let path: String?
    /// The offset of its bytes in the shard; null for a file of its own.
    let offset: Int?
    let width: Int?
    let height: Int?
    let bytes: Int?
    /// SHA-256 of its bytes, in hexadecimal.
    let hash: String?
    /// SHA-256 of the original's bytes.
    let original: String?
    /// The score of SSIMULACRA2; nil if the output has no floor.
    let score: Double?
    /// True if the index has a column of scores.
    private let hasScore: Bool
    private let columns: ItemColumns

    /// The columns of an index, in order; that of scores only if a file can have one.
    static func columns(withScores hasScores: Bool) -> [ParquetColumn] {
        fixedColumns + (hasScores ? [ParquetColumn("ssimulacra2", .double)] : [])
    }

    private static let fixedColumns = [
        ParquetColumn("item", .integer), ParquetColumn("url"), ParquetColumn("path"),
        ParquetColumn("width", .integer), ParquetColumn("height", .integer),
        ParquetColumn("bytes", .integer), ParquetColumn("hash"), ParquetColumn("id"), ParquetColumn("name"),
        ParquetColumn("offset", .integer), ParquetColumn("original"),
    ]

    init(_ record: ItemRecord, _ output: OutputRecord, withScore hasScore: Bool) {
        item = record.ordinal
        url = ItemListing.withoutUser(record.url)
        name = output.name
        columns = ItemColumns(json: record.varsJSON)
        (id, original) = (record.id, record.knownOriginalSHA256)
        path = output.path
        // The rows of Parquet have no place of their own.
        offset = path.flatMap(Shard.format) == .parquet ? nil : output.shardOffset
        (width, height, bytes, hash) = (output.width, output.height, output.bytes, output.sha256)
        (score, self.hasScore) = (output.ssimulacra2, hasScore)
    }

    /// The values of the columns, those of the list last.
    func values(_ columnNames: [String]) -> [String?] {
        let number = { (value: Int?) in value.map(String.init) }
        let fixed = [
            String(item), url, path, number(width), number(height), number(bytes), hash, id, name,
            number(offset), original,
        ]
        return fixed + (hasScore ? [score.map { "\($0)" }] : []) + columnNames.map { columns.text(of: $0) }
    }

    /// The row as JSON.
    var object: CanonicalJSON {
        let number = { (value: Int?) in value.map(CanonicalJSON.integer) ?? .null }
        let text = { (value: String?) in value.map(CanonicalJSON.string) ?? .null }
        var members: [String: CanonicalJSON] = [
            "item": .integer(item), "id": text(id), "url": .string(url), "name": .string(name),
            "path": text(path), "offset": number(offset), "width": number(width), "height": number(height),
            "bytes": number(bytes), "hash": text(hash), "original": text(original),
            "columns": columns.object,
        ]
        if hasScore { members["ssimulacra2"] = score.map(CanonicalJSON.number) ?? .null }
        return .object(members)
    }

    /// The same as text, which is empty where there is none.
    func fields(_ columnNames: [String]) -> [String] { values(columnNames).map { $0 ?? "" } }
}
