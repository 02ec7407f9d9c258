import ObjectStorage

/// The buckets that items may be in: a row of a list may not reach another one with the job's credentials.
extension Manifest {
    /// Returns the bucket that an item may not reach, since only its row names it; nil for any other item.
    package func strangeBucket(of url: String, source: Int, named: Set<String>) -> String? {
        guard ItemURL.isObject(url), sources.indices.contains(source), sources[source].kind.hasRows,
            let bucket = ObjectLocation(target(of: url))?.bucket, !named.contains(bucket)
        else { return nil }
        return bucket
    }

    /// The buckets that the manifest names: in `storage.s3.buckets`, as the destination, in its sources and in `loading.hosts`.
    ///
    /// Empty if no item comes from a row.
    package var namedBuckets: Set<String> {
        guard sources.contains(where: \.kind.hasRows) else { return [] }
        var buckets = storage.s3.buckets
        func add(_ text: String?) {
            if let text, let location = ObjectLocation(text) { buckets.insert(location.bucket) }
        }
        if let location = destination.bucket { buckets.insert(location.bucket) }
        for host in loading.hosts.keys { buckets.insert(ObjectLocation(host)?.bucket ?? host) }
        for source in sources {
            add(source.folder)
            add(source.base)
            switch source.kind {
            case .urls(let entries): for entry in entries { add(target(of: entry.url)) }
            case .list(let list): add(list.location)
            case .objects(let selection):
                for pattern in selection.patterns { buckets.insert(pattern.bucket) }
                add(selection.inventory)
            case .files, .template, .sitemap, .sqlite: break
            }
        }
        return buckets
    }
}

extension Source.Kind {
    /// True if its items come from rows outside of the manifest.
    fileprivate var hasRows: Bool {
        switch self {
        case .list, .sitemap, .sqlite: true
        case .urls, .files, .objects, .template: false
        }
    }
}
