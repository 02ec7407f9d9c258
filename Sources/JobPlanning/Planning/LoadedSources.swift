package import JobManifest

/// The contents of a manifest's sources in other places, loaded before planning.
public struct LoadedSources: Sendable {
    /// The sitemaps.
    package var sitemaps = LoadedSitemaps()
    /// The objects of each source that lists some, by its index.
    package var objects: [Int: [ListedBucket]] = [:]
    /// The lists in object stores, by the index of their source; one in Parquet may consist of several objects.
    package var lists: [Int: [RemoteList]] = [:]
    /// True if buckets were not listed, because nothing may be asked (`--offline`): the last plan stays in force.
    package var isOffline = false

    /// Creates the value for a manifest whose sources are all in files of this machine.
    public init() {}

    /// Returns the objects of a source.
    func objects(of source: Int) throws(SourceError) -> [ListedBucket] {
        guard let buckets = objects[source] else {
            throw SourceError(file: "sources[\(source)]", message: "its objects were not listed")
        }
        return buckets
    }
}

extension LoadedSources {
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
        SourceError(file: "sources[\(source)]", message: "its list was not found")
    }
}

extension Manifest {
    /// True if there are sources that must be loaded before planning.
    package var hasRemoteSources: Bool { hasSitemaps || usesObjectStore }

    /// True if there are sources in an object store.
    package var usesObjectStore: Bool { hasObjects || !remoteLists.isEmpty }

    /// The lists in object stores, with the index of their source.
    package var remoteLists: [(source: Int, list: ItemList)] {
        sources.enumerated().compactMap { index, source in
            guard case .list(let list) = source.kind, list.location != nil else { return nil }
            return (index, list)
        }
    }

    /// Returns true if the items of a source are the objects of a listing, which tells of each change.
    package func listsObjects(ofSource index: Int) -> Bool {
        guard sources.indices.contains(index), case .objects = sources[index].kind else { return false }
        return true
    }

    /// True if there are sources whose objects must be listed before planning.
    package var hasObjects: Bool {
        sources.contains { if case .objects = $0.kind { true } else { false } }
    }
}
