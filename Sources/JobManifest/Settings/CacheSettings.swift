import Foundation

/// The settings of the cache of originals.
public struct CacheSettings: Sendable, Equatable {
    /// The folder, absolute; shared by all jobs that name none of their own.
    public var directory: String
    /// Bytes of originals, above which the least recently used ones go.
    public var sizeLimit = CacheKeys.sizeLimit.standard
    /// The originals to keep.
    public var policy = CacheKeys.policy.standard
    /// The time at which a cached original is revalidated.
    public var revalidate = CacheKeys.revalidate.standard
    /// The age at which a cached original is revalidated; nil for no limit.
    public var maxAge: Duration?
    /// True to use a stale original if its origin cannot be reached.
    public var staleIfError = CacheKeys.staleIfError.standard
    /// True to compress originals if that makes them smaller.
    public var compression = CacheKeys.compression.standard

    /// A choice of originals to keep.
    public enum Policy: String, Sendable, CaseIterable {
        /// The bytes of every original that was loaded.
        case storeOriginalData
        /// Nothing.
        case none
    }

    /// A policy of revalidation.
    public enum Revalidation: String, Sendable, CaseIterable {
        /// Revalidates only at `maxAge`, regardless of HTTP freshness.
        case never
        /// Honours HTTP freshness (RFC 9111).
        case stale
        /// Revalidates in each run.
        case always
    }

    /// True if a run has to look at originals that it has used before.
    package var asksAgain: Bool {
        revalidate != .never || maxAge != nil
    }

    /// `nuke-batch/originals` in the user's cache folder (XDG Base Directory Specification).
    package static func defaultDirectory(environment: [String: String]) -> String {
        // The XDG specification ignores relative paths.
        if let caches = environment["XDG_CACHE_HOME"], caches.utf8.first == UInt8(ascii: "/") {
            return caches + "/nuke-batch/originals"
        }
        let home = environment["HOME"].flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil } ?? "/tmp"
        return home + "/.cache/nuke-batch/originals"
    }

    /// Creates the defaults: the folder is in the user's cache folder.
    public init() {
        directory = Self.defaultDirectory(environment: ProcessInfo.processInfo.environment)
    }

    init(_ node: ManifestNode?, environment: [String: String]) {
        directory = Self.defaultDirectory(environment: environment)
        guard let node, let fields = node.fields(.cache) else { return }
        if let written = fields[CacheKeys.directory] {
            directory = FilePath.absolute(written, in: node.reading.folder)
        }
        sizeLimit = fields[CacheKeys.sizeLimit] ?? sizeLimit
        policy = fields[CacheKeys.policy] ?? policy
        staleIfError = fields[CacheKeys.staleIfError] ?? staleIfError
        revalidate = fields[CacheKeys.revalidate] ?? revalidate
        maxAge = fields[CacheKeys.maxAge]
        compression = fields[CacheKeys.compression] ?? compression
    }
}
