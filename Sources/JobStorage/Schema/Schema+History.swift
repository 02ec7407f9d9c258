extension Schema {
    /// The reason and the circumstances of each run's end, and an index that counts skipped items by their reasons.
    ///
    /// SQLite takes all from the index only if the columns of its condition are in it.
    static let addHistory = """
        ALTER TABLE run ADD COLUMN
            stopped /* reason for which the run ended early, in a sentence; NULL: it did not, or none is recorded */ TEXT;
        ALTER TABLE run ADD COLUMN
            changes /* differences of its manifest from that of the run before, as a JSON object; NULL: not known */ TEXT;
        ALTER TABLE run ADD COLUMN
            refused /* runs that were refused since it began, because the job was held */ INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE run ADD COLUMN
            refused_ms /* time when the last of them was refused; NULL: none was */ INTEGER;
        CREATE INDEX item_skipped ON item(message, state, listed) WHERE listed = 1 AND state = 'skipped';
        DROP VIEW runs_view;
        CREATE VIEW runs_view AS         -- the runs of the job
        SELECT r.run_id,
            strftime('%Y-%m-%dT%H:%M:%fZ', r.started_ms / 1000.0, 'unixepoch') AS started, -- start time
            strftime('%Y-%m-%dT%H:%M:%fZ', r.ended_ms / 1000.0, 'unixepoch') AS ended, -- end time
            (r.ended_ms - r.started_ms) / 1000.0 AS seconds, -- duration; NULL during the run
            r.exit,
            r.stopped,
            r.changes,
            r.refused,
            r.version,
            r.host,
            r.pid,
            r.counters_json
        FROM run r
        """
}
