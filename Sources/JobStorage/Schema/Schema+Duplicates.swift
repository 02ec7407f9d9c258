extension Schema {
    static let addDuplicates = """
        CREATE TABLE duplicate(          -- items that are not made because earlier ones have the same original (dataset.deduplicate)
            item_id INTEGER PRIMARY KEY REFERENCES item, -- the item
            twin_id INTEGER NOT NULL REFERENCES item, -- the first item with that original
            original_sha256 TEXT NOT NULL, -- hash of the item's original when the two were compared
            distance INTEGER NOT NULL    -- differing bits of their perceptual hashes; 0 for equal bytes
        ) STRICT
        """
}
