import Foundation
package import JobManifest

/// The first rows of a list, from which its columns are guessed.
package struct ListSample {
    /// The most rows that are read.
    private static let mostRows = 1000
    /// The names that a column of identifiers may have, in lower case without signs.
    private static let idNames: Set = [
        "id", "sku", "key", "code", "ean", "gtin", "upc", "isbn", "asin", "uuid", "guid", "slug", "handle",
        "number", "article", "articlenumber", "partnumber", "productid", "itemid", "imageid", "productcode",
    ]

    /// The keys of an entry in JSON Lines.
    private static let entryKeys: Set = ["url", "id", "priority", "headers", "vars", "versionId"]

    /// True for JSON Lines whose keys are columns, which a manifest must say.
    package private(set) var isTable = false
    /// The columns of a CSV, TSV or Parquet list; one without a name for a text list; of JSON lines the keys of objects, and none if
    /// each line is an entry of its own.
    package private(set) var columns: [String] = []
    /// The values of each row, as many as columns; rows of another length are left out.
    package private(set) var rows: [[String]] = []

    /// Reads the beginning of the list at `path`, which has the column `column` if that is known; errors call it `name`.
    /// - Throws: `SourceError` for a file that cannot be read, or that is damaged within the first rows.
    package init(
        path: String,
        name: String,
        format: ItemList.Format,
        column: String? = nil
    ) throws(SourceError) {
        let file = try FileStream(path: path, name: name, mustBeRegular: true)
        let stream: any ByteStream = ItemList.isCompressed(name) ? try GzipStream(file, name: name) : file
        switch format {
        case .parquet:
            let file = ParquetFile(path: path, name: name)
            let rows = try ParquetStream([file], columns: nil, limit: Self.mostRows)
            var reader = try DelimitedReader(rows, name: name)
            reader.passesLongRows = true
            try read(reader)
        case .csv, .tsv:
            var reader = try DelimitedReader(stream, name: name)
            let names: Set = [column ?? ItemList.Columns().url]
            try reader.findDelimiter(standard: format.delimiter, names: names)
            try read(reader)
        case .txt:
            columns = [""]
            var lines = try LineReader(stream, name: name)
            while rows.count < Self.mostRows, let line = try lines.next() {
                guard case .text(let bytes) = line else { continue }
                let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces)
                if !text.isEmpty, !text.hasPrefix("#") { rows.append([text]) }
            }
        case .jsonl: try readObjects(LineReader(stream, name: name))
        }
    }

    /// Reads objects whose keys are columns, unless they are entries, which have a URL and what goes with it.
    private mutating func readObjects(_ lines: LineReader) throws(SourceError) {
        var lines = lines
        var cells: [[String: String]] = []
        while cells.count < Self.mostRows, let line = try lines.next() {
            guard case .text(let bytes) = line, let row = LineParser.cells(of: bytes) else { continue }
            for (name, _) in row where !columns.contains(name) { columns.append(name) }
            cells.append(Dictionary(row.map { ($0.0, $0.1.scalar ?? "") }) { first, _ in first })
        }
        isTable = !Set(columns).isSubset(of: Self.entryKeys)
        if isTable { rows = cells.map { cells in columns.map { cells[$0] ?? "" } } } else { columns = [] }
    }

    private mutating func read(_ reader: DelimitedReader) throws(SourceError) {
        var reader = reader
        while rows.count < Self.mostRows, let bytes = try reader.next() {
            if reader.isBlank { continue }
            let values = reader.fields.map { $0.text(of: bytes) ?? "" }
            if columns.isEmpty {
                columns = values
            } else if values.count == columns.count {
                rows.append(values)
            }
        }
    }

    /// The named columns of URLs or names of image files: those that hold nothing else if there are any, or else those where at
    /// least half of the values are some.
    package var locationColumns: [String] {
        let shares = columns.indices.map { column in
            let values = values(of: column)
            return values.isEmpty ? 0 : Double(values.count(where: Self.isLocation)) / Double(values.count)
        }
        func named(_ isRight: (Double) -> Bool) -> [String] {
            columns.indices.filter { !columns[$0].isEmpty && isRight(shares[$0]) }.map { columns[$0] }
        }
        let pure = named { $0 == 1 }
        return pure.isEmpty ? named { $0 >= 0.5 } : pure
    }

    /// The column of identifiers: named like one, and with a different value in every row but for a few without one; nil if there is
    /// none.
    package var idColumn: String? {
        columns.indices.first { column in
            let name = columns[column].lowercased().filter { $0.isLetter || $0.isNumber }
            let values = values(of: column)
            return Self.idNames.contains(name) && !values.isEmpty && values.count * 20 >= rows.count * 19
                && Set(values).count == values.count
        }.map { columns[$0] }
    }

    /// True if a row has a path in the column of this name, rather than a URL.
    package func hasPaths(in name: String) -> Bool {
        guard let column = columns.firstIndex(of: name) else { return false }
        return values(of: column).contains { !ItemURL.isURL($0) && !$0.hasPrefix("//") }
    }

    /// The values of a column that are not empty.
    private func values(of column: Int) -> [String] {
        rows.map { $0[column].trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func isLocation(_ text: String) -> Bool {
        ItemURL.isURL(text) || text.hasPrefix("//")
            || Glob.imageExtensions.contains((text as NSString).pathExtension.lowercased())
    }
}
