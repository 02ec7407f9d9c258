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
    private let files = Mutex<[URL: File]>([:])

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
        guard let place = RobotsPlace(url) else { return true }
        guard case .loaded(let rules) = files.withLock({ $0[place.file] }) else { return false }
        return rules.allows(place.path)
    }

    /// Returns true if the URL's origin allows it, and for a URL that is not of HTTP.
    ///
    /// An origin that answers with 400 to 499 allows everything (RFC 9309, section 2.3.1.3).
    /// - Throws: `ItemError` if the file cannot be had for another reason: then nothing may be asked for (section 2.3.1.4).
    func allows(_ url: URL) async throws(ItemError) -> Bool {
        guard let place = RobotsPlace(url) else { return true }
        do {
            return try await rules(of: place.file).allows(place.path)
        } catch {
            // The item's next attempt asks again.
            files.withLock { $0[place.file] = nil }
            let cause = ItemError(loading: error, retrying: statuses)
            throw ItemError(
                cause.code,
                "\(cause.message); without its robots.txt, nothing is loaded from an origin (`dataset.honourRobots`)",
                handling: cause.handling,
                status: cause.status
            )
        }
    }

    /// Returns the rules of a file, which several items wait for together.
    private func rules(of file: URL) async throws -> RobotsRules {
        let known = files.withLock { files in
            if let known = files[file] { return known }
            if files.count >= Self.most {
                files = files.filter { if case .loading = $0.value { true } else { false } }
            }
            let begun = File.loading(Task { try await load(file) })
            files[file] = begun
            return begun
        }
        switch known {
        case .loaded(let rules): return rules
        case .loading(let task):
            let rules = try await task.value
            files.withLock { $0[file] = .loaded(rules) }
            return rules
        }
    }

    private func load(_ file: URL) async throws -> RobotsRules {
        do {
            // What the caller may store is not stored: the rules of a later day may be others.
            let request = FetchRequest(
                URLRequest(url: file),
                key: file.absoluteString,
                caching: .renewByCaller
            )
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
}

/// The robots.txt that has the rules for a URL, and what they are compared with.
private struct RobotsPlace {
    let file: URL
    /// The path and the query, percent-encoded.
    let path: String

    /// Finds the file in the root of the URL's origin; nil for a URL that is not of HTTP.
    init?(_ url: URL) {
        guard ["http", "https"].contains(url.scheme?.lowercased() ?? ""),
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else { return nil }
        path = parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
        (parts.user, parts.password) = (nil, nil)
        (parts.percentEncodedPath, parts.percentEncodedQuery, parts.fragment) = ("/robots.txt", nil, nil)
        guard let file = parts.url else { return nil }
        self.file = file
    }
}
