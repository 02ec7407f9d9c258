import JobManifest

/// A list in CSV or TSV: its first row names the columns, every other row is an item.
struct DelimitedRows: RowReading {
    /// The names of the columns that are path variables, in order.
    var variableNames: [String] { parser.columns.variableNames }

    private var reader: DelimitedReader
    private let parser: DelimitedParser

    init(_ stream: any ByteStream, list: ItemList, name: String, context: RowContext) throws(SourceError) {
        reader = try DelimitedReader(stream, delimiter: list.delimiter ?? list.format.delimiter, name: name)
        if list.delimiter == nil {
            let names = list.columns.required.union([list.columns.url])
            try reader.findDelimiter(standard: list.format.delimiter, names: names)
        }
        func wrong(_ message: String) -> SourceError {
            SourceError(name, line: 1, message)
        }
        guard let row = try reader.next() else {
            throw wrong("has no header row: put the names of the columns in the first line")
        }
        var names: [String] = []
        for field in reader.fields {
            guard let column = field.text(of: row) else { throw wrong("the header row is not UTF-8") }
            names.append(column)
        }
        do {
            let columns = try RowColumns(names, meaning: list.columns)
            parser = DelimitedParser(name: name, context: context, columns: columns)
        } catch {
            throw wrong(error.message)
        }
        reader.columns = names.count
    }

    var warnings: [String] {
        reader.stretches.warning(parser.name, delimiter: reader.delimiter).map { [$0] } ?? []
    }

    mutating func next() throws(SourceError) -> Row? {
        guard let bytes = try nextRow() else { return nil }
        return parser.row(bytes, reader.fields[...], isMalformed: reader.isMalformed, number: reader.number)
    }

    mutating func nextChunk() throws(SourceError) -> (any RowChunk)? {
        var chunk = DelimitedChunk(parser)
        while !chunk.isFull, let bytes = try nextRow() {
            chunk.append(bytes, of: reader, number: reader.number)
            // At each row, as a pipe may give one now and then.
            if parser.context.isStopped() { break }
        }
        return chunk.count > 0 ? chunk : nil
    }

    private mutating func nextRow() throws(SourceError) -> UnsafeBufferPointer<UInt8>? {
        while let bytes = try reader.next() {
            if !reader.isBlank { return bytes }
        }
        return nil
    }
}
