import JobPlanning
import JobStorage

/// The results as Parquet, `collected/results.parquet`: a row for each output, and one for an item that has none.
struct ResultsTable {
    private static let columns = [
        ParquetColumn("index", .integer), ParquetColumn("id"), ParquetColumn("url"), ParquetColumn("state"),
        ParquetColumn("error"), ParquetColumn("message"), ParquetColumn("originalSha256"),
        ParquetColumn("output"), ParquetColumn("outputState"), ParquetColumn("reason"), ParquetColumn("path"),
        ParquetColumn("offset", .integer), ParquetColumn("bytes", .integer), ParquetColumn("width", .integer),
        ParquetColumn("height", .integer), ParquetColumn("sha256"), ParquetColumn("quality", .integer),
        ParquetColumn("ssimulacra2", .double), ParquetColumn("shortfall"), ParquetColumn("format"),
    ]

    private let table: ParquetTable

    /// Begins the file at `path`; nil without the program that writes Parquet.
    /// - Throws: `FileError`, `ParquetError`.
    init?(_ path: String) throws {
        guard (try? ParquetProgram()) != nil else { return nil }
        table = try ParquetTable(file: path, columns: Self.columns)
    }

    /// Adds the rows of an item.
    /// - Throws: `ParquetError`, `FileError`.
    func add(_ item: ItemRecord) throws {
        let ofItem = [
            String(item.ordinal), item.id, ItemListing.withoutUser(item.url), item.state.rawValue, item.error,
            item.message, item.originalSHA256,
        ]
        if item.outputs.isEmpty {
            try table.add(ofItem + [String?](repeating: nil, count: Self.columns.count - ofItem.count))
        }
        for output in item.outputs {
            let number = { (value: Int?) in value.map(String.init) }
            try table.add(
                ofItem + [
                    output.name, output.state.rawValue, output.reason, output.path,
                    number(output.shardOffset),
                    number(output.bytes), number(output.width), number(output.height), output.sha256,
                    number(output.quality), output.ssimulacra2.map { "\($0)" }, output.shortfall?.rawValue,
                    output.format,
                ]
            )
        }
    }

    /// Completes the file.
    /// - Throws: `ParquetError`, `FileError`.
    func finish() throws { try table.finish() }
}
