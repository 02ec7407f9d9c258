public import Files
import SQLite

/// A file in the destination that the state knows.
public struct RecordedFile: Hashable, Sendable {
    /// The row ID of the item that it was made for; 0 for an index of all items.
    public let itemID: Int64
    /// The item's URL as given; empty for an index of all items.
    public let url: String
    /// The output's name.
    public let name: String
    /// The path relative to the destination.
    public let path: String
    /// The file size in bytes.
    public let bytes: Int
    /// SHA-256 of the file in hexadecimal.
    public let sha256: String
    /// True if an output that the manifest asks for has the same path, so that the file must stay.
    public let isShared: Bool
    /// The offset of its bytes in their shard; nil for a file of its own.
    public let shardOffset: Int?
    /// The file name of the shard that holds it; nil for a file of its own.
    package var shard: String? { shardOffset.map { _ in Shard.file(ofMember: path) } }

    fileprivate init(_ row: Statement) {
        itemID = row["item_id"]
        url = row["url"]
        name = row["name"]
        path = row["path"]
        bytes = row["bytes"]
        sha256 = row["sha256"]
        isShared = row["is_shared"]
        shardOffset = row["shard_offset"]
    }
}

extension JobReader {
    /// Selects the outputs that the manifest asks for, even with an outdated recipe: these will be replaced.
    static let asked = """
        FROM output o JOIN item i USING (item_id) JOIN wanted w ON w.source = i.source AND w.name = o.name
        WHERE i.listed = 1
        """

    /// Selects orphaned outputs: files that nuke-batch wrote and the manifest no longer asks for.
    static let unwanted = """
        FROM output o JOIN item i USING (item_id) WHERE o.state = 'done' AND o.shard_offset IS NULL AND (i.listed = 0
            OR NOT EXISTS (SELECT 1 FROM wanted w WHERE w.source = i.source AND w.name = o.name))
        """

    /// Selects orphaned files of outputs that have no row, or another file.
    ///
    /// The file of an output that failed later stays, like those of an item that fails as a whole. So does one that a run was about
    /// to record when it ended. An output whose path another row has gives its file up.
    static let unwantedLeftovers = """
        FROM leftover l JOIN item i USING (item_id) WHERE NOT (i.listed = 1
            AND EXISTS (SELECT 1 FROM wanted w WHERE w.source = i.source AND w.name = l.name)
            AND NOT EXISTS (SELECT 1 FROM output o WHERE o.item_id = l.item_id AND o.name = l.name
                AND (o.state <> 'failed' OR o.reason LIKE 'collision:%')))
        """

    /// Selects the paths of outputs that the manifest asks for.
    private static let askedPaths = """
        SELECT o.path \(asked) AND o.state = 'done' UNION ALL SELECT path FROM leftover
        WHERE path NOT IN (SELECT l.path \(unwantedLeftovers))
        """

    /// Returns the files of finished outputs that the manifest asks for, item by item: at most 1,000 behind `last`.
    ///
    /// A page at a time, so that a slow reader does not keep a run from emptying its write-ahead log.
    /// - Throws: `JobStoreError`.
    public func files(after last: RecordedFile? = nil) throws(JobStoreError) -> [RecordedFile] {
        try read(
            """
            SELECT o.item_id, i.url, o.name, o.path, o.bytes, o.sha256, 1 AS is_shared, o.shard_offset
            \(Self.asked)
                AND w.recipe_id = o.recipe_id AND o.state = 'done' AND (o.item_id, o.name) > (?, ?)
            ORDER BY o.item_id, o.name LIMIT 1000
            """
        ) { try $0.rows(last?.itemID ?? .min, last?.name ?? "") { RecordedFile($0) } }
    }

    /// Returns the items of which some outputs are made, while one of those named found the bytes of another item at its path.
    ///
    /// Earlier releases left such mixtures where two rows had the same paths.
    /// - Throws: `JobStoreError`.
    package func mixedItems(among names: Set<String>) throws(JobStoreError) -> Set<Int64> {
        try read { connection in
            Set(
                try connection.statement(
                    """
                    SELECT o.item_id \(Self.asked) AND o.state = 'failed'
                        AND o.name IN (SELECT value FROM json_each(?))
                        AND o.reason LIKE 'collision: another output has already written different bytes to %'
                        AND EXISTS (SELECT 1 FROM output m WHERE m.item_id = o.item_id AND m.state = 'done')
                    """
                ).scalars(Value.json(Array(names)))
            )
        }
    }

    /// Returns the files of markup that are not orphaned, by path: at most 1,000 behind `last`.
    /// - Throws: `JobStoreError`.
    public func markupFiles(after last: RecordedFile? = nil) throws(JobStoreError) -> [RecordedFile] {
        try read(
            "\(Self.markup) WHERE m.path > ? AND m.pass >= \(Self.lastMarkupPass) ORDER BY m.path LIMIT 1000"
        ) { try $0.rows(last?.path ?? "") { RecordedFile($0) } }
    }

    /// Selects files of markup as `RecordedFile` reads them.
    private static let markup = """
        SELECT coalesce(m.item_id, 0) AS item_id, coalesce(i.url, '') AS url, m.name, m.path AS path, m.bytes, m.sha256,
            NULL AS shard_offset, 0 AS is_shared FROM markup m LEFT JOIN item i USING (item_id)
        """

