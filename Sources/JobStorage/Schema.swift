import SQLite

/// The tables of a job's state: a public contract, as people read them with `sqlite3` while a run is going on.
///
/// Times are milliseconds since 1970 (UTC); hashes are SHA-256 in lower-case hexadecimal. SQLite keeps the comments
/// of a table, so `.schema item` shows them. States are compared one by one: for a list of more than two SQLite
/// builds a table each time it checks a row, which took two thirds of an import's time.
enum Schema {
    /// "NUKB": marks the file as a job's state.
    static let applicationID: Int32 = 0x4E55_4B42

    /// Released steps are never edited; a change appends one.
    static let migrations = [
        Migration("001-create-jobs", createJobs),
        Migration("002-add-facts", addFacts),
        Migration("003-add-requests", addRequests),
        Migration("010-index-fetched", indexFetched),
        Migration("050-pack-shards", packShards),
        Migration("051-count-duplicates", countDuplicates),
    ]

    /// What makes an item claimable: the condition of the index `item_ready`, word for word.
    static let isReady =
        "listed = 1 AND run_id IS NULL AND (state = 'pending' OR state = 'retry' OR state = 'fetched')"

    /// What makes an item one to look at: the condition of the index `item_problem`, word for word.
    static let isProblem =
        "listed = 1 AND (state = 'skipped' OR state = 'failed' OR state = 'quarantined')"

    // The comment stands where SQLite keeps it.
    private static let addFacts = """
        ALTER TABLE item ADD COLUMN facts /* what was found out about the original, by name: a JSON object */ TEXT
        """

    // With it, what waits is counted without a look at the states of millions.
    private static let indexFetched = """
        CREATE INDEX item_fetched ON item(item_id) WHERE listed = 1 AND run_id IS NULL AND state = 'fetched'
        """

    private static let countDuplicates = """
        ALTER TABLE revision ADD COLUMN duplicates /* rows that repeat another one */ INTEGER NOT NULL DEFAULT 0
        """

    private static let packShards = """
        CREATE TABLE shard(              -- the tar files of a dataset
            shard_id INTEGER PRIMARY KEY,
            destination TEXT NOT NULL,   -- as the manifest writes it
            number INTEGER NOT NULL,     -- of its name: 3 is 00003.tar, and 00003.tar.part while it is being written
            items INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0, -- that are durable and have rows: what is behind them in a .part is cut off
            complete_ms INTEGER,         -- when it got its name, never to be changed again; NULL while it is being written
            UNIQUE (destination, number)
        ) STRICT;
        CREATE UNIQUE INDEX shard_open ON shard(destination) WHERE complete_ms IS NULL;
        ALTER TABLE output ADD COLUMN shard_offset /* of its bytes in its shard; NULL: a file of its own */ INTEGER;

        CREATE TABLE dataset_index(      -- the indexes that tell what the state does; a run that has work forgets them first
            path TEXT NOT NULL PRIMARY KEY, -- absolute
            revision_id INTEGER NOT NULL,
            written_ms INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """

    private static let addRequests = """
        CREATE TABLE request(            -- the network log; the newest 100,000 are kept
            request_id INTEGER PRIMARY KEY,  -- grows in the order in which requests ended
            run_id INTEGER NOT NULL,
            load INTEGER NOT NULL,       -- equal within a run for a request and its redirects
            redirects INTEGER NOT NULL,  -- how many have led to it
            started_ms INTEGER NOT NULL, -- when it began to wait for its turn
            method TEXT NOT NULL,
            url TEXT NOT NULL,           -- the values of its query are hidden
            request_headers TEXT NOT NULL,  -- a field a line; values that may be secret are hidden
            request_head_bytes INTEGER,
            status INTEGER,              -- NULL without an answer
            response_headers TEXT NOT NULL,
            response_head_bytes INTEGER,
            bytes INTEGER NOT NULL,      -- of the answer's body
            protocol TEXT NOT NULL,
            peer_ip TEXT NOT NULL,
            is_reused INTEGER,           -- 1 for a connection that an earlier request had opened
            blocked_us INTEGER,          -- waiting for the host's turn and a place
            dns_us INTEGER,
            connect_us INTEGER,          -- TLS included
            tls_us INTEGER,
            wait_us INTEGER NOT NULL,    -- from the connection to the answer's first byte
            receive_us INTEGER NOT NULL,
            error TEXT
        ) STRICT
        """

