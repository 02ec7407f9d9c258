import Foundation
import Nuke

extension DataCache {
    /// Opens a cache that sweeps only when told to.
    ///
    /// The sweep of its own, five seconds after opening, would meet the tests that take longer on a busy machine.
    convenience init(
        unsweptAt path: URL,
        filenameGenerator: @escaping FilenameGenerator = DataCache.filename(for:)
    ) throws {
        try self.init(path: path, filenameGenerator: filenameGenerator)
        isSweepEnabled = false
    }
}
