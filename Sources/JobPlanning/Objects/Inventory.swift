package import Foundation
package import JobManifest
package import ObjectStorage

/// The manifest of an S3 Inventory, which lists a bucket in files (Amazon S3 User Guide, "Amazon S3 Inventory list").
package struct Inventory: Sendable {
    /// A file of the inventory.
    package struct Part: Decodable, Sendable {
        /// Its key, in the bucket of the manifest.
        package let key: String
        /// Its MD5 in hexadecimal.
        package let md5: String

        private enum CodingKeys: String, CodingKey {
            case key
            case md5 = "MD5checksum"
        }
    }

    private struct Document: Decodable {
        let sourceBucket: String
        let fileFormat: String
        let fileSchema: String
        let files: [Part]
    }

    /// A format of the files.
    enum Format: String {
        case csv, parquet
    }

    /// The bucket that is listed.
    package let bucket: String
    /// The files, in the order of the manifest.
    package let parts: [Part]
    let format: Format
    /// The columns of a CSV file, which has no header row; nil for Parquet.
    private let columns: InventoryColumns?

    /// Reads the document of the manifest, which errors call `label`.
    /// - Throws: `SourceError` for another document, and for an inventory that lacks what is needed.
    package init(_ document: Data, label: String) throws(SourceError) {
        func wrong(_ message: String) -> SourceError { SourceError(label, message) }
        guard let found = try? JSONDecoder().decode(Document.self, from: document) else {
            throw wrong(
                "is not the manifest of an S3 Inventory: it lacks sourceBucket, fileFormat, fileSchema or files"
            )
        }
        guard let format = Format(rawValue: found.fileFormat.lowercased()) else {
            throw wrong(
                "is an inventory in \(found.fileFormat), which is not supported: "
                    + "choose CSV or Parquet as its format"
            )
        }
        self.format = format
        bucket = found.sourceBucket
        parts = found.files
        guard format == .csv else {
            // Each file has its own names of columns.
            columns = nil
            do throws(ParquetError) { _ = try ParquetProgram() } catch { throw wrong(error.description) }
            return
        }
        let names = found.fileSchema.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        do throws(TextError) { columns = try InventoryColumns(names) } catch {
            throw wrong(error.message)
        }
    }

    /// Calls `body` with each object in the file at `path`, which is `part`; older versions and deleted objects
    /// are none.
    /// - Throws: `SourceError` for a file that is damaged, and the error of `body`.
    package func forEachObject(
        in part: Part,
        at path: String,
        _ body: (ObjectPage.Entry) throws -> Void
    ) throws {
        let stream = try open(part, at: path)
        let limit = (stream as? ParquetStream).map { ExpansionLimit.parquet(part.key, bytes: $0.fileBytes) }
        var reader = try DelimitedReader(stream, name: part.key)
        let columns = try columns ?? namedColumns(of: part, &reader)
        var rows = 0
        while let bytes = try reader.next() {
            rows += 1
            try limit?.check(rows)
            if reader.isBlank { continue }
            let line = reader.number
            func wrong(_ message: String) -> SourceError {
                SourceError(part.key, line: line, message)
            }
            guard reader.fields.count == columns.count, !reader.isMalformed else {
                throw wrong(
                    "the row has \(Quantity.count(reader.fields.count, "field")), the inventory's schema \(columns.count)"
                )
            }
            let row = InventoryColumns.Row(columns: columns, fields: reader.fields, bytes: bytes)
            guard row.isCurrent else { continue }
            guard let key = row[columns.key].flatMap(decoded), row[columns.bucket] == bucket else {
                throw wrong("the row has no key in UTF-8, or is of another bucket than \(bucket)")
            }
            try body(ObjectPage.Entry(key: key, facts: row.facts))
        }
    }

    private func open(_ part: Part, at path: String) throws(SourceError) -> any ByteStream {
        guard format == .csv else {
            return try ParquetStream(
                [ParquetFile(path: path, name: part.key)],
                columns: InventoryColumns.used
            )
        }
        let file = try FileStream(path: path, name: part.key, mustBeRegular: true)
        return try GzipStream(file, name: part.key)
    }

    /// Reads the header row of a file in Parquet.
    private func namedColumns(of part: Part, _ reader: inout DelimitedReader) throws(SourceError)
        -> InventoryColumns
    {
        let row = try reader.next()
        let names = row.map { row in reader.fields.map { $0.text(of: row) ?? "" } } ?? []
        do throws(TextError) {
            return try InventoryColumns(names)
        } catch {
            throw SourceError(part.key, error.message)
        }
    }

    /// Returns a key without the encoding of forms, which only CSV inventories have; nil if it is not UTF-8.
    private func decoded(_ text: String) -> String? {
        format == .csv ? text.replacing("+", with: " ").removingPercentEncoding : text
    }
}
