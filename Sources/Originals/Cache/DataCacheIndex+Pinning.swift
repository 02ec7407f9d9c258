import SQLite

/// The pins of an index: rows that outlive the process that made them.
extension DataCacheIndex {
    /// Pins the files `names` for `owner`, whether they are there yet or not.
    func pin(_ names: [String], by owner: String) async throws {
        try await database.write { connection in
            for name in names { try Self.pin(name, by: owner, connection) }
        }
    }

    /// Ends the pins of `owner` on `names`, or all that it has.
    func unpin(_ names: [String]?, by owner: String) async throws {
        try await database.write { connection in
            let mine = "owner_id = (SELECT owner_id FROM owner WHERE path = ?1)"
            if let names {
                let statement = try connection.statement("DELETE FROM pin WHERE \(mine) AND name = ?2")
                for name in names { try statement.run(owner, name) }
            } else {
                try connection.statement("DELETE FROM pin WHERE \(mine)").run(owner)
            }
            // An owner without pins is none.
            let isIdle = "NOT EXISTS (SELECT 1 FROM pin WHERE pin.owner_id = owner.owner_id)"
            try connection.statement("DELETE FROM owner WHERE path = ? AND \(isIdle)").run(owner)
        }
    }

    /// Pins the file `name` within a transaction.
    static func pin(_ name: String, by owner: String, _ connection: Connection) throws {
        try connection.statement("INSERT OR IGNORE INTO owner (path) VALUES (?)").run(owner)
        try connection.statement(
            "INSERT OR IGNORE INTO pin SELECT owner_id, ?2 FROM owner WHERE path = ?1"
        ).run(owner, name)
    }

    /// Returns the bytes of all pinned entries, and the owners of the pins.
    func pins() throws -> (size: Int, owners: [String]) {
        try read { connection in
            let size: Int? = try connection.statement("SELECT pinned_size FROM state").scalar()
            let owners = "SELECT path FROM owner WHERE owner_id IN (SELECT owner_id FROM pin) ORDER BY path"
            return (size ?? 0, try connection.statement(owners).scalars())
        }
    }
}
