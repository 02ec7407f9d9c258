/// A list in CSV or TSV: its first row names the columns, every other row is an item.
struct DelimitedRows: RowReading {
    /// What the columns without a meaning of their own are called, in order: the path variables of every row.
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
    ) throws(PlanningError) {
        reader = try DelimitedReader(stream, delimiter: list.format == .tsv ? "\t" : ",", name: name)
        self.name = name
        self.context = context
        func wrong(_ message: String) -> PlanningError {
            PlanningError(file: name, line: 1, message: message)
        }
        guard let row = try reader.next() else {
            throw wrong("has no header row: write the names of the columns into its first line")
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

    mutating func next() throws(PlanningError) -> Row? {
        while let bytes = try reader.next() {
            if reader.isBlank { continue }
            return row(bytes, PlannedItem.Place.line(file: name, number: reader.number))
        }
        return nil
    }

    private func row(_ bytes: UnsafeBufferPointer<UInt8>, _ place: PlannedItem.Place) -> Row {
        func failed(_ message: String) -> Row {
            .failed(ItemURL.encoded(UnsafeBufferPointer(rebasing: bytes.prefix(1000))), message, place: place)
        }
        guard !bytes.contains(0) else { return failed("the row holds a NUL character") }
        guard !reader.isMalformed else {
            return failed("text follows a closing quote: double quotes inside of fields")
        }
        guard reader.fields.count == columns.count else {
            return failed("the row has \(reader.fields.count) fields, the header row has \(columns.count)")
        }
        do throws(NoText) {
            return try columns.row(at: place, context, failed: failed) { column throws(NoText) in
                guard let text = reader.text(column, of: bytes) else { throw NoText() }
                return text
            }
        } catch {
            return failed("the row is not UTF-8: save the file as UTF-8")
        }
    }

    private struct NoText: Error {}
}
