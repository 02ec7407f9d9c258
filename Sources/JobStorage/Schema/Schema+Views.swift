extension Schema {
    /// Views with readable times (RFC 3339, UTC) and durations in seconds, for `sqlite3`.
    ///
    /// The program itself reads the tables alone.
    static let addViews = """
        CREATE VIEW items_view AS        -- the items in the current manifest
        SELECT i.ordinal,
            i.item_id,
            i.id,
            i.url,
            i.state,
            i.error,
            i.message,
            i.attempts,
            CASE i.priority WHEN 0 THEN 'veryLow' WHEN 1 THEN 'low' WHEN 2 THEN 'normal' WHEN 3 THEN 'high'
                ELSE 'veryHigh' END AS priority, -- veryLow, low, normal, high or veryHigh
            h.name AS host,              -- in lower case; '' for files and data: URLs
            i.source,
            i.location,
            i.generation,
            i.crashes,
            i.run_id,
            CASE WHEN i.not_before_ms > 0
                THEN strftime('%Y-%m-%dT%H:%M:%fZ', i.not_before_ms / 1000.0, 'unixepoch') END
                AS not_before,           -- when an item in state retry is due
            strftime('%Y-%m-%dT%H:%M:%fZ', i.updated_ms / 1000.0, 'unixepoch') AS updated, -- time of the last change
            i.original_sha256,
            i.cache_key,
            i.facts,
            i.vars_json
        FROM item i JOIN host h USING (host_id) WHERE i.listed = 1;

        \(outputsView("o.encoder"));

        CREATE VIEW attempts_view AS     -- attempts at items; the last 20 of each item are kept
        SELECT a.item_id,
            i.url,
            a.n,
            a.run_id,
            strftime('%Y-%m-%dT%H:%M:%fZ', a.started_ms / 1000.0, 'unixepoch') AS started, -- start time
            a.ms / 1000.0 AS seconds,    -- duration
            a.outcome,
            a.error,
            a.http,
            a.bytes,
            a.detail,
            a.generation
        FROM attempt a JOIN item i USING (item_id);

        CREATE VIEW runs_view AS         -- the runs of the job
        SELECT r.run_id,
            strftime('%Y-%m-%dT%H:%M:%fZ', r.started_ms / 1000.0, 'unixepoch') AS started, -- start time
            strftime('%Y-%m-%dT%H:%M:%fZ', r.ended_ms / 1000.0, 'unixepoch') AS ended, -- end time
            (r.ended_ms - r.started_ms) / 1000.0 AS seconds, -- duration; NULL during the run
            r.exit,
            r.version,
            r.host,
            r.pid,
            r.counters_json
        FROM run r;

        CREATE VIEW hosts_view AS        -- the hosts of the items, with what rate limiting has learned about them
        SELECT h.name,
            h.rate,
            CASE WHEN h.not_before_ms > 0
                THEN strftime('%Y-%m-%dT%H:%M:%fZ', h.not_before_ms / 1000.0, 'unixepoch') END
                AS not_before,           -- no request before this time; NULL: no wait
            h.fail_streak,
            h.breaker
        FROM host h;

        CREATE VIEW requests_view AS     -- the network log; the newest 100,000 requests are kept
        SELECT q.request_id,
            q.run_id,
            strftime('%Y-%m-%dT%H:%M:%fZ', q.started_ms / 1000.0, 'unixepoch')
                AS started,              -- time when it was queued
            q.method,
            q.url,
            q.status,
            q.error,
            q.bytes,
            (coalesce(q.blocked_us, 0) + coalesce(q.dns_us, 0) + coalesce(q.connect_us, 0) + q.wait_us + q.receive_us)
                / 1000000.0 AS seconds,  -- duration, including the time in the queue
            q.blocked_us / 1000000.0 AS blocked, -- seconds in the queue
            q.dns_us / 1000000.0 AS dns, -- seconds of name lookup
            q.connect_us / 1000000.0 AS connect, -- seconds of connecting, including TLS
            q.tls_us / 1000000.0 AS tls, -- seconds of the TLS handshake
            q.wait_us / 1000000.0 AS wait, -- seconds from the connection to the first byte of the response
            q.receive_us / 1000000.0 AS receive, -- seconds from the first byte to the last
            q.protocol,
            q.peer_ip,
            q.redirects
        FROM request q;

        CREATE VIEW revisions_view AS    -- the manifests that were planned; the newest is the current one
        SELECT v.revision_id,
            strftime('%Y-%m-%dT%H:%M:%fZ', v.planned_ms / 1000.0, 'unixepoch') AS planned, -- time when it was planned
            v.items,
            v.duplicates,
            v.manifest_sha256
        FROM revision v;

        CREATE VIEW shards_view AS       -- the tar files of a dataset
        SELECT s.destination,
            s.number,
            s.items,
            s.bytes,
            strftime('%Y-%m-%dT%H:%M:%fZ', s.complete_ms / 1000.0, 'unixepoch')
                AS completed             -- completion time; NULL while it is being written
        FROM shard s
        """

    /// Makes the view of the outputs, which has these columns after the hash of the file.
    static func outputsView(_ columns: String...) -> String {
        """
        CREATE VIEW outputs_view AS      -- the outputs that were made, skipped or failed
        SELECT o.item_id,
            i.url,
            o.name,
            o.state,
            o.reason,
            o.path,
            o.bytes,
            o.width,
            o.height,
            o.sha256,
            \(columns.joined(separator: ",\n    ")),
            o.shard_offset,
            i.listed = 1 AND w.name IS NOT NULL AS wanted, -- 1 if the current manifest asks for exactly this output
            strftime('%Y-%m-%dT%H:%M:%fZ', o.done_ms / 1000.0, 'unixepoch') AS recorded -- time when it was recorded
        FROM output o JOIN item i USING (item_id)
            LEFT JOIN wanted w ON w.source = i.source AND w.name = o.name AND w.recipe_id = o.recipe_id
        """
    }
}
