import JobManifest

/// Makes items of the rows of a CSV or TSV list, or of Parquet.
struct DelimitedParser: Sendable {
    /// The list's name in errors and locations.
    let name: String
    let context: RowContext
    let columns: RowColumns
    /// The kinds of the columns of Parquet; empty for other lists, all of whose cells are texts.
    var kinds: [RowCell.ParquetKind] = []

    /// Returns the item of the row in `bytes`, which begins in line `number`; of one that was passed over, `excess` bytes.
    func row(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ fields: ArraySlice<DelimitedReader.Field>,
        isMalformed: Bool,
        excess: Int? = nil,
        number: Int
    ) -> Row {
        let position = PlannedItem.Position.line(file: name, number: number)
        if let excess {
            // The number distinguishes failed rows, because items with equal URLs would be one item.
            return .failed(
                ItemURL.encoded(position.description),
                "the row has \(excess) bytes; the limit is \(RowBuffer.longestRow): name fewer columns",
                position: position
            )
        }
        func failed(_ message: String) -> Row {
            .failed(
                ItemURL.encoded(UnsafeBufferPointer(rebasing: bytes.prefix(1000))),
                message,
                position: position
            )
        }
        guard !bytes.contains(0) else { return failed("the row contains a NUL character") }
        guard !isMalformed else {
            return failed("text follows a closing quote: write quotes inside a field twice")
        }
        guard fields.count == columns.count else {
            return failed(
                "the row has \(Quantity.count(fields.count, "field")), the header row has \(columns.count)"
            )
        }
        do throws(BadCell) {
            return try columns.row(at: position, context, failed: failed) { column throws(BadCell) in
                let field = fields[fields.startIndex + column]
                guard let text = field.text(of: bytes) else { throw .noText }
                guard column < kinds.count else { return RowCell(text: text) }
                if text.isEmpty, !field.isQuoted(in: bytes) { return .null }
                return try Self.cell(text, kinds[column])
            }
        } catch {
            return failed(error.rawValue)
        }
    }

    private enum BadCell: String, Error {
        case noText = "the row is not UTF-8: save the file as UTF-8"
        case noJSON = "nuke-batch-parquet sent a value that is not JSON"
    }

    /// The cell of a value of Parquet; NaN and infinities, which JSON does not have, are null.
    private static func cell(_ text: String, _ kind: RowCell.ParquetKind) throws(BadCell) -> RowCell {
        if kind == .text { return RowCell(text: text) }
        var json = text
        if kind == .double {
            guard let number = Double(text), number.isFinite else { return .null }
            json = "\(number)"
        }
        let value = json.withUTF8 { try? JSONParser.parse($0).root }
        guard let value else { throw .noJSON }
        return .parquet(value)
    }
}
