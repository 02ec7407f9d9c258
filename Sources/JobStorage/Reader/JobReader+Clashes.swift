import SQLite

extension JobReader {
    /// Returns paths that several items have written with different bytes, in their order.
    /// - Throws: `JobStoreError`.
    package func clashingPaths(limit: Int) throws(JobStoreError) -> [String] {
        try read(
            """
            SELECT path FROM output WHERE state = 'done' AND shard_offset IS NULL
            GROUP BY path HAVING count(DISTINCT sha256) > 1 ORDER BY path LIMIT ?
            """
        ) { try $0.scalars(limit) }
    }

    /// Calls `body` with the path and the SHA-256 in hexadecimal of each finished output that is a file of its own.
    ///
    /// They are read a page of 10,000 at a time.
    /// - Throws: `JobStoreError`, or what `body` throws.
    package func forEachFile(_ body: (_ path: String, _ sha256: String) throws -> Void) throws {
        var pages = pagesOfFiles(where: "state = 'done'")
        while let page = try pages.next() {
            for file in page { try body(file.path, file.sha256) }
        }
    }
}
