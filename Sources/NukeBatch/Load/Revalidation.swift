import JobPlanning
import Foundation
import FoundationNetworking
import JobManifest
import Originals

/// A cached original that must be revalidated before use (`docs/manifest.md`, "cache").
struct Revalidation: Sendable {
    /// The result of revalidation.
    enum Result: Sendable, Equatable {
        /// The original was loaded again, or has to be; its bytes may be the same.
        case reloaded
        /// The origin has confirmed the bytes (304).
        case confirmed
        /// The origin could not be reached, for this reason, and the cached bytes are used.
        case stale(String)
    }

    /// Its key in the cache.
    let key: String
    private let known: DataCache.Metadata
    private let cache: DataCache
    private let usesStale: Bool

    /// Creates the revalidation of the entry `known` under `key`; nil if `settings` allow its use at `now` without one.
    ///
    /// `listed` is the validator by which a listing has just told of the object: it decides alone where it can. Ages count
    /// from the start of the one of `runs` that asked.
    init?(
        of key: String,
        known: DataCache.Metadata,
        in cache: DataCache,
        settings: CacheSettings,
        listed: String? = nil,
        runs: RunTimes = RunTimes(),
        at now: Date = Date()
    ) {
        guard settings.mustAsk(known, listed: listed, at: now, runs: runs) else { return nil }
        let isCurrent = listed.flatMap { ObjectValidator.isCurrent(known.etag, by: $0) }
        self.key = key
        self.known = known
        self.cache = cache
        usesStale = settings.staleIfError && isCurrent != false
    }

    /// Returns a conditional request, to which the origin can reply that nothing has changed.
    func conditional(_ request: URLRequest) -> URLRequest {
        var request = request
        for (name, value) in known.conditions { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    /// Returns the result of a failed request for `url`; nil if its error is the item's error.
    ///
    /// A host that requests a pause is not asked before the pause ends.
    /// - Throws: `ItemError` if the cache cannot be written.
    func result(of error: any Error, asking url: URL?, retrying statuses: Set<Int>) async throws -> Result? {
        if let response = (error as? DataLoadingError)?.response, response.statusCode == 304 {
            return try await cache.confirm(key, known, by: response, to: url) ? .confirmed : .reloaded
        }
        let error = ItemError(loading: error, retrying: statuses)
        return usesStale && error.isUnreachable ? .stale(error.code.rawValue) : nil
    }
}

extension ItemError {
    /// True if the origin may answer later, at once or when it is asked again at all.
    fileprivate var isUnreachable: Bool {
        if case .retry = handling { return true }
        return code == .hostDown
    }
}
