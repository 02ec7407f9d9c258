import SQLite

/// A file of markup that a run wrote, or found as it should be.
public struct MarkupRecord: Hashable, Sendable {
    /// The path relative to the destination.
    public let path: String
    /// The row ID of a snippet's item; nil for an index.
    public let itemID: Int64?
    /// The name of the output.
    public let name: String
    /// The file size in bytes.
    public let bytes: Int
    /// SHA-256 of the file in hexadecimal.
    public let sha256: String

    /// Describes a file.
    public init(path: String, itemID: Int64?, name: String, bytes: Int, sha256: String) {
        self.path = path
        self.itemID = itemID
        self.name = name
        self.bytes = bytes
        self.sha256 = sha256
    }
}

extension JobReader {
    /// The last pass over all markup that came to its end: files of earlier passes are orphaned.
    static let lastMarkupPass =
        "coalesce((SELECT CAST(value AS INTEGER) FROM note WHERE name = '\(JobStore.markupPass)'), 0)"

    /// True if runs have written markup.
    /// - Throws: `JobStoreError`.
    public func hasMarkup() throws(JobStoreError) -> Bool {
        try read { try $0.integer("SELECT EXISTS (SELECT 1 FROM markup)") == 1 }
    }

    /// True if runs have written markup at a path.
    /// - Throws: `JobStoreError`.
    public func hasMarkup(at path: String) throws(JobStoreError) -> Bool {
        try read("SELECT 1 FROM markup WHERE path = ?") {
            try $0.first(path) { _ in true }
                ?? false
        }
    }
}

extension JobStore {
    fileprivate static let markupPass = "markup_pass"

    /// Returns the number of a new pass over all markup.
    /// - Throws: `JobStoreError`.
    public func newMarkupPass() throws(JobStoreError) -> Int {
        try reader.read { connection in
            let last = "max(\(JobReader.lastMarkupPass), coalesce((SELECT max(pass) FROM markup), 0))"
            return Int(try connection.integer("SELECT \(last) + 1"))
        }
    }

    /// Records files that a pass wrote, or found as they should be.
    /// - Throws: `JobStoreError`.
    public func recordMarkup(_ files: [MarkupRecord], pass: Int) throws(JobStoreError) {
        try writeNow { connection in
            for file in files {
                try connection.statement("INSERT OR REPLACE INTO markup VALUES (?, ?, ?, ?, ?, ?)").run(
                    with: [file.path, file.itemID, file.name, file.bytes, file.sha256, pass])
            }
        }
    }

    /// Records the end of a pass: files that it did not want are orphaned.
    /// - Throws: `JobStoreError`.
    public func endMarkupPass(_ pass: Int) throws(JobStoreError) {
        try note(Self.markupPass, String(pass))
    }
}
