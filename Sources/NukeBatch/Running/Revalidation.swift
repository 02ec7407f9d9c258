import Foundation
import FoundationNetworking
import Nuke

/// A cached original that must not be used before its origin was asked (manifest.md, "cache").
struct Revalidation: Sendable {
    /// What asking came to.
    enum Result: Sendable, Equatable {
        /// The origin has other bytes now.
        case changed
        /// The origin has confirmed the bytes (304).
        case confirmed
        /// The origin could not be asked, for this reason, and the bytes are used as they are.
        case stale(String)
    }

    /// Where the cache has it.
    let key: String
    private let known: DataCache.Metadata
    private let cache: DataCache
    private let usesStale: Bool

    /// The original under `key`, if it is there and `settings` do not let it be used at `now` unasked.
    init?(of key: String, in cache: DataCache, _ settings: CacheSettings, at now: Date = Date()) {
        guard settings.asksAgain, let known = cache.metadata(for: key),
            settings.mustAsk(known, at: now)
        else { return nil }
        self.key = key
        self.known = known
        self.cache = cache
        usesStale = settings.staleIfError
    }

    /// The request with what lets the origin answer that nothing has changed.
    func conditional(_ request: URLRequest) -> URLRequest {
        var request = request
        for (name, value) in known.conditions { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    /// What a failed question came to; nil where its error is the item's.
    ///
    /// A host that asks for a pause is obeyed and asked afterwards.
    /// - Throws: `ItemError` where the cache cannot be written.
    func result(of error: ImagePipeline.Error, retrying statuses: Set<Int>) async throws -> Result? {
        if let response = error.answer, response.statusCode == 304 {
            return try await cache.confirm(key, known, by: response) ? .confirmed : .changed
        }
        let error = ItemError(error, retrying: statuses)
        guard usesStale, case .retry = error.handling else { return nil }
        return .stale(error.code)
    }
}

extension CacheSettings {
    fileprivate func mustAsk(_ known: DataCache.Metadata, at now: Date) -> Bool {
        if let maxAge, let answered = known.answered ?? known.created {
            // A clock that was set back makes nothing younger than it is.
            if abs(now.timeIntervalSince(answered)) > maxAge / .seconds(1) { return true }
        }
        switch revalidate {
        case .never: return false
        case .stale: return !known.isFresh(at: now)
        case .always: return true
        }
    }
}

extension ImagePipeline.Error {
    /// The head of the server's refusal, where it answered.
    fileprivate var answer: HTTPURLResponse? {
        guard case .dataLoadingFailed(let cause as DataLoadingError) = self else { return nil }
        return cause.response
    }
}
