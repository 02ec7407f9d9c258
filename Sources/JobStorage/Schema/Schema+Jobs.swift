extension Schema {
    // The state `fetched` and some columns were never used; step 052 drops what can be dropped.
    static let createJobs = """
        CREATE TABLE run(                -- the runs of the job
            run_id INTEGER PRIMARY KEY,  -- counts from 1
            boot_id TEXT NOT NULL,       -- identifies the machine's boot; differs after each restart of the machine
            pid INTEGER NOT NULL,        -- process ID
            host TEXT NOT NULL,          -- name of the machine
            version TEXT NOT NULL,       -- version of nuke-batch
            started_ms INTEGER NOT NULL, -- start time
            ended_ms INTEGER,            -- end time; NULL during the run; for a crashed run, the time when the crash was noticed
            exit INTEGER,                -- exit code; NULL during the run and after a crash
            counters_json TEXT           -- totals of the run, as a JSON object
        ) STRICT;

        CREATE TABLE revision(           -- the manifests that were planned; the newest is the current one
            revision_id INTEGER PRIMARY KEY, -- counts from 1
            manifest_sha256 TEXT NOT NULL, -- hash of the manifest
            manifest_json TEXT NOT NULL, -- unused
            lists_json TEXT NOT NULL,    -- fingerprints of the lists that were read
            items INTEGER NOT NULL,      -- number of distinct items
            planned_ms INTEGER NOT NULL  -- time when it was planned
        ) STRICT;

        CREATE TABLE host(               -- the hosts of the items, with what rate limiting has learned about them
            host_id INTEGER PRIMARY KEY, -- row ID
            name TEXT NOT NULL UNIQUE,   -- in lower case, with any port but the default; '' for files and data: URLs
            rate REAL,                   -- requests per second; NULL: nothing learned
            concurrency INTEGER,         -- unused
            not_before_ms INTEGER NOT NULL DEFAULT 0, -- no request before this time; 0: no wait
            fail_streak INTEGER NOT NULL DEFAULT 0, -- failures in a row
            breaker TEXT                 -- circuit breaker: open or down; NULL: closed
        ) STRICT;

        CREATE TABLE item(               -- the items of the job, including those that left the manifest
            item_id INTEGER PRIMARY KEY, -- row ID
            item_key INTEGER NOT NULL,   -- first 64 bits of SHA-256 over url, headers_json and id, joined by zero bytes
            ordinal INTEGER NOT NULL,    -- position in the manifest, over all sources, from 1
            listed INTEGER NOT NULL DEFAULT 1 CHECK (listed IN (0, 1)), -- 0: the item left the manifest
            host_id INTEGER NOT NULL REFERENCES host, -- the host of the URL
            source INTEGER NOT NULL,     -- index of the manifest's source that lists the item, from 0
            priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 4), -- 0 very low, 2 normal, 4 very high
            state TEXT NOT NULL CHECK (state = 'pending' OR state = 'running' OR state = 'fetched'
                OR state = 'retry' OR state = 'done' OR state = 'skipped' OR state = 'failed'
                OR state = 'quarantined'), -- pending, running, retry, done, skipped, failed or quarantined
            generation INTEGER NOT NULL DEFAULT 0, -- number of times that the item was given a new set of attempts
            attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0), -- attempts in this generation
            crashes INTEGER NOT NULL DEFAULT 0, -- crashes of the process while it worked on the item
            run_id INTEGER REFERENCES run, -- the run that is processing the item; NULL if none
            not_before_ms INTEGER NOT NULL DEFAULT 0, -- when an item in state retry is due
            updated_ms INTEGER NOT NULL, -- time of the last change
            url TEXT NOT NULL,           -- as given
            headers_json TEXT,           -- the item's own headers, as written
            id TEXT,                     -- the item's ID from the manifest or list
            vars_json TEXT,              -- columns and variables for output paths, as a JSON object
            location TEXT NOT NULL,      -- where the item is listed, such as urls.txt:17
            validator TEXT,              -- changes when the original changes: size and time of a local file
            placement INTEGER,           -- changes when the paths of the item's outputs change
            cache_key TEXT,              -- key of the original in the cache
            original_sha256 TEXT,        -- hash of the original; '' if outputs were adopted and no run has loaded it
            error TEXT,                  -- error name, such as http_404
            message TEXT,                -- one sentence about the error, or the reason of a skipped item
            CHECK (state <> 'running' OR run_id IS NOT NULL),
            CHECK (run_id IS NULL OR state IN ('running', 'fetched')),
            CHECK (state NOT IN ('fetched', 'done') OR original_sha256 IS NOT NULL),
            CHECK (state NOT IN ('failed', 'quarantined') OR error IS NOT NULL),
            CHECK (state = 'retry' OR not_before_ms = 0)
        ) STRICT;
        CREATE INDEX item_by_key ON item(item_key);
        CREATE INDEX item_by_ordinal ON item(ordinal) WHERE listed = 1;
        CREATE INDEX item_ready ON item(host_id, priority DESC, not_before_ms, state)
            WHERE listed = 1 AND run_id IS NULL AND (state = 'pending' OR state = 'retry' OR state = 'fetched');
        CREATE INDEX item_retry ON item(not_before_ms) WHERE listed = 1 AND state = 'retry';
        CREATE INDEX item_held ON item(run_id) WHERE run_id IS NOT NULL;
        CREATE INDEX item_problem ON item(ordinal, state, error) WHERE \(isProblem);

        CREATE TABLE recipe(             -- the settings that determine an output's bytes, besides its original
            recipe_id INTEGER PRIMARY KEY, -- row ID
            recipe TEXT NOT NULL UNIQUE  -- opaque text, compared only for equality
        ) STRICT;

        CREATE TABLE wanted(             -- the outputs that the current revision asks for
            source INTEGER NOT NULL,     -- the manifest's source, from 0
            name TEXT NOT NULL,          -- output name
            recipe_id INTEGER NOT NULL REFERENCES recipe, -- the current recipe
            PRIMARY KEY (source, name)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE output(             -- the outputs that were made, skipped or failed
            item_id INTEGER NOT NULL REFERENCES item, -- the item
            name TEXT NOT NULL,          -- output name
            recipe_id INTEGER NOT NULL REFERENCES recipe, -- the recipe that it was made with
            path TEXT,                   -- path relative to the destination
            spec_sha256 TEXT,            -- hash of the original's bytes and the recipe: equal hashes mean equal bytes
            state TEXT NOT NULL CHECK (state = 'done' OR state = 'skipped' OR state = 'failed'), -- done, skipped or failed
            reason TEXT,                 -- reason of a skipped or failed output; adopted if another tool made it
            bytes INTEGER,               -- file size
            sha256 TEXT,                 -- hash of the file
            width INTEGER,               -- in pixels
            height INTEGER,              -- in pixels
            encoder TEXT,                -- encoder with its version
            done_ms INTEGER NOT NULL,    -- time when it was recorded
            PRIMARY KEY (item_id, name),
            CHECK (state <> 'done' OR (path IS NOT NULL AND bytes IS NOT NULL AND sha256 IS NOT NULL))
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE leftover(           -- files of outputs that moved or failed, and those that a run is about to write
            path TEXT NOT NULL PRIMARY KEY, -- path relative to the destination
            item_id INTEGER NOT NULL,    -- the item
            name TEXT NOT NULL,          -- output name
            bytes INTEGER,               -- file size
            sha256 TEXT,                 -- hash of the file
            left_ms INTEGER NOT NULL     -- time of the record
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE attempt(            -- attempts at items; the last 20 of each item are kept
            item_id INTEGER NOT NULL REFERENCES item, -- the item
            n INTEGER NOT NULL,          -- number of the attempt, from 1, over all generations
            generation INTEGER NOT NULL, -- the set of attempts that it belongs to, counted from 0
            run_id INTEGER NOT NULL,     -- the run that made it
            started_ms INTEGER NOT NULL, -- start time
            ms INTEGER NOT NULL,         -- duration in milliseconds
            outcome TEXT NOT NULL,       -- done, skipped, failed, retry or interrupted
            error TEXT,                  -- error name
            code INTEGER,                -- unused
            http INTEGER,                -- HTTP status
            bytes INTEGER,               -- size of the original
            peer_ip TEXT,                -- unused
            detail TEXT,                 -- one sentence about the error
            PRIMARY KEY (item_id, n)
        ) STRICT, WITHOUT ROWID;
        """
}