    private static let createJobs = """
        CREATE TABLE run(
            run_id INTEGER PRIMARY KEY,
            boot_id TEXT NOT NULL,       -- of the machine; another one means that it was started anew since
            pid INTEGER NOT NULL,
            host TEXT NOT NULL,          -- the machine's name
            version TEXT NOT NULL,       -- of the program
            started_ms INTEGER NOT NULL,
            ended_ms INTEGER,            -- NULL while it is going on; of a run that died, when that was noticed
            exit INTEGER,                -- the exit code; NULL if it never said
            counters_json TEXT
        ) STRICT;

        CREATE TABLE revision(           -- the manifests that were planned; the newest is in force
            revision_id INTEGER PRIMARY KEY,
            manifest_sha256 TEXT NOT NULL,
            manifest_json TEXT NOT NULL, -- as written, environment variables not expanded
            lists_json TEXT NOT NULL,    -- fingerprints of the lists that were read
            items INTEGER NOT NULL,      -- how many different items it lists
            planned_ms INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE host(               -- what politeness has learned
            host_id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,   -- lower case, with the port if it is not the scheme's; '' for files and data
            rate REAL,                   -- requests a second; NULL: nothing learned
            concurrency INTEGER,
            not_before_ms INTEGER NOT NULL DEFAULT 0,
            fail_streak INTEGER NOT NULL DEFAULT 0,
            breaker TEXT
        ) STRICT;

        CREATE TABLE item(
            item_id INTEGER PRIMARY KEY,
            item_key INTEGER NOT NULL,   -- first 64 bits of SHA-256 of url, headers_json and id, a zero byte between
            ordinal INTEGER NOT NULL,    -- its place in the manifest, over all sources
            listed INTEGER NOT NULL DEFAULT 1 CHECK (listed IN (0, 1)), -- 0: it left the manifest; not counted
            host_id INTEGER NOT NULL REFERENCES host,
            source INTEGER NOT NULL,     -- which of the manifest's sources lists it, from 0
            priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 4), -- 0 very low … 2 normal … 4 very high
            state TEXT NOT NULL CHECK (state = 'pending' OR state = 'running' OR state = 'fetched'
                OR state = 'retry' OR state = 'done' OR state = 'skipped' OR state = 'failed'
                OR state = 'quarantined'),
            generation INTEGER NOT NULL DEFAULT 0, -- how often it got a new set of attempts
            attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0), -- of this generation
            crashes INTEGER NOT NULL DEFAULT 0, -- how often the process died of it
            run_id INTEGER REFERENCES run, -- the run that holds it
            not_before_ms INTEGER NOT NULL DEFAULT 0, -- when a `retry` is due
            updated_ms INTEGER NOT NULL,
            url TEXT NOT NULL,           -- as given
            headers_json TEXT,           -- its own, as written
            id TEXT,
            vars_json TEXT,              -- columns and variables for its paths
            location TEXT NOT NULL,      -- where it is listed, such as urls.txt:17
            validator TEXT,              -- changes when the original does: size and time of a local file
            placement INTEGER,           -- changes when the paths of its outputs do
            cache_key TEXT,              -- of its original in the cache
            original_sha256 TEXT,
            error TEXT,                  -- such as http_404; the names are listed in the manual
            message TEXT,                -- a sentence about it
            CHECK (state <> 'running' OR run_id IS NOT NULL),
            CHECK (run_id IS NULL OR state IN ('running', 'fetched')),
            CHECK (state NOT IN ('fetched', 'done') OR original_sha256 IS NOT NULL),
            CHECK (state NOT IN ('failed', 'quarantined') OR error IS NOT NULL),
            CHECK (state = 'retry' OR not_before_ms = 0)
        ) STRICT;
        CREATE INDEX item_by_key ON item(item_key);
        CREATE INDEX item_by_ordinal ON item(ordinal) WHERE listed = 1;
        CREATE INDEX item_ready ON item(host_id, priority DESC, not_before_ms, state) WHERE \(isReady);
        CREATE INDEX item_retry ON item(not_before_ms) WHERE listed = 1 AND state = 'retry';
        CREATE INDEX item_held ON item(run_id) WHERE run_id IS NOT NULL;
        CREATE INDEX item_problem ON item(ordinal, state, error) WHERE \(isProblem);

        CREATE TABLE recipe(             -- what shapes an output's bytes: a hash of its processors and its format
            recipe_id INTEGER PRIMARY KEY,
            recipe TEXT NOT NULL UNIQUE
        ) STRICT;

        CREATE TABLE wanted(             -- the outputs that the revision in force asks for
            source INTEGER NOT NULL,
            name TEXT NOT NULL,
            recipe_id INTEGER NOT NULL REFERENCES recipe,
            PRIMARY KEY (source, name)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE output(             -- a row when it was made, skipped or failed
            item_id INTEGER NOT NULL REFERENCES item,
            name TEXT NOT NULL,
            recipe_id INTEGER NOT NULL REFERENCES recipe,
            path TEXT,                   -- relative to the destination
            spec_sha256 TEXT,            -- of the original's bytes and the recipe: equal ones have equal bytes
            state TEXT NOT NULL CHECK (state = 'done' OR state = 'skipped' OR state = 'failed'),
            reason TEXT,                 -- why it was skipped or failed
            bytes INTEGER,
            sha256 TEXT,
            width INTEGER,
            height INTEGER,
            encoder TEXT,                -- with its version
            done_ms INTEGER NOT NULL,
            PRIMARY KEY (item_id, name),
            CHECK (state <> 'done' OR (path IS NOT NULL AND bytes IS NOT NULL AND sha256 IS NOT NULL))
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE leftover(           -- files that an output had before it moved to another path
            path TEXT NOT NULL PRIMARY KEY,
            item_id INTEGER NOT NULL,
            name TEXT NOT NULL,
            bytes INTEGER,
            sha256 TEXT,
            left_ms INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE attempt(            -- append only; the last 20 of an item are kept
            item_id INTEGER NOT NULL REFERENCES item,
            n INTEGER NOT NULL,          -- from 1, over all generations
            generation INTEGER NOT NULL,
            run_id INTEGER NOT NULL,
            started_ms INTEGER NOT NULL,
            ms INTEGER NOT NULL,
            outcome TEXT NOT NULL,
            error TEXT,
            code INTEGER,                -- of the transfer library
            http INTEGER,                -- the status
            bytes INTEGER,
            peer_ip TEXT,
            detail TEXT,
            PRIMARY KEY (item_id, n)
        ) STRICT, WITHOUT ROWID;
        """
}
