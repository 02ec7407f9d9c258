import Foundation
import FoundationNetworking

/// An ``HTTPCache`` under the interface of `URLCache`, for code that reads, clears or bounds Nuke's shared one.
///
/// The capacity on disk is the limit of its ``DataCache``; nothing is held in memory. No session uses it: a
/// ``DataLoader`` whose configuration has it is put behind the ``HTTPCache`` by its pipeline.
// Unchecked because a subclass of URLCache must say so: that one may be used from any thread, and so may an `HTTPCache`.
final class HTTPURLCache: URLCache, @unchecked Sendable {
    private let open: @Sendable () -> HTTPCache?

    /// The cache; nil stores nothing.
    var cache: HTTPCache? { open() }
    private var storage: DataCache? { cache?.storage as? DataCache }

    /// Creates the interface of a cache, which is opened when it is first used.
    init(_ cache: @autoclosure @escaping @Sendable () -> HTTPCache?) {
        open = cache
        // Foundation makes the folder, so it is one that exists; it writes nothing there.
        super.init(memoryCapacity: 0, diskCapacity: 0, diskPath: NSTemporaryDirectory())
    }

    override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        cache?.cachedResponse(for: request).map { CachedURLResponse(response: $0.response, data: $0.data) }
    }

    override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
        guard cachedResponse.storagePolicy == .allowed,
            let response = cachedResponse.response as? HTTPURLResponse
        else { return }
        cache?.storeResponse(response, data: cachedResponse.data, for: request)
    }

    override func removeCachedResponse(for request: URLRequest) {
        cache?.removeCachedResponse(for: request)
    }

    override func removeAllCachedResponses() {
        cache?.removeAll()
    }

    override func removeCachedResponses(since date: Date) {
        guard let storage else { return }
        storage.flush()
        var keys: [String] = []
        // An index that cannot be read lists nothing, and answers no request either.
        try? storage.forEachEntry { entry in
            if let created = entry.metadata.created, created > date { keys.append(entry.key) }
        }
        for key in keys { storage.removeData(for: key) }
    }

    override var memoryCapacity: Int {
        get { 0 }
        set {}
    }

    override var diskCapacity: Int {
        get { storage?.sizeLimit ?? 0 }
        set { storage?.sizeLimit = newValue }
    }

    override var currentMemoryUsage: Int { 0 }

    override var currentDiskUsage: Int { storage?.totalSize ?? 0 }
}
