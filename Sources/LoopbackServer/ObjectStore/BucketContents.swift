/// The objects of one bucket, by key and version.
struct BucketContents: Sendable {
    typealias Object = LoopbackObjectStore.Object

    let bucket: LoopbackObjectStore.Bucket
    /// The keys that a listing shows, in order.
    private(set) var keys: [ObjectKey] = []
    /// All versions of each key, the last one last.
    private var versions: [ObjectKey: [Object]] = [:]

    init(_ bucket: LoopbackObjectStore.Bucket) {
        self.bucket = bucket
    }

    /// The object that a request without a version gets.
    subscript(key: ObjectKey) -> Object? {
        guard let last = versions[key]?.last, !last.isDeleteMarker else { return nil }
        return last
    }

    func version(_ versionID: String, of key: ObjectKey) -> Object? {
        versions[key]?.last { ($0.versionID ?? "null") == versionID }
    }

    mutating func put(_ object: Object, at key: ObjectKey) {
        if bucket.isVersioned {
            versions[key, default: []].append(object)
        } else {
            versions[key] = object.isDeleteMarker ? nil : [object]
        }
        showOrHide(key)
    }

    mutating func removeVersion(_ versionID: String, of key: ObjectKey) {
        versions[key]?.removeAll { ($0.versionID ?? "null") == versionID }
        if versions[key]?.isEmpty == true { versions[key] = nil }
        showOrHide(key)
    }

    /// Brings the listing in line with the versions of `key`.
    private mutating func showOrHide(_ key: ObjectKey) {
        let place = keys.firstIndexInOrder { $0 < key }
        let isShown = place < keys.count && keys[place] == key
        let isThere = self[key] != nil
        if isThere && !isShown { keys.insert(key, at: place) }
        if !isThere && isShown { keys.remove(at: place) }
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element `isBefore` does not hold for; it must hold for all before it and for none after.
    func firstIndexInOrder(_ isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
