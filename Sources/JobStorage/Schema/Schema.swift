import SQLite

/// The schema of a job's state: a public contract, because people read it with `sqlite3` during runs.
///
/// Times are milliseconds since 1970 (UTC); hashes are SHA-256 in lower-case hexadecimal. SQLite keeps the comments of
/// a table and of a view, and `docs/state.md` is made from them: every column has one.
///
/// States are compared one by one: for a list of more than two SQLite builds a table each time it checks a row, which
/// took two thirds of an import's time.
enum Schema {
    /// "NUKB": marks the file as a job's state.
    static let applicationID: Int32 = 0x4E55_4B42

    /// The steps from an empty file to the present schema, each of which runs once.
    ///
    /// Nothing but the comments of a released step is ever edited; a change appends a step.
    static let migrations = [
        Migration("001-create-jobs", createJobs),
        Migration("002-add-facts", addFacts),
        Migration("003-add-requests", addRequests),
        Migration("010-index-fetched", indexFetched),
        Migration("050-pack-shards", packShards),
        Migration("051-count-duplicates", countDuplicates),
        Migration("052-drop-unused", dropUnused),
        Migration("053-add-views", addViews),
        Migration("060-add-collisions", addCollisions),
        Migration("061-date-waits", dateWaits),
        Migration("062-add-notes", addNotes),
        Migration("063-add-reported", addReported),
        Migration("064-add-markup", addMarkup),
        Migration("065-add-reasons", addReasons),
        Migration("066-add-uploads", addUploads),
        Migration("067-add-shard-statistics", addShardStatistics),
        Migration("068-add-counters", addCounters),
        Migration("069-add-duplicates", addDuplicates),
        Migration("070-add-history", addHistory),
        Migration("071-add-scores", addScores),
        Migration("072-add-formats", addFormats),
    ]

    /// Selects the items that a run can claim: the condition of the index `item_ready`, word for word.
    static let isReady = "listed = 1 AND (state = 'pending' OR state = 'retry')"

    /// Selects the items that were skipped or failed: the condition of the index `item_problem`, word for word.
    static let isProblem =
        "listed = 1 AND (state = 'skipped' OR state = 'failed' OR state = 'quarantined')"

    // The comment is where SQLite keeps it.
    private static let addFacts = """
        ALTER TABLE item ADD COLUMN facts /* facts about the original, as a JSON object by name */ TEXT
        """

    private static let indexFetched = """
        CREATE INDEX item_fetched ON item(item_id) WHERE listed = 1 AND run_id IS NULL AND state = 'fetched'
        """

    private static let countDuplicates = """
        ALTER TABLE revision ADD COLUMN duplicates /* rows that repeat another row */ INTEGER NOT NULL DEFAULT 0
        """

    // A wait that an earlier release recorded counts as the longest `Retry-After`, one hour.
    private static let dateWaits = """
        ALTER TABLE host ADD COLUMN saved_ms /* when not_before_ms was written */ INTEGER NOT NULL DEFAULT 0;
        UPDATE host SET saved_ms = not_before_ms - 3600000 WHERE not_before_ms > 0
        """

    private static let addNotes = """
        CREATE TABLE note(               -- facts about the last run, with which the next one compares its own
            name TEXT NOT NULL PRIMARY KEY, -- a group of settings that can make items fail, a part of the cache, or manifest
            value TEXT NOT NULL          -- short digest or number that changes when that does; the manifest itself as JSON
        ) STRICT, WITHOUT ROWID
        """

    private static let addReported = """
        ALTER TABLE item ADD COLUMN
            reported /* 1: a finished run reported the failure; 0 again once the item is done or skipped */ INTEGER NOT NULL DEFAULT 0
        """

    private static let addReasons = """
        ALTER TABLE item ADD COLUMN
            requeued /* reason of the newest generation, such as outputs or recheck http_404; NULL: none is recorded */ TEXT;
        ALTER TABLE recipe ADD COLUMN
            parts /* digests of the settings by key, as a JSON object; NULL: not recorded */ TEXT
        """

    // No release has ever written the state `fetched` or filled these columns. The CHECK of `item.state` still lists
    // that state: to take it out, the whole table would have to be copied.
    private static let dropUnused = """
        DROP INDEX item_fetched;
        DROP INDEX item_ready;
        CREATE INDEX item_ready ON item(host_id, priority DESC, not_before_ms, state)
            WHERE listed = 1 AND (state = 'pending' OR state = 'retry');
        ALTER TABLE attempt DROP COLUMN code;
        ALTER TABLE attempt DROP COLUMN peer_ip;
        ALTER TABLE host DROP COLUMN concurrency;
        ALTER TABLE revision DROP COLUMN manifest_json
        """
}
