import Foundation
import FoundationNetworking
import JobManifest
import JobPlanning
import Originals
import Synchronization

/// The robots.txt of each origin of a dataset's originals, which a run loads once.
final class RobotsFiles: Sendable {
    private enum File {
        case loading(Task<RobotsRules, any Error>)
        case loaded(RobotsRules)
    }

    /// The most origins whose rules are kept: those of more are loaded again.
    private static let most = 50_000

    private let fetcher: OriginalFetcher
    /// The product token that groups of rules name.
    private let agent: String
    private let statuses: Set<Int>
    /// By their URLs.
    private let files = Mutex<[String: File]>([:])

    /// Prepares to load the files of a manifest's origins; nil if the manifest does not honour them.
    init?(_ manifest: Manifest, _ fetcher: OriginalFetcher) {
        guard manifest.dataset?.honoursRobots == true else { return nil }
        self.fetcher = fetcher
        let token = RobotsRules.token(manifest.loading.userAgent ?? "")
        agent = token.isEmpty || token == "*" ? "nuke-batch" : token
        statuses = manifest.retry.statuses
    }

    /// Returns true if the rules of the URL's origin are loaded and allow it, and for a URL that is not of HTTP.
    func isKnownToAllow(_ url: URL) -> Bool {
        guard let file = Self.file(of: url) else { return true }
        return files.withLock { files in
            guard case .loaded(let rules) = files[file.absoluteString] else { return false }
            return rules.allows(url.pathAndQuery)
        }
    }

    /// Returns true if the URL's origin allows it, and for a URL that is not of HTTP.
    ///
    /// An origin that answers with 400 to 499 allows everything (RFC 9309, section 2.3.1.3).
    /// - Throws: `ItemError` if the file cannot be had for another reason: then nothing may be asked for (section 2.3.1.4).
    func allows(_ url: URL) async throws(ItemError) -> Bool {
        guard let file = Self.file(of: url) else { return true }
        let key = file.absoluteString
        do {
            let rules = try await load(file, key)
            files.withLock { $0[key] = .loaded(rules) }
            return rules.allows(url.pathAndQuery)
        } catch {
            // The item's next attempt asks again.
            files.withLock { $0[key] = nil }
            let cause = ItemError(loading: error, retrying: statuses)
            throw ItemError(
                cause.code,
                "\(cause.message); without its robots.txt, nothing is loaded from an origin (`dataset.honourRobots`)",
                handling: cause.handling,
                status: cause.status
            )
        }
    }

    private func load(_ file: URL, _ key: String) async throws -> RobotsRules {
        let task = files.withLock { files in
            switch files[key] {
            case .loaded(let rules): return Task<RobotsRules, any Error> { rules }
            case .loading(let task): return task
            case nil: break
            }
            if files.count >= Self.most {
                files = files.filter { if case .loading = $0.value { true } else { false } }
            }
            let task = Task { try await loaded(file, key) }
            files[key] = .loading(task)
            return task
        }
        return try await task.value
    }

    private func loaded(_ file: URL, _ key: String) async throws -> RobotsRules {
        do {
            // What the caller may store is not stored: the rules of a later day may be others.
            let request = FetchRequest(URLRequest(url: file), key: key, caching: .renewByCaller)
            return RobotsRules(try await fetcher.fetch(request).data, for: agent)
        } catch let error as DataLoadingError where Self.isUnavailable(error.statusCode) {
            return .none
        } catch FetchError.empty {
            return .none
        }
    }

    /// True for the statuses of an origin that has no robots.txt; 429 asks for a pause.
    private static func isUnavailable(_ status: Int?) -> Bool {
        status.map { (400..<500).contains($0) && $0 != 429 } ?? false
    }

    private static func file(of url: URL) -> URL? {
        guard ["http", "https"].contains(url.scheme?.lowercased() ?? ""),
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else { return nil }
        (parts.user, parts.password) = (nil, nil)
        (parts.percentEncodedPath, parts.percentEncodedQuery, parts.fragment) = ("/robots.txt", nil, nil)
        return parts.url
    }
}

extension URL {
    /// The part that the rules of a robots.txt are about.
    fileprivate var pathAndQuery: String {
        let parts = URLComponents(url: self, resolvingAgainstBaseURL: false)
        let query = parts?.percentEncodedQuery.map { "?\($0)" } ?? ""
        return (parts?.percentEncodedPath ?? "/") + query
    }
}
