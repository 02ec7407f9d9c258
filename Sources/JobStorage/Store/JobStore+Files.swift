import SQLite

extension JobStore {
    /// Forgets files that `unwantedFiles` returned.
    /// - Throws: `JobStoreError`.
    public func forget(_ files: [RecordedFile]) throws(JobStoreError) {
        try writeNow { connection in
            for file in files {
                try connection.statement("DELETE FROM leftover WHERE path = ? AND item_id = ?")
                    .run(file.path, file.itemID)
                try connection.statement(
                    """
                    DELETE FROM output WHERE item_id = ?1 AND name = ?2 AND path = ?3
                        AND (item_id, name) IN (SELECT o.item_id, o.name \(JobReader.unwanted))
                    """
                ).run(file.itemID, file.name, file.path)
                try connection.statement(
                    "DELETE FROM markup WHERE path = ? AND pass < \(JobReader.lastMarkupPass)"
                ).run(file.path)
            }
        }
    }

    /// Notes a finished output that is about to get its file, until it is recorded: after a crash, the file is known to be the job's.
    ///
    /// Returns after the commit.
    /// - Throws: `JobStoreError`.
    package func announce(_ output: OutputRecord, of item: Int64) async throws(JobStoreError) {
        try await write { connection in
            try connection.statement(
                """
                INSERT OR REPLACE INTO leftover(path, item_id, name, bytes, sha256, left_ms) VALUES (?, ?, ?, ?, ?, ?)
                """
            ).run(output.path, item, output.name, output.bytes, output.sha256, Self.now)
        }
    }

    /// Takes notice of the files of another state of the job, which `filesWritten` returns too until this one is closed.
    /// - Throws: `JobStoreError`.
    package func learnFiles(of other: JobReader) throws(JobStoreError) {
        try other.forEachPageOfFiles { files throws(JobStoreError) in
            try writeNow { connection in
                try connection.rememberOtherFiles()
                let statement = try connection.statement(
                    "INSERT OR IGNORE INTO other_file(path, bytes, sha256) VALUES (?, ?, ?)"
                )
                for file in files { try statement.run(file.path, file.bytes, file.sha256) }
            }
        }
    }

    /// Returns what files the job has written to `path`, for items of this manifest or of earlier ones.
    ///
    /// The first call may create an index, as `hasOutput(at:otherThan:notOf:making:)` does.
    /// - Throws: `JobStoreError`.
    package func filesWritten(to path: String) async throws(JobStoreError) -> [(bytes: Int, sha256: String)] {
        try await write { connection in
            try connection.indexOutputsByPath()
            try connection.rememberOtherFiles()
            return try connection.statement(
                """
                SELECT bytes, sha256 FROM output INDEXED BY output_by_path
                WHERE path = ?1 AND state = 'done' AND shard_offset IS NULL
                UNION
                SELECT bytes, sha256 FROM leftover WHERE path = ?1 AND bytes IS NOT NULL AND sha256 IS NOT NULL
                UNION
                SELECT bytes, sha256 FROM other_file WHERE path = ?1
                """
            ).rows(path) { ($0["bytes"] as Int, $0["sha256"] as String) }
        }
    }
}

extension Connection {
    /// Creates the table of the files of other states, which lasts as long as the connection.
    fileprivate func rememberOtherFiles() throws(SQLiteError) {
        try execute(
            """
            CREATE TEMP TABLE IF NOT EXISTS other_file(path TEXT, bytes INTEGER, sha256 TEXT,
                PRIMARY KEY (path, bytes, sha256)) WITHOUT ROWID
            """
        )
    }
}
