import Glibc
import JobManifest

/// Opening a list.
extension ItemList {
    /// The list's name in errors and locations.
    var label: String { isStandardInput ? "stdin" : name }

    func open() throws(SourceError) -> any ByteStream {
        let file: FileStream
        if let path {
            file = try FileStream(path: path, name: label)
        } else {
            file = FileStream(standardInputAs: label)
        }
        return isCompressed ? try GzipStream(file, name: label) : file
    }

    private func open(
        _ remote: RemoteList,
        isStopped: @escaping @Sendable () -> Bool
    ) throws(SourceError) -> any ByteStream {
        let object = remote.open(label, isStopped: isStopped)
        return isCompressed ? try GzipStream(object, name: label) : object
    }

    private func open(_ input: StandardInput) throws(SourceError) -> any ByteStream {
        guard isStandardInput else { return try open() }
        return switch input {
        case .once: try open()
        case .copied(let copy): copy.copying(try open())
        case .again(let copy): copy.stream(label)
        }
    }

    /// Returns the rows; `remote` is the list if it is in an object store.
    func rows(
        _ context: RowContext,
        _ input: StandardInput,
        remote: RemoteList? = nil
    ) throws(SourceError) -> any RowReading {
        let stream = if let remote { try open(remote, isStopped: context.isStopped) } else { try open(input) }
        switch format {
        case .txt: return try LineRows(.text, stream, name: label, context: context)
        case .csv, .tsv: return try DelimitedRows(stream, list: self, name: label, context: context)
        case .jsonl:
            let form = hasColumns ? LineParser.Form.table(columns) : .json
            return try LineRows(form, stream, name: label, context: context)
        case .parquet: throw SourceError(label, "Parquet is read by its own program")
        }
    }

    /// Checks that the list and, in CSV and TSV, its columns exist; returns the columns that are path variables.
    ///
    /// Nothing is asked of an object store. Standard input and pipes are not read, since their content would be lost; for them, and for JSON lines, whose
    /// rows may have different keys, returns nil.
    func checkedColumns() throws(SourceError) -> [String]? {
        guard let path else {
            if format == .parquet { try requireParquetProgram() }
            return nil
        }
        if format == .parquet, glob != nil { return try checkedParquetColumns() }
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system(errno, file: label, doing: "looking for it") }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR:
            throw SourceError(label, "is a folder, not a file; \"files\" takes folders")
        default: return nil
        }
        if format == .parquet { return try checkedParquetColumns() }
        let stream = try open()
        guard format == .csv || format == .tsv else { return nil }
        let context = RowContext(folder: "/", schemes: [])
        return try DelimitedRows(stream, list: self, name: label, context: context).variableNames
    }
}
