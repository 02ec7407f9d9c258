extension Schema {
    static let packShards = """
        CREATE TABLE shard(              -- the tar files of a dataset
            shard_id INTEGER PRIMARY KEY, -- row ID
            destination TEXT NOT NULL,   -- as written in the manifest
            number INTEGER NOT NULL,     -- 3 is 00003.tar, and 00003.tar.part while it is being written
            items INTEGER NOT NULL DEFAULT 0, -- number of items in it
            bytes INTEGER NOT NULL DEFAULT 0, -- durable size; bytes of a .part file beyond it are discarded
            complete_ms INTEGER,         -- completion time; NULL while it is being written
            UNIQUE (destination, number)
        ) STRICT;
        CREATE UNIQUE INDEX shard_open ON shard(destination) WHERE complete_ms IS NULL;
        ALTER TABLE output
            ADD COLUMN shard_offset /* offset of the bytes in their shard; NULL: a file of its own */ INTEGER;

        CREATE TABLE dataset_index(      -- index files that match the state; a run with work to do deletes the rows first
            path TEXT NOT NULL PRIMARY KEY, -- absolute path
            revision_id INTEGER NOT NULL, -- the revision that it was written for
            written_ms INTEGER NOT NULL  -- time when it was written
        ) STRICT, WITHOUT ROWID
        """

    static let addUploads = """
        ALTER TABLE shard ADD COLUMN
            upload /* an object store's identifier of its upload in parts; NULL: a file, or not begun */ TEXT;
        CREATE TABLE shard_part(         -- parts of an unfinished tar file that an object store has acknowledged
            shard_id INTEGER NOT NULL REFERENCES shard(shard_id), -- the tar file
            number INTEGER NOT NULL,     -- number of the part, from 1
            etag TEXT NOT NULL,          -- entity tag that the store gave it
            sha256 TEXT,                 -- SHA-256 in base64 that the store told; NULL: it keeps none
            bytes INTEGER NOT NULL,      -- size
            PRIMARY KEY (shard_id, number)
        ) STRICT, WITHOUT ROWID
        """

    static let addShardStatistics = """
        ALTER TABLE shard ADD COLUMN
            outputs /* number of outputs in it; NULL: begun by an earlier release */ INTEGER;
        ALTER TABLE shard ADD COLUMN
            output_bytes /* size of the outputs in it; NULL: begun by an earlier release */ INTEGER;
        ALTER TABLE shard ADD COLUMN first_ms /* time when its first items were recorded; NULL: it has none */ INTEGER;
        ALTER TABLE shard ADD COLUMN last_ms /* time when its last items were recorded; NULL: it has none */ INTEGER
        """
}
