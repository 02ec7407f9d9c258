import Files
import Foundation
import Imaging
import Nuke

/// The bytes that an item's URL gave.
struct Original: Sendable {
    /// Where the bytes came from.
    enum Source: Sendable {
        case network, cache, file
    }

    let data: Data
    let sha256: String
    let source: Source
    /// What asking its origin again came to; nil where that was not asked.
    var revalidation: Revalidation.Result?
    /// Whether the network brought it for another item that wanted it at the same time.
    var isShared = false
    /// Where the cache keeps it; nil where it is not cached.
    let cacheKey: String?
    /// The HTTP status, where it came from the network.
    let status: Int?
    /// Whether the transfer proved that nothing is missing at the end: by a length, or by the end of chunks.
    let isLengthProven: Bool
    /// What its origin says of the use by programs (`X-Robots-Tag`), where that is asked for.
    let robots: String?
    /// Its room in the backlog, as long as it is in memory; nil in a child, which has no backlog.
    var place: Backlog.Place?
    /// Returns when the cache has it durably.
    let stored: @Sendable () async throws -> Void

    /// Waits until the cache has it durably, or has let it go again.
    ///
    /// One that is larger than the whole cache is not kept, unless that is all that was wanted of it.
    /// - Throws: `ItemError` where the machine is in the way.
    func waitUntilDurable(inWarming isWarming: Bool = false) async throws(ItemError) {
        do {
            try await stored()
        } catch DataCacheError.notStored, DataCacheError.removed {
            // It made room for others already: what must stay is pinned, and missed there.
        } catch DataCacheError.noRoom(_, let size, let limit, _) where size > limit && !isWarming {
            // Its outputs are none the worse.
        } catch DataCacheError.noRoom(let key, let size, let limit, let path) {
            throw ItemError(
                "local",
                """
                the cache \(path) has no room for the \(RunReport.size(size)) of \(ItemListing.shown(key)) \
                (cache.sizeLimit is \(RunReport.size(limit))): raise cache.sizeLimit, or end the jobs that keep their \
                originals in it
                """,
                .local
            )
        } catch {
            throw ItemError("local", "the original cannot be kept: \(error)", .local)
        }
    }

    /// The item's error for a failure to decode these bytes.
    func explain(_ error: any Error) -> ItemError {
        guard let error = error as? ImagingError else { return ItemError(error) }
        guard error.reason == .truncated else { return ItemError(error) }
        // Without a proven length the transfer may have been cut where nobody could see it; with one,
        // the origin's own file is cut, and loading it again gives the same.
        return source == .network && !isLengthProven
            ? ItemError("truncated", error.message, .retry(atMost: 2))
            : ItemError("corrupt", error.message)
    }
}
