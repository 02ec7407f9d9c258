extension Schema {
    /// The format of each file, which is not in every path, and not in the manifest where the smallest file decides.
    static let addFormats = """
        ALTER TABLE output ADD COLUMN
            format /* file format, such as webp; NULL: there is no file, or an earlier release recorded it */ TEXT;
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
            o.format,
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
