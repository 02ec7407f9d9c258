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

    private static let addCollisions = """
        CREATE TABLE collision(          -- outputs that are not made, because an earlier row has their path
            item_id INTEGER NOT NULL REFERENCES item, -- the item
            name TEXT NOT NULL,          -- output name
            path TEXT NOT NULL,          -- path relative to the destination
            owner TEXT NOT NULL,         -- where the row that has the path is listed, such as urls.txt:17
            is_skipped INTEGER NOT NULL, -- 1: the output is skipped; 0: it fails
            PRIMARY KEY (item_id, name)
        ) STRICT, WITHOUT ROWID
        """

    private static let addMarkup = """
        CREATE TABLE markup(             -- files that runs wrote for outputs with markup
            path TEXT NOT NULL PRIMARY KEY, -- path relative to the destination
            item_id INTEGER,             -- the item of a snippet; NULL for an index
            name TEXT NOT NULL,          -- output name
            bytes INTEGER NOT NULL,      -- file size
            sha256 TEXT NOT NULL,        -- hash of the file
            pass INTEGER NOT NULL        -- the last pass over all markup that wanted the file, counted from 1
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX markup_by_pass ON markup(pass)
        """

    private static let addCounters = """
        CREATE TABLE counter(            -- what the runs of the job have counted since the state was made, for metrics
            name TEXT NOT NULL,          -- such as requests
            host_class TEXT NOT NULL,    -- name of a host, storage or other; '' for a counter without hosts
            detail TEXT NOT NULL,        -- error, result, source, status, cause or bound in seconds; '' for none
            total REAL NOT NULL,         -- number, bytes or seconds
            PRIMARY KEY (name, host_class, detail)
        ) STRICT, WITHOUT ROWID
        """

    private static let addDuplicates = """
        CREATE TABLE duplicate(          -- items that are not made because earlier ones have the same original (dataset.deduplicate)
            item_id INTEGER PRIMARY KEY REFERENCES item, -- the item
            twin_id INTEGER NOT NULL REFERENCES item, -- the first item with that original
            original_sha256 TEXT NOT NULL, -- hash of the item's original when the two were compared
            distance INTEGER NOT NULL    -- differing bits of their perceptual hashes; 0 for equal bytes
        ) STRICT
        """
}
