public import Foundation
public import Originals

extension DataCache {
    /// Opens a cache that sweeps only when told to.
    ///
    /// The sweep of its own, five seconds after opening, would meet the tests that take longer on a busy machine.
    /// - Throws: As the cache itself.
    public convenience init(
        unsweptAt path: URL,
        filenameGenerator: @escaping FilenameGenerator = DataCache.filename(for:)
    ) throws {
        try self.init(path: path, filenameGenerator: filenameGenerator)
        isSweepEnabled = false
    }
}
