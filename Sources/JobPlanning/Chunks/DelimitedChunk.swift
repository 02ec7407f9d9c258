/// Rows of a CSV or TSV list whose fields are known, in one buffer.
struct DelimitedChunk: RowChunk {
    private static let (mostRows, mostBytes) = (1000, 1 << 17)

    private struct Entry {
        /// The line in which the row begins, or the row's number in Parquet.
        let number: Int
        /// The end of the row in `bytes`.
        let end: Int
        /// The end of its fields in `fields`.
        let lastField: Int
        let isMalformed: Bool
        /// The bytes of a row that was passed over.
        let excess: Int?
    }

    private let parser: DelimitedParser
    private var bytes: [UInt8] = []
    private var fields: [DelimitedReader.Field] = []
    private var rows: [Entry] = []

    init(_ parser: DelimitedParser) {
        self.parser = parser
    }

    var count: Int { rows.count }

    var isFull: Bool { rows.count >= Self.mostRows || bytes.count >= Self.mostBytes }

    /// Appends the last row of `reader`, which is in `row`, under its number.
    mutating func append(_ row: UnsafeBufferPointer<UInt8>, of reader: DelimitedReader, number: Int) {
        bytes.append(contentsOf: row)
        fields += reader.fields
        rows.append(
            Entry(
                number: number,
                end: bytes.count,
                lastField: fields.count,
                isMalformed: reader.isMalformed,
                excess: reader.excess
            )
        )
    }

    func forEach(_ body: (Row) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            var (start, field) = (0, 0)
            for row in rows {
                let text = UnsafeBufferPointer(rebasing: bytes[start..<row.end])
                let fields = fields[field..<row.lastField]
                (start, field) = (row.end, row.lastField)
                let item = parser.row(
                    text,
                    fields,
                    isMalformed: row.isMalformed,
                    excess: row.excess,
                    number: row.number
                )
                body(item)
            }
        }
    }
}
