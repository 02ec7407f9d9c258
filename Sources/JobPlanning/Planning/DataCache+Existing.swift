import Files
import Foundation
package import Originals

/// Caches that earlier runs have made: what only looks at one makes none.
extension DataCache {
    /// Returns true if there is a cache in `folder`.
    /// - Throws: `RunError.machine` if that cannot be found out.
    package static func exists(in folder: String) throws(RunError) -> Bool {
        do throws(FileError) {
            return try Presence.exists(folder + "/index.sqlite")
        } catch {
            throw .machine("the cache \(folder) cannot be looked into: \(error)")
        }
    }

    /// Opens the cache in `folder`; nil if there is none.
    /// - Throws: `RunError.machine` if it cannot be opened, or if that cannot be found out.
    package static func existing(in folder: String) throws(RunError) -> DataCache? {
        guard try exists(in: folder) else { return nil }
        do {
            return try DataCache(path: URL(fileURLWithPath: folder, isDirectory: true))
        } catch {
            throw .machine("the cache \(folder) cannot be opened: \(error)")
        }
    }
}
