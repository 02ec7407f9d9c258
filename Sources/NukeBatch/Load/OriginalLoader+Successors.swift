import Files
import Imaging
import JobPlanning
import Originals

/// What replaces a cached original, and what does not.
extension OriginalLoader {
    /// Removes an original that cannot be decoded from the cache, so that the next attempt loads it again.
    ///
    /// One that would have replaced another is not there yet, and the other stays.
    func forget(_ original: Original) {
        guard let key = original.cacheKey, !original.isSuccessor else { return }
        cache?.removeData(for: key)
    }

    /// Checks an original that nothing is made of before it replaces another: an image is not replaced by an error page.
    /// - Throws: `ItemError`.
    func checkSuccessor(_ original: Original) async throws(ItemError) {
        guard original.isSuccessor, let key = original.cacheKey, let cache else { return }
        do {
            try await reading.run {
                do {
                    _ = try original.readHeader()
                } catch {
                    // What was no image before, or is none that this build reads, may be replaced by anything.
                    guard let known = cache.cachedData(for: key), (try? ImageHeader.read(known)) != nil else {
                        return
                    }
                    throw error
                }
            }
        } catch {
            throw original.explain(error)
        }
    }
}
