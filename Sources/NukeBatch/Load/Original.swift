import Files
import Foundation
import Imaging
import JobManifest
import JobPlanning
import Originals

/// The bytes loaded from an item's URL.
struct Original: Sendable {
    /// The source of the bytes.
    enum Source: Sendable {
        case network, cache, file
    }

    let data: Data
    /// The mapping that the data is read from; nil for data in memory.
    var mapping: MappedFile?
    let sha256: String
    let source: Source
    /// The result of revalidation; nil if it was not revalidated.
    var revalidation: Revalidation.Result?
    /// True if its entity tag is not the one that this run's listing has told: the listing says nothing of these bytes.
    var isOtherVersion = false
    /// True if its transfer was shared with another item that loaded it at the same time.
    var isShared = false
    /// True if the cache has a predecessor under its key, which stays until this one has been decoded and is stored.
    var isSuccessor = false
    /// Its key in the cache; nil if it is not cached.
    var cacheKey: String?
    /// The HTTP status, if it came from the network.
    var status: Int?
    /// True if the transfer proved that the end is not missing: by a length, or by the last chunk.
    let isLengthProven: Bool
    /// True if the transfer may have been cut off without a sign of it.
    var mayBeCutOff: Bool { source == .network && !isLengthProven }
    /// The origin's `X-Robots-Tag`, if the manifest honours it.
    var robots: String?
    /// Its reservation while it is in memory; nil in a child process, which has no backpressure.
    var reservation: LoadBackpressure.Reservation?
    /// The metadata of the answer, or of the entry in the cache, for messages and for adopted outputs; nil for a file.
    var metadata: DataCache.Metadata?
    /// Returns when it is durable in the cache.
    var stored: @Sendable () async throws -> Void = {}
    /// Returns the cache's file of it once it is durable; nil without one.
    var storedFile: @Sendable () -> DurableFile? = { nil }

    /// The smallest original whose copies share its file: the look for that costs as much as writing so many bytes
    /// (measured with outputs of 67 bytes, 20 kB and 50 kB: 8 % more time, none, 13 % less).
    private static let leastShared = 16 * 1024

    /// Reads the header; an original that may be cut off must not end within what follows the first frame.
    func readHeader() throws(ImagingError) -> ImageHeader {
        let header = try ImageHeader.read(data)
        if mayBeCutOff { try ImageDecoder.checkEnd(of: data, header: header) }
        return header
    }

    /// Waits until it is durable in the cache, and returns its file there, which copies of it can share.
    ///
    /// It is nil without one, and for a small original.
    func sharedFile() async -> DurableFile? {
        guard data.count >= Self.leastShared, (try? await stored()) != nil else { return nil }
        return storedFile()
    }

    /// Waits until it is durable in the cache, or evicted again.
    ///
    /// An original larger than the whole cache is not kept; this is an error only if the run warms the cache.
    /// - Returns: True if it is durable in the cache.
    /// - Throws: `ItemError` for a local problem.
    @discardableResult
    func waitUntilDurable(inWarming isWarming: Bool = false) async throws(ItemError) -> Bool {
        do {
            try await stored()
            return true
        } catch DataCacheError.notStored, DataCacheError.removed {
            // It was evicted already; an original that must stay is pinned, which detects this.
        } catch DataCacheError.noRoom(_, let size, let limit, _) where size > limit && !isWarming {
            // Its outputs can be made without the cache.
        } catch DataCacheError.noRoom(let key, let size, let limit, let path) {
            throw ItemError(
                .local,
                """
                the cache \(path) has no room for the \(Quantity.bytes(size)) of \(ItemListing.shown(key)) \
                (cache.sizeLimit is \(Quantity.bytes(limit))): raise cache.sizeLimit, or finish the jobs whose \
                originals are pinned in it
                """
            )
        } catch {
            throw ItemError(.local, "the original cannot be stored in the cache: \(error)")
        }
        return false
    }

    /// Returns the item's error for a failure to decode these bytes.
    func explain(_ error: any Error) -> ItemError {
        guard let error = error as? ImagingError else { return ItemError(error) }
        guard error.reason == .truncated else { return ItemError(error) }
        // Without a proven length the transfer may have been cut off unnoticed. With one, the origin's own file is
        // truncated, and another load gives the same bytes.
        return mayBeCutOff
            ? ItemError(.truncated, error.message, handling: .retry(atMost: 2))
            : ItemError(.corrupt, error.message)
    }
}
