import JobManifest

/// A list in CSV or TSV: its first row names the columns, every other row is an item.
struct DelimitedRows: RowReading {
    /// The names of the columns that are path variables, in order.
    var variableNames: [String] { columns.variableNames }

    private var reader: DelimitedReader
    private let name: String
    private let context: RowContext
    private let columns: RowColumns

    init(
        _ stream: any ByteStream,
        list: ItemList,
        name: String,
        context: RowContext
    ) throws(SourceError) {
        reader = try DelimitedReader(stream, delimiter: list.format == .tsv ? "\t" : ",", name: name)
        self.name = name
        self.context = context
        func wrong(_ message: String) -> SourceError {
            SourceError(file: name, line: 1, message: message)
        }
        guard let row = try reader.next() else {
            throw wrong("has no header row: put the names of the columns in the first line")
        }
        var names: [String] = []
        for index in reader.fields.indices {
            guard let column = reader.text(index, of: row) else { throw wrong("the header row is not UTF-8") }
            names.append(column)
        }
        do {
            columns = try RowColumns(names, meaning: list.columns)
        } catch {
            throw wrong(error.message)
        }
    }

    mutating func next() throws(SourceError) -> Row? {
        while let bytes = try reader.next() {
            if reader.isBlank { continue }
            return row(bytes, PlannedItem.Position.line(file: name, number: reader.number))
        }
        return nil
    }

    private func row(_ bytes: UnsafeBufferPointer<UInt8>, _ position: PlannedItem.Position) -> Row {
        func failed(_ message: String) -> Row {
            .failed(
                ItemURL.encoded(UnsafeBufferPointer(rebasing: bytes.prefix(1000))),
                message,
                position: position
            )
        }
        guard !bytes.contains(0) else { return failed("the row contains a NUL character") }
        guard !reader.isMalformed else {
            return failed("text follows a closing quote: write quotes inside a field twice")
        }
        guard reader.fields.count == columns.count else {
            return failed("the row has \(reader.fields.count) fields, the header row has \(columns.count)")
        }
        do throws(NoText) {
            return try columns.row(at: position, context, failed: failed) { column throws(NoText) in
                guard let text = reader.text(column, of: bytes) else { throw NoText() }
                return text
            }
        } catch {
            return failed("the row is not UTF-8: save the file as UTF-8")
        }
    }

    private struct NoText: Error {}
}
