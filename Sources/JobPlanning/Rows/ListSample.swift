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

    /// The columns of a CSV, TSV or Parquet list; one without a name for a text list, and none for JSON lines.
    package private(set) var columns: [String] = []
    /// The values of each row, as many as columns; rows of another length are left out.
    package private(set) var rows: [[String]] = []

    /// Reads the beginning of the list at `path`; errors call it `name`.
    /// - Throws: `SourceError` for a file that cannot be read, or that is damaged within the first rows.
    package init(path: String, name: String, format: ItemList.Format) throws(SourceError) {
        let file = try FileStream(path: path, name: name, mustBeRegular: true)
        let stream: any ByteStream = ItemList.isCompressed(name) ? try GzipStream(file, name: name) : file
        switch format {
        case .parquet:
            let file = ParquetFile(path: path, name: name)
            try read(ParquetStream([file], columns: nil, limit: Self.mostRows), delimiter: ",", name: name)
        case .csv, .tsv: try read(stream, delimiter: format == .tsv ? "\t" : ",", name: name)
        case .txt:
            columns = [""]
            var lines = try LineReader(stream)
            while rows.count < Self.mostRows, let line = try lines.next() {
                guard case .text(let bytes) = line else { continue }
                let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces)
                if !text.isEmpty, !text.hasPrefix("#") { rows.append([text]) }
            }
        case .jsonl: break
        }
    }

    private mutating func read(
        _ stream: any ByteStream,
        delimiter: Character,
        name: String
    ) throws(SourceError) {
        var reader = try DelimitedReader(stream, delimiter: delimiter, name: name)
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

    /// The named columns whose values are all URLs or names of image files, as far as there are any.
    package var locationColumns: [String] {
        columns.indices.filter { column in
            let values = values(of: column)
            return !columns[column].isEmpty && !values.isEmpty && values.allSatisfy(Self.isLocation)
        }.map { columns[$0] }
    }

    /// The column of identifiers: named like one, and with a different value in every row; nil without one.
    package var idColumn: String? {
        columns.indices.first { column in
            let name = columns[column].lowercased().filter { $0.isLetter || $0.isNumber }
            let values = values(of: column)
            return Self.idNames.contains(name) && !values.isEmpty && values.count == rows.count
                && Set(values).count == values.count
        }.map { columns[$0] }
    }

    /// True if a row has a path in the column of this name, rather than a URL.
    package func hasPaths(in name: String) -> Bool {
        guard let column = columns.firstIndex(of: name) else { return false }
        return values(of: column).contains { !ItemURL.isURL($0) }
    }

    /// The values of a column that are not empty.
    private func values(of column: Int) -> [String] {
        rows.map { $0[column] }.filter { !$0.isEmpty }
    }

    private static func isLocation(_ text: String) -> Bool {
        ItemURL.isURL(text) || Glob.imageExtensions.contains((text as NSString).pathExtension.lowercased())
    }
}
