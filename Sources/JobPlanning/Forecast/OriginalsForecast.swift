import Foundation
public import JobManifest
import JobStorage
import Originals

/// Predicts the sources of the originals of unfinished items, without loading any.
public struct OriginalsForecast {
    /// The numbers of originals by source.
    public struct Originals: Sendable, Encodable {
        /// Originals to load from the network, because the cache does not have them.
        public package(set) var load = 0
        /// Originals to revalidate, which come from the cache if they have not changed.
        public package(set) var revalidate = 0
        /// Originals in the cache or in files.
        public package(set) var use = 0
        /// Originals that are files of this machine, and do not exist there.
        public package(set) var missing = 0
        /// The expected bytes to load, by the mean size of the job's earlier loads; nil if there were none.
        @Nullable public package(set) var loadBytes: Int?
        /// The minimum duration in seconds that the rate limits of the hosts allow.
        public package(set) var seconds = 0.0
    }

    private let manifest: Manifest
    private let isOffline: Bool
    private let known: JobReader
    private let cache: DataCache?
    private let runs: RunTimes

    /// Creates a forecast for the items of the state that `known` reads.
    /// - Throws: `JobStoreError`; `RunError.machine` for a cache that cannot be opened.
    init(_ manifest: Manifest, options: RunOptions, known: JobReader) throws {
        self.manifest = manifest
        self.known = known
        isOffline = options.isOffline
        runs = manifest.cache.maxAge == nil ? RunTimes() : try RunTimes(known)
        // A missing cache is not created for a forecast.
        let opened =
            manifest.cache.policy == .storeOriginalData
            ? try DataCache.existing(in: manifest.cache.directory) : nil
        cache = opened.flatMap { $0.totalCount > 0 ? $0 : nil }
        cache?.isSweepEnabled = false
    }

    /// Counts the originals.
    /// - Throws: `JobStoreError`.
    func originals() throws -> Originals {
        var originals = Originals()
        var hosts: [String: Int] = [:]
        if cache == nil {
            hosts = try known.unfinishedByHost()
            originals.use = hosts.removeValue(forKey: "") ?? 0
            originals.load = hosts.values.reduce(0, +)
        } else {
            try known.forEachUnfinished { item in
                if item.host.isEmpty {
                    originals.use += 1
                } else if let again = again(item) {
                    if again { originals.revalidate += 1 } else { originals.use += 1 }
                    if again { hosts[item.host, default: 0] += 1 }
                } else {
                    originals.load += 1
                    hosts[item.host, default: 0] += 1
                }
            }
        }
        originals.missing = try missing()
        originals.use -= originals.missing
        if isOffline { hosts = [:] }
        let mean = try known.meanBytes()
        originals.loadBytes = isOffline ? 0 : mean.map { Int($0 * Double(originals.load)) }
        originals.seconds = try seconds(hosts)
        return originals
    }

    /// Counts the files that rows name and that do not exist; sources that walk through folders have found theirs just now.
    private func missing() throws -> Int {
        guard manifest.sources.contains(where: { if case .files = $0.kind { false } else { true } }) else {
            return 0
        }
        let files = LocalFiles(roots: manifest.network.fileRoots)
        var count = 0
        try known.forEachUnfinishedFile { url in
            let target = manifest.target(of: url)
            if target.lowercased().hasPrefix("file:"), !files.exists(target) { count += 1 }
        }
        return count
    }

    /// Returns a warning if the originals to warm do not fit into the cache together with the pinned ones.
    func warnings(_ originals: Originals) -> [String] {
        let pinned = (try? cache?.pins().size) ?? 0
        let limit = manifest.cache.sizeLimit
        guard manifest.outputs.isEmpty, let loadBytes = originals.loadBytes, loadBytes > 0,
            loadBytes > limit - pinned
        else { return [] }
        return [
            """
            warming would load about \(Quantity.bytes(loadBytes)), but cache.sizeLimit (\(Quantity.bytes(limit))) leaves \
            less than that beside \(Quantity.bytes(pinned)) of pinned originals: raise cache.sizeLimit
            """
        ]
    }

    /// Returns true if a cached original must be revalidated; nil if it is not cached.
    private func again(_ item: UnfinishedItem) -> Bool? {
        let key = manifest.cacheKey(of: item.url, headers: item.headers)
        guard let cache, cache.containsData(for: key) else { return nil }
        guard !isOffline, let known = cache.metadata(for: key) else { return false }
        let listed = manifest.listsObjects(ofSource: item.source) ? item.validator : nil
        return manifest.cache.mustAsk(known, listed: listed, at: Date(), runs: runs)
    }

    /// Returns the seconds that the slowest host needs, at its limit or at its learned rate.
    private func seconds(_ hosts: [String: Int]) throws -> Double {
        let learned = Dictionary(try known.hosts().map { ($0.name, $0.rate) }) { $1 }
        return hosts.reduce(0) { longest, host in
            let settings = manifest.loading.settings(named: host.key)
            let (limit, burst) = (settings.rate.perSecond, settings.burst)
            let rate = min((learned[host.key] ?? nil) ?? limit, limit)
            return max(longest, Double(max(0, host.value - burst)) / rate)
        }
    }
}
