extension Schema {
    static let addMarkup = """
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
}
