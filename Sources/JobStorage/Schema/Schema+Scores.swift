extension Schema {
    /// The quality of each file, and its likeness to the image if the manifest asks for one.
    static let addScores = """
        ALTER TABLE output ADD COLUMN
            quality /* quality in the format's own numbers; NULL: nothing was lost, or an earlier release made it */ INTEGER;
        ALTER TABLE output ADD COLUMN
            ssimulacra2 /* score of SSIMULACRA2; NULL: the manifest asks for none */ REAL;
        ALTER TABLE output ADD COLUMN
            shortfall /* reason why the score is below the one asked for: quality or maxBytes; NULL: it is not */ TEXT;
        CREATE INDEX output_shortfall ON output(shortfall) WHERE shortfall IS NOT NULL;
        DROP VIEW outputs_view;
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
            o.encoder,
            o.quality,
            o.ssimulacra2,
            o.shortfall,
            o.shard_offset,
            i.listed = 1 AND w.name IS NOT NULL AS wanted, -- 1 if the current manifest asks for exactly this output
            strftime('%Y-%m-%dT%H:%M:%fZ', o.done_ms / 1000.0, 'unixepoch') AS recorded -- time when it was recorded
        FROM output o JOIN item i USING (item_id)
            LEFT JOIN wanted w ON w.source = i.source AND w.name = o.name AND w.recipe_id = o.recipe_id
        """
}
