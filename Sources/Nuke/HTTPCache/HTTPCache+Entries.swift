import Files
import Foundation
import FoundationNetworking

/// The stored responses: one under the key of its URL, or a list there of those that differ by their requests.
extension HTTPCache {
    /// Returns the newest stored response that fits `request`.
    func entry(for request: URLRequest) -> CachedHTTPResponse? {
        guard let key = HTTPCacheKey.primary(request.url), let data = storage.cachedData(for: key) else {
            return nil
        }
        if let list = VariantList(data) {
            for variant in list.variants where HTTPCacheKey.matches(variant.selectors, request) {
                let entry = storage.cachedData(for: HTTPCacheKey.variant(variant.id, of: key))
                    .flatMap { CachedHTTPResponse($0) }
                if let entry, entry.head.url == HTTPCacheKey.text(of: request.url) { return entry }
            }
            return nil
        }
        // Damaged, or another URL's if the storage confuses keys: as good as not there.
        guard let entry = CachedHTTPResponse(data), entry.head.url == HTTPCacheKey.text(of: request.url),
            HTTPCacheKey.matches(entry.head.selectors, request)
        else { return nil }
        return entry
    }

    /// Stores `entry`, replacing an older answer to the same request; returns once reads see it.
    func store(_ entry: CachedHTTPResponse) async {
        guard let key = HTTPCacheKey.primary(URL(string: entry.head.url)),
            let data = try? entry.encoded()
        else { return }
        guard !entry.head.selectors.isEmpty else { return await write(data, for: key, entry) }
        let id = UUID().uuidString
        await write(data, for: HTTPCacheKey.variant(id, of: key), entry)
        try? await changes.run { [self] in
            var list = storage.cachedData(for: key).flatMap { VariantList($0) } ?? VariantList()
            let dropped = list.insert(
                VariantList.Variant(id: id, selectors: entry.head.selectors),
                limit: configuration.variantLimit
            )
            if let data = list.encoded() { storage.storeData(data, for: key) }
            for id in dropped { storage.removeData(for: HTTPCacheKey.variant(id, of: key)) }
        }
    }

    func remove(_ url: URL?) {
        guard let key = HTTPCacheKey.primary(url) else { return }
        let list = storage.cachedData(for: key).flatMap { VariantList($0) }
        storage.removeData(for: key)
        for variant in list?.variants ?? [] {
            storage.removeData(for: HTTPCacheKey.variant(variant.id, of: key))
        }
    }

    private func write(_ data: Data, for key: String, _ entry: CachedHTTPResponse) async {
        if let storage = storage as? DataCache {
            let fields = entry.head.fields
            let metadata = DataCache.Metadata(
                finalURL: entry.head.redirectedTo ?? entry.head.url,
                contentType: fields["Content-Type"],
                etag: fields["ETag"],
                lastModified: fields["Last-Modified"]
            )
            await storage.stage(data, for: key, metadata: metadata)
        } else {
            try? await changes.run { [self] in storage.storeData(data, for: key) }
        }
    }
}

/// The stored responses of one URL, the newest first.
private struct VariantList: Codable {
    struct Variant: Codable {
        /// Names its entry; never used again, so an entry that outlives its list is never found.
        let id: String
        let selectors: [String: String?]
    }

    private static let magic = Data("NHV1".utf8)

    private(set) var variants: [Variant] = []

    init() {}

    /// Reads what ``encoded()`` wrote; nil if it is anything else.
    init?(_ data: Data) {
        guard data.prefix(4) == Self.magic,
            let list = try? JSONDecoder().decode(VariantList.self, from: Data(data.dropFirst(4)))
        else { return nil }
        self = list
    }

    func encoded() -> Data? {
        (try? JSONEncoder().encode(self)).map { Self.magic + $0 }
    }

    /// Puts a variant at the beginning.
    /// - Returns: The ids of those that it replaces, and of those beyond the limit.
    mutating func insert(_ variant: Variant, limit: Int) -> [String] {
        let replaced = variants.filter { $0.selectors == variant.selectors }
        variants.removeAll { $0.selectors == variant.selectors }
        variants.insert(variant, at: 0)
        let beyond = variants.dropFirst(max(1, limit))
        variants.removeLast(beyond.count)
        return (replaced + beyond).map(\.id)
    }
}
