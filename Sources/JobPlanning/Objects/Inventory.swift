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

    /// The places of the columns that count.
    struct Columns: Sendable {
        let count: Int
        let bucket: Int
        let key: Int
        let size: Int?
        let etag: Int?
        let modified: Int?
        let storageClass: Int?
        let isLatest: Int?
        let isDeleteMarker: Int?
    }

    /// The bucket that is listed.
    package let bucket: String
    /// The files, in the order of the manifest.
    package let parts: [Part]
    let columns: Columns

    /// Reads the document of the manifest, which errors call `label`.
    /// - Throws: `SourceError` for another document, and for an inventory that lacks what is needed.
    package init(_ document: Data, label: String) throws(SourceError) {
        func wrong(_ message: String) -> SourceError { SourceError(file: label, message: message) }
        guard let found = try? JSONDecoder().decode(Document.self, from: document) else {
            throw wrong(
                "is not the manifest of an S3 Inventory: it lacks sourceBucket, fileFormat, fileSchema or files"
            )
        }
        guard found.fileFormat.lowercased() == "csv" else {
            throw wrong(
                "is an inventory in \(found.fileFormat), which is not supported: choose CSV as its format"
            )
        }
        let names = found.fileSchema.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        func column(_ name: String) -> Int? { names.firstIndex(of: name) }
        guard let bucket = column("Bucket"), let key = column("Key") else {
            throw wrong("lacks the columns Bucket and Key in its fileSchema")
        }
        let (etag, modified) = (column("ETag"), column("LastModifiedDate"))
        guard etag != nil || modified != nil else {
            throw wrong("does not tell when an object changes: add ETag to the inventory's fields")
        }
        self.bucket = found.sourceBucket
        parts = found.files
        columns = Columns(
            count: names.count,
            bucket: bucket,
            key: key,
            size: column("Size"),
            etag: etag,
            modified: modified,
            storageClass: column("StorageClass"),
            isLatest: column("IsLatest"),
            isDeleteMarker: column("IsDeleteMarker")
        )
    }

    /// Calls `body` with each object in the file at `path`, which is `part` in gzip; older versions and deleted objects are none.
    /// - Throws: `SourceError` for a file that is damaged, and the error of `body`.
    package func forEachObject(
        in part: Part,
        at path: String,
        _ body: (ObjectPage.Entry) throws -> Void
    ) throws {
        let file = try FileStream(path: path, name: part.key, mustBeRegular: true)
        var reader = try DelimitedReader(try GzipStream(file, name: part.key), delimiter: ",", name: part.key)
        while let bytes = try reader.next() {
            if reader.isBlank { continue }
            let line = reader.number
            func wrong(_ message: String) -> SourceError {
                SourceError(file: part.key, line: line, message: message)
            }
            guard reader.fields.count == columns.count, !reader.isMalformed else {
                throw wrong(
                    "the row has \(reader.fields.count) fields, the inventory's schema \(columns.count)"
                )
            }
            let fields = reader.fields
            func text(_ column: Int?) -> String? { column.flatMap { fields[$0].text(of: bytes) } }
            if text(columns.isLatest) == "false" || text(columns.isDeleteMarker) == "true" { continue }
            guard let key = text(columns.key).flatMap(Self.decoded), text(columns.bucket) == bucket else {
                throw wrong("the row has no key in UTF-8, or is of another bucket than \(bucket)")
            }
            try body(ObjectPage.Entry(key: key, facts: facts(text)))
        }
    }

    private func facts(_ text: (Int?) -> String?) -> ObjectFacts {
        var facts = ObjectFacts(size: text(columns.size).flatMap { Int($0) } ?? 0, etag: text(columns.etag))
        if facts.etag?.isEmpty ?? true, let modified = text(columns.modified) {
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: modified.contains("."))
            facts.modified = try? style.parse(modified)
        }
        facts.archive = text(columns.storageClass).flatMap { Self.archives.contains($0) ? $0 : nil }
        return facts
    }

    private static let archives: Set = ["GLACIER", "DEEP_ARCHIVE"]

    /// Returns a key without the encoding of forms that CSV inventories have; nil if it is not UTF-8.
    private static func decoded(_ text: String) -> String? {
        text.replacing("+", with: " ").removingPercentEncoding
    }
}
