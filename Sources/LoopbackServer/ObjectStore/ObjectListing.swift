import Foundation

/// One page of a listing: keys in order, and prefixes that stand for all keys that begin with them.
struct ObjectListing {
    enum Entry {
        /// The object with this number among the keys.
        case object(Int, ObjectKey)
        case prefix(String)
    }

    /// The place at which a page begins.
    enum Position {
        case after(ObjectKey)
        case afterPrefix(String)
        case from(ObjectKey)
    }

    private(set) var entries: [Entry] = []
    /// The place after the last entry; nil if no key follows.
    private(set) var next: Position?

    /// Lists at most `limit` of `keys`, which are in order.
    ///
    /// Keys are only asked for where they are needed: what lies under a common prefix is skipped by binary search.
    init<Keys: RandomAccessCollection<ObjectKey>>(
        of keys: Keys,
        prefix: String,
        delimiter: String,
        from position: Position?,
        limit: Int
    ) where Keys.Index == Int {
        let first = ObjectKey(prefix)
        var index = keys.firstIndexInOrder { $0 < first }
        switch position {
        case .after(let key): index = max(index, keys.firstIndexInOrder { $0 <= key })
        case .from(let key): index = max(index, keys.firstIndexInOrder { $0 < key })
        case .afterPrefix(let prefix): index = max(index, Self.end(of: prefix, in: keys))
        case nil: break
        }
        while entries.count < limit, index < keys.endIndex {
            let key = keys[index]
            guard key.hasPrefix(prefix) else { break }
            if let common = Self.commonPrefix(of: key, prefix: prefix, delimiter: delimiter) {
                entries.append(.prefix(common))
                index = Self.end(of: common, in: keys)
                next = .afterPrefix(common)
            } else {
                entries.append(.object(index, key))
                index += 1
                next = .after(key)
            }
        }
        if index == keys.endIndex || !keys[index].hasPrefix(prefix) { next = nil }
    }

    /// The index after the last key that begins with `prefix`.
    private static func end<Keys: RandomAccessCollection<ObjectKey>>(of prefix: String, in keys: Keys) -> Int
    where Keys.Index == Int {
        let first = ObjectKey(prefix)
        return keys.firstIndexInOrder { $0 < first || $0.hasPrefix(prefix) }
    }

    /// The part of `key` up to the first delimiter after `prefix`; nil if there is none.
    private static func commonPrefix(of key: ObjectKey, prefix: String, delimiter: String) -> String? {
        guard !delimiter.isEmpty else { return nil }
        let rest = key.text.utf8.dropFirst(prefix.utf8.count)
        guard let found = rest.firstRange(of: delimiter.utf8) else { return nil }
        return String(key.text.utf8[..<found.upperBound])
    }
}

/// The keys of generated objects, each made when it is asked for.
struct GeneratedKeys: RandomAccessCollection {
    let objects: LoopbackObjectStore.GeneratedObjects

    var startIndex: Int { 0 }
    var endIndex: Int { objects.count }

    subscript(index: Int) -> ObjectKey {
        ObjectKey(objects.key(index))
    }
}

extension ObjectListing.Position {
    /// The place as an opaque continuation token.
    var token: String {
        let text =
            switch self {
            case .after(let key): "a\(key.text)"
            case .from(let key): "f\(key.text)"
            case .afterPrefix(let prefix): "p\(prefix)"
            }
        return Data(text.utf8).base64EncodedString()
    }

    /// Nil if this server did not make `token`.
    init?(token: String) {
        guard let bytes = Data(base64Encoded: token), let text = String(validating: bytes, as: UTF8.self),
            let kind = text.utf8.first
        else { return nil }
        let rest = String(text.utf8.dropFirst()) ?? ""
        switch kind {
        case UInt8(ascii: "a"): self = .after(ObjectKey(rest))
        case UInt8(ascii: "f"): self = .from(ObjectKey(rest))
        case UInt8(ascii: "p"): self = .afterPrefix(rest)
        default: return nil
        }
    }
}
