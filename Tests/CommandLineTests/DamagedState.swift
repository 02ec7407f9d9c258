import Foundation
import SQLite

/// Damage to a job's state.
enum DamagedState {
    /// Overwrites a page of an index: damage that leaves the tables as they are, so that all rows can be read.
    static func breakIndex(at path: String) throws {
        let connection = try Connection(path: path)
        let page = try connection.integer(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'item_by_ordinal'"
        )
        let size = try connection.integer("PRAGMA page_size")
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64((page - 1) * size))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 512))
        try file.close()
    }
}
