extension Schema {
    static let addCollisions = """
        CREATE TABLE collision(          -- outputs that are not made, because an earlier row has their path
            item_id INTEGER NOT NULL REFERENCES item, -- the item
            name TEXT NOT NULL,          -- output name
            path TEXT NOT NULL,          -- path relative to the destination
            owner TEXT NOT NULL,         -- where the row that has the path is listed, such as urls.txt:17
            is_skipped INTEGER NOT NULL, -- 1: the output is skipped; 0: it fails
            PRIMARY KEY (item_id, name)
        ) STRICT, WITHOUT ROWID
        """
}
