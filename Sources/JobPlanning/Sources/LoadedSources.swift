import Files
package import JobManifest
import ObjectStorage

/// The contents of a manifest's sources in other places, loaded before planning or during it.
public struct LoadedSources: Sendable {
    /// The sitemaps.
    package var sitemaps = LoadedSitemaps()
    /// The objects of each source that lists some, by its index.
    package var objects: [Int: [ListedBucket]] = [:]
    /// The task that lists these objects, in the order of the sources; nil if they are listed.
    package var listing: Task<Void, Never>?
    /// The lists in object stores, by the index of their source; one in Parquet may consist of several objects.
    package var lists: [Int: [RemoteList]] = [:]
    /// True if buckets were not listed, because nothing may be asked (`--offline`): the last plan stays in force.
    package var isOffline = false

    /// Creates the value for a manifest whose sources are all in files of this machine.
    public init() {}

    /// Returns the objects of a source.
    func objects(of source: Int) throws(SourceError) -> [ListedBucket] {
        guard let buckets = objects[source] else {
            throw SourceError("sources[\(source)]", "its objects were not listed")
        }
        return buckets
    }

    /// Returns the list of a source in an object store.
    func list(of source: Int) throws(SourceError) -> RemoteList {
        guard let list = try files(ofList: source).first else { throw Self.unknownList(of: source) }
        return list
    }

    /// Returns the objects of a list in an object store, in the order of their keys.
    func files(ofList source: Int) throws(SourceError) -> [RemoteList] {
        guard let list = lists[source] else { throw Self.unknownList(of: source) }
        return list
    }

    private static func unknownList(of source: Int) -> SourceError {
        SourceError("sources[\(source)]", "its list was not found")
    }
}

/// Listings that go on while their objects are planned.
extension LoadedSources {
    /// Returns the result of `body`, after which nothing is listed any more.
    package func whileListing<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            await endListing()
            return result
        } catch {
            await endListing()
            throw error
        }
    }

    private func endListing() async {
        listing?.cancel()
        await listing?.value
    }

    /// Returns when all objects are listed.
    /// - Throws: `SourceError` for the first source whose listing failed.
    package func finishListing() async throws(SourceError) {
        await listing?.value
        for (source, buckets) in objects.sorted(by: { $0.key < $1.key }) {
            for bucket in buckets {
                do { try bucket.objects.check() } catch {
                    throw SourceError(listing: error, ofSource: source)
                }
            }
        }
    }

    /// Sentences about listings that have selected nothing, once they have ended.
    var emptyListings: [String] {
        objects.sorted { $0.key < $1.key }.flatMap { source, buckets in
            buckets.compactMap { $0.warning.map { "sources[\(source)].objects \($0)" } }
        }
    }

    /// The number of times that listings have begun anew, after which what was read of them before is not valid.
    var restarts: Int {
        objects.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.objects.restarts } }
    }

    /// Returns a digest of the objects of a source, which changes when one is added, changed or removed, once they are listed.
    /// - Throws: `SourceError` if the listing failed, or when `isStopped` returns true.
    func digestOfObjects(of source: Int, isStopped: () -> Bool) throws(SourceError) -> String {
        var digests = ""
        for bucket in try objects(of: source) {
            do {
                digests += "\(bucket.bucket) \(try bucket.objects.digest(isStopped: isStopped))\n"
            } catch {
                throw SourceError(listing: error, ofSource: source)
            }
        }
        return Digest.sha256.hex(of: digests)
    }
}

extension Manifest {
    /// True if there are sources that must be loaded before planning.
    package var hasRemoteSources: Bool { plannedItems.isEmpty && (hasSitemaps || usesObjectStore) }

    /// True if there are sources in an object store.
    package var usesObjectStore: Bool { hasObjects || !remoteLists.isEmpty }

    /// The lists in object stores, with the index of their source.
    package var remoteLists: [(source: Int, list: ItemList)] {
        sources.enumerated().compactMap { index, source in
            guard case .list(let list) = source.kind, list.location != nil else { return nil }
            return (index, list)
        }
    }

    /// Returns true if the items of a source are the objects of a listing, which shows each change.
    package func listsObjects(ofSource index: Int) -> Bool {
        guard sources.indices.contains(index), case .objects = sources[index].kind else { return false }
        return true
    }

    /// Returns true if a run has just listed the objects of a source, in place of reading an inventory or a plan of before.
    package func listsObjectsInEachRun(ofSource index: Int) -> Bool {
        guard plannedItems.isEmpty, sources.indices.contains(index),
            case .objects(let selection) = sources[index].kind
        else { return false }
        return selection.inventory == nil
    }

    /// True if there are sources whose objects must be listed before planning.
    package var hasObjects: Bool {
        sources.contains { if case .objects = $0.kind { true } else { false } }
    }
}
