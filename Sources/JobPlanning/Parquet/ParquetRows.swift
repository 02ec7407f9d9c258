import JobManifest

/// Makes items of the rows of Parquet files, one file after the other; a row's position is its number in its file, from 1.
struct ParquetRows: RowReading {
    private let list: ItemList
    private let context: RowContext
    private let files: [ParquetFile]
    private let columns: UsedColumns?
    private var stream: ParquetStream?
    private var index = 0
    /// The rows of the current file; nil after the last file.
    private var open: (reader: DelimitedReader, parser: DelimitedParser)?
    /// The number of the last row.
    private var number = 0
    /// The limit of the rows of the current file.
    private var limit: ExpansionLimit?

    /// Begins with the first of `files`, of which `columns` are read, or all.
    init(
        _ files: [ParquetFile],
        of list: ItemList,
        columns: UsedColumns?,
        context: RowContext
    ) throws(SourceError) {
        (self.files, self.list, self.columns, self.context) = (files, list, columns, context)
        guard !files.isEmpty else { return }
        try startStream()
        try openFile()
    }

    /// Starts the program, which reads all files, or one object, of which there is no copy before its turn comes.
    private mutating func startStream() throws(SourceError) {
        guard let object = files[index].object else {
            stream = try ParquetStream(files, columns: columns, hasKinds: true, isStopped: context.isStopped)
            return
        }
        stream = nil
        let copy = try object.copy(isStopped: context.isStopped)
        stream = try ParquetStream(
            [files[index]],
            copy: copy,
            columns: columns,
            hasKinds: true,
            isStopped: context.isStopped
        )
    }

    mutating func next() throws(SourceError) -> Row? {
        while let parser = open?.parser {
            if let bytes = try nextRow(), let reader = open?.reader {
                return parser.row(
                    bytes,
                    reader.fields[...],
                    isMalformed: false,
                    excess: reader.excess,
                    number: number
                )
            }
            try openNextFile()
        }
        return nil
    }

    mutating func nextChunk() throws(SourceError) -> (any RowChunk)? {
        while let parser = open?.parser {
            var chunk = DelimitedChunk(parser)
            while !chunk.isFull, let bytes = try nextRow(), let reader = open?.reader {
                chunk.append(bytes, of: reader, number: number)
                if context.isStopped() { break }
            }
            if chunk.count > 0 { return chunk }
            try openNextFile()
        }
        return nil
    }

    /// Reads the next row of the current file; an empty line is a row whose only column is empty.
    private mutating func nextRow() throws(SourceError) -> UnsafeBufferPointer<UInt8>? {
        guard let row = try open?.reader.next() else { return nil }
        number += 1
        try limit?.check(number)
        return row
    }

    private mutating func openNextFile() throws(SourceError) {
        open = nil
        guard index + 1 < files.count else { return }
        index += 1
        if stream?.openNextFile() != true { try startStream() }
        try openFile()
    }

    private mutating func openFile() throws(SourceError) {
        guard let stream else { return }
        let name = files[index].name
        number = 0
        limit = .parquet(name, bytes: stream.fileBytes)
        var reader = try DelimitedReader(stream, name: name)
        func fields() throws(SourceError) -> [String] {
            guard let row = try reader.next() else {
                throw SourceError(name, "nuke-batch-parquet sent no names of columns")
            }
            return reader.fields.map { $0.text(of: row) ?? "" }
        }
        let names = try fields()
        let kinds = try fields().map { RowCell.ParquetKind(rawValue: $0) ?? .text }
        do {
            let columns = try RowColumns(names, meaning: list.columns)
            reader.passesLongRows = true
            open = (reader, DelimitedParser(name: name, context: context, columns: columns, kinds: kinds))
        } catch {
            throw SourceError(name, error.message)
        }
    }
}
