import Foundation
import FoundationNetworking
import JobManifest
import JobPlanning
import JobStorage
import Originals

extension OriginalLoader {
    /// Returns true if the robots.txt of its origin forbids an item's original.
    ///
    /// An original in the cache is not asked for, unless the run revalidates it.
    /// - Throws: `ItemError` if the robots.txt cannot be had.
    func isForbidden(_ item: ClaimedItem) async throws(ItemError) -> Bool {
        guard let robots, !isOffline else { return false }
        var headers = manifest.expanded(headers: item.headers)
        guard let url = ItemURL.loadable(manifest.target(of: item.url), headers: &headers),
            !robots.isKnownToAllow(url)
        else { return false }
        if !manifest.cache.asksAgain, try await isCached(item, url) { return false }
        do throws(ItemError) { return try await !robots.allows(url) } catch {
            // Then the stale original is used, and its origin not asked.
            guard manifest.cache.staleIfError, try await isCached(item, url) else { throw error }
            return false
        }
    }

    private func isCached(_ item: ClaimedItem, _ url: URL) async throws(ItemError) -> Bool {
        let key = manifest.cacheKey(of: item.url, headers: item.headers)
        do {
            return try await fetcher.find(FetchRequest(URLRequest(url: url), key: key)).metadata != nil
        } catch {
            throw ItemError(loading: error, retrying: manifest.retry.statuses)
        }
    }
}