    /// Returns the files of orphaned outputs, by path.
    ///
    /// Their items or outputs left the manifest, or moved to another path; or they are markup that no item has any more.
    /// - Throws: `JobStoreError`.
    public func unwantedFiles() throws(JobStoreError) -> [RecordedFile] {
        try read(
            """
            SELECT item_id, url, name, path, bytes, sha256, NULL AS shard_offset,
                path IN (\(Self.askedPaths)) AS is_shared FROM (
                    SELECT o.item_id, i.url, o.name, o.path, o.bytes, o.sha256 \(Self.unwanted)
                    UNION ALL
                    SELECT l.item_id, i.url, l.name, l.path, coalesce(l.bytes, 0), coalesce(l.sha256, '')
                    \(Self.unwantedLeftovers))
            UNION ALL
            \(Self.markup) WHERE m.pass < \(Self.lastMarkupPass)
            ORDER BY path
            """
        ) { try $0.rows { RecordedFile($0) } }
    }

    /// The number of outputs and files of markup that the state knows: those that the manifest asks for, and orphaned ones.
    /// - Throws: `JobStoreError`.
    public func recordedCount() throws(JobStoreError) -> Int {
        try read { connection in
            Int(
                try connection.integer(
                    """
                    SELECT (SELECT count(*) FROM output WHERE state = 'done') + (SELECT count(*) FROM leftover)
                        + (SELECT count(*) FROM markup)
                    """
                )
            )
        }
    }

    /// Returns those of `paths` at which an output or a file of markup is that the manifest asks for.
    /// - Throws: `JobStoreError`.
    public func wantedPaths(among paths: Set<BytePath>) throws(JobStoreError) -> Set<BytePath> {
        try read { connection in
            var found: Set<BytePath> = []
            try Self.forEachWantedPath(connection) { text in
                let path = BytePath(text)
                if paths.contains(path) { found.insert(path) }
            }
            return found
        }
    }

    /// Returns those of `paths` that differ only in case or Unicode form from one at which an output or a file of markup is that the
    /// manifest asks for, with that one: some file systems take both for one file.
    /// - Throws: `JobStoreError`.
    package func wantedPaths(
        likened paths: Set<BytePath>
    ) throws(JobStoreError) -> [(path: BytePath, wanted: BytePath)] {
        // Strings of one text in two Unicode forms are equal.
        let likened = Dictionary(grouping: paths) { $0.description.lowercased() }
        return try read { connection in
            var found: [(path: BytePath, wanted: BytePath)] = []
            try Self.forEachWantedPath(connection) { text in
                let wanted = BytePath(text)
                for path in likened[text.lowercased()] ?? [] where path != wanted {
                    found.append((path, wanted))
                }
            }
            return found
        }
    }

    private static func forEachWantedPath(_ connection: Connection, _ body: (String) -> Void) throws {
        let statement = try connection.statement(
            "\(askedPaths) UNION ALL SELECT path FROM markup WHERE pass >= \(lastMarkupPass)"
        )
        try statement.bind([])
        while try statement.step() { body(statement["path"]) }
    }

    /// Calls `body` with pages of the files that the job has written, for items of this manifest or of earlier ones, except those in
    /// shards.
    /// - Throws: `JobStoreError`.
    func forEachPageOfFiles(_ body: ([FileRow]) throws(JobStoreError) -> Void) throws(JobStoreError) {
        var pages = pagesOfFiles(where: "state = 'done'")
        while let page = try pages.next() { try body(page) }
        try body(
            read(
                """
                SELECT item_id, name, path, bytes, sha256 FROM leftover
                WHERE bytes IS NOT NULL AND sha256 IS NOT NULL
                """
            ) { try $0.rows { FileRow($0) } }
        )
    }

    /// Calls `body` with the path of every file that the state knows, relative to the destination, a page at a time.
    /// - Throws: `JobStoreError`.
    public func forEachOutputPath(_ body: (String) -> Void) throws(JobStoreError) {
        var pages = pagesOfFiles(where: "path IS NOT NULL")
        while let page = try pages.next() {
            for file in page { body(file.path) }
        }
        let leftovers: [String] = try read("SELECT path FROM leftover UNION ALL SELECT path FROM markup") {
            try $0.scalars()
        }
        for path in leftovers { body(path) }
    }

    /// The outputs in files of their own that meet a condition.
    func pagesOfFiles(where condition: String) -> RowPages<FileRow> {
        RowPages(
            reader: self,
            query: """
                SELECT item_id, name, path, bytes, sha256 FROM output
                WHERE \(condition) AND shard_offset IS NULL AND (item_id, name) > (?, ?)
                ORDER BY item_id, name LIMIT 10000
                """,
            row: { FileRow($0) },
            position: { [$0.itemID, $0.name] },
            last: [Int64.min, ""]
        )
    }
}

/// A file of an output, relative to the destination; one that is not written has no bytes, and an empty digest.
struct FileRow: Sendable {
    let itemID: Int64
    let name, path: String
    let bytes: Int
    let sha256: String

    fileprivate init(_ row: Statement) {
        (itemID, name, path) = (row["item_id"], row["name"], row["path"])
        (bytes, sha256) = (row["bytes"], row["sha256"])
    }
}
