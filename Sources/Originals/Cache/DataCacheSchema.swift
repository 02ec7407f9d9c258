import SQLite

/// The tables of a cache's `index.sqlite`.
enum DataCacheSchema {
    /// Marks the file as an index of this cache ("NUKC").
    static let applicationID: Int32 = 0x4E55_4B43

    /// The steps to the newest schema; never edited, only appended to.
    static let migrations = [
        Migration(
            "001-entries-and-pins",
            """
            CREATE TABLE entry (
              name TEXT PRIMARY KEY,
              key TEXT NOT NULL,
              size INTEGER NOT NULL,
              sha256 BLOB NOT NULL,
              created INTEGER NOT NULL,  -- microseconds since 1970
              used INTEGER NOT NULL,     -- likewise, but never twice the same and never backwards
              epoch INTEGER NOT NULL,    -- of the index when the bytes were last known to be good
              pins INTEGER NOT NULL,     -- rows of `pin` with this name
              final_url TEXT, content_type TEXT, etag TEXT, last_modified TEXT
            ) STRICT;
            CREATE INDEX entry_by_use ON entry (used) WHERE pins = 0;

            CREATE TABLE owner (owner_id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE) STRICT;
            CREATE TABLE pin (
              owner_id INTEGER NOT NULL REFERENCES owner, name TEXT NOT NULL, PRIMARY KEY (owner_id, name)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX pin_by_name ON pin (name);

            -- One row: what would need a scan if it were not kept.
            CREATE TABLE state (
              count INTEGER NOT NULL, size INTEGER NOT NULL, last_used INTEGER NOT NULL,
              epoch INTEGER NOT NULL, is_clean INTEGER NOT NULL, last_sweep INTEGER NOT NULL
            ) STRICT;
            INSERT INTO state VALUES (0, 0, 0, 0, 1, 0);

            CREATE TRIGGER entry_added AFTER INSERT ON entry BEGIN
              UPDATE state SET count = count + 1, size = size + new.size, last_used = max(last_used, new.used);
            END;
            CREATE TRIGGER entry_changed AFTER UPDATE OF size, used ON entry BEGIN
              UPDATE state SET size = size + new.size - old.size, last_used = max(last_used, new.used);
            END;
            CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
              UPDATE state SET count = count - 1, size = size - old.size;
            END;
            CREATE TRIGGER pin_added AFTER INSERT ON pin BEGIN
              UPDATE entry SET pins = pins + 1 WHERE name = new.name;
            END;
            CREATE TRIGGER pin_removed AFTER DELETE ON pin BEGIN
              UPDATE entry SET pins = pins - 1 WHERE name = old.name;
            END;
            """
        ),
        Migration(
            "002-what-a-file-looks-like",
            """
            -- The number and the time of the file when it was last known to be good; another is looked at closely.
            ALTER TABLE entry ADD COLUMN inode INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE entry ADD COLUMN modified INTEGER NOT NULL DEFAULT 0;
            -- Of the bytes, where the file holds them compressed.
            ALTER TABLE entry ADD COLUMN length INTEGER;

            ALTER TABLE state ADD COLUMN pinned_size INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE state ADD COLUMN has_evicted INTEGER NOT NULL DEFAULT 0;  -- since the last sweep
            ALTER TABLE state ADD COLUMN boot TEXT NOT NULL DEFAULT '';  -- of the machine, when it was last opened
            UPDATE state SET pinned_size = (SELECT coalesce(sum(size), 0) FROM entry WHERE pins > 0);

            DROP TRIGGER entry_added;
            DROP TRIGGER entry_changed;
            DROP TRIGGER entry_removed;
            CREATE TRIGGER entry_added AFTER INSERT ON entry BEGIN
              UPDATE state SET count = count + 1, size = size + new.size, last_used = max(last_used, new.used),
                pinned_size = pinned_size + (new.pins > 0) * new.size;
            END;
            CREATE TRIGGER entry_changed AFTER UPDATE OF size, used, pins ON entry BEGIN
              UPDATE state SET size = size + new.size - old.size, last_used = max(last_used, new.used),
                pinned_size = pinned_size + (new.pins > 0) * new.size - (old.pins > 0) * old.size;
            END;
            CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
              UPDATE state SET count = count - 1, size = size - old.size,
                pinned_size = pinned_size - (old.pins > 0) * old.size;
            END;
            """
        ),
        Migration(
            "003-partial-downloads",
            """
            CREATE TABLE partial (
              name TEXT PRIMARY KEY,     -- of its file in the folder `partial`
              key TEXT NOT NULL,
              size INTEGER NOT NULL,     -- bytes that are durable in the file
              sha256 BLOB NOT NULL,      -- of these bytes
              total INTEGER NOT NULL,    -- bytes of the whole
              etag TEXT, last_modified TEXT,
              updated INTEGER NOT NULL   -- microseconds since 1970
            ) STRICT;
            CREATE INDEX partial_by_age ON partial (updated);
            """
        ),
        Migration(
            "004-freshness",
            """
            -- What says for how long the bytes may be used without asking the origin again.
            ALTER TABLE entry ADD COLUMN answered INTEGER;  -- when the origin last sent or confirmed them, microseconds
            ALTER TABLE entry ADD COLUMN freshness TEXT;    -- fields of that answer, a line each
            """
        ),
        Migration(
            "005-coding",
            """
            -- The form of the bytes in the file: 1 compressed (RFC 1951), 2 a JPEG as JPEG XL, 3 a JPEG that is none; null as they are.
            ALTER TABLE entry ADD COLUMN coding INTEGER;
            UPDATE entry SET coding = 1 WHERE length IS NOT NULL;
            """
        ),
    ]
}
