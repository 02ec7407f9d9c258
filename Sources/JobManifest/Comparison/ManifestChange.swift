/// A value that two manifests have differently.
public struct ManifestChange: Sendable, Codable {
    /// The JSON path of the value, such as `outputs[0].format.jpeg.quality`; that of the earlier manifest if it was removed.
    public let path: String
    /// The value before; nil if it was added.
    @Nullable package var old: CanonicalJSON?
    /// The value now; nil if it was removed.
    @Nullable package var new: CanonicalJSON?

    /// The most characters of a value in the text.
    private static let width = 60

    /// The change on one line, such as `outputs[0].format.jpeg.quality: 80 → 85`.
    public var text: String {
        switch (old, new) {
        case (nil, let new?): "\(path): \(Self.short(new)), added"
        case (let old?, nil): "\(path): \(Self.short(old)), removed"
        case (let old, let new): "\(path): \(old.map(Self.short) ?? "") → \(new.map(Self.short) ?? "")"
        }
    }

    private static func short(_ value: CanonicalJSON) -> String {
        let text = value.text
        return text.unicodeScalars.count > width ? String(text.unicodeScalars.prefix(width)) + "…" : text
    }
}

extension ManifestChange {
    /// Returns the differences of two manifests and of what they include, in the order of the first, then of the second.
    ///
    /// Outputs belong together by their names. Header fields and credentials are replaced: they may hold secrets.
    public static func between(_ old: Manifest, _ new: Manifest) -> [ManifestChange] {
        between(old.written, new.written)
    }

    /// Returns the differences of the keys of two manifests.
    static func between(_ old: [JSONMember], _ new: [JSONMember]) -> [ManifestChange] {
        var comparison = ManifestComparison()
        comparison.compare(old, new)
        return comparison.changes
    }
}

/// The comparison of two values, from the top down.
private struct ManifestComparison {
    /// The keys of values that may hold secrets.
    static let secretKeys: Set = ["headers", "auth", "proxy"]
    static let redacted = CanonicalJSON.string("redacted")

    private(set) var changes: [ManifestChange] = []

    mutating func compare(
        _ old: [JSONMember],
        _ new: [JSONMember],
        at path: JSONPath = .top,
        isSecret: Bool = false
    ) {
        let (before, after) = (old.byKey, new.byKey)
        for key in old.map(\.key) + new.map(\.key).filter({ before[$0] == nil }) {
            let isSecret = isSecret || Self.secretKeys.contains(key)
            compare(before[key], after[key], at: .key(path, key), isSecret: isSecret)
        }
    }

    private mutating func compare(_ old: JSONValue?, _ new: JSONValue?, at path: JSONPath, isSecret: Bool) {
        switch (old?.kind, new?.kind) {
        case (.object(let old), .object(let new)): compare(old, new, at: path, isSecret: isSecret)
        case (.array(let old), .array(let new)): compare(old, new, at: path, isSecret: isSecret)
        default: add(old, new, at: path, isSecret: isSecret)
        }
    }

    private mutating func compare(_ old: [JSONValue], _ new: [JSONValue], at path: JSONPath, isSecret: Bool) {
        if let names = (old + new).names(count: old.count) {
            let places = Dictionary(names.new.enumerated().map { ($1, $0) }) { first, _ in first }
            for (index, name) in names.old.enumerated() {
                let place = places[name]
                let value = place.map { new[$0] }
                compare(old[index], value, at: .index(path, place ?? index), isSecret: isSecret)
            }
            let known = Set(names.old)
            for (index, name) in names.new.enumerated() where !known.contains(name) {
                add(nil, new[index], at: .index(path, index), isSecret: isSecret)
            }
        } else if old.count == new.count {
            for index in old.indices {
                compare(old[index], new[index], at: .index(path, index), isSecret: isSecret)
            }
        } else {
            // What moved is no change of a list that grows or shrinks.
            var rest = Dictionary(old.map { (CanonicalJSON($0).text, 1) }, uniquingKeysWith: +)
            var added: [Int] = []
            for (index, value) in new.enumerated() {
                let text = CanonicalJSON(value).text
                if let count = rest[text], count > 0 { rest[text] = count - 1 } else { added.append(index) }
            }
            for (index, value) in old.enumerated().reversed() {
                let text = CanonicalJSON(value).text
                guard let count = rest[text], count > 0 else { continue }
                rest[text] = count - 1
                add(value, nil, at: .index(path, index), isSecret: isSecret)
            }
            for index in added { add(nil, new[index], at: .index(path, index), isSecret: isSecret) }
        }
    }

    private mutating func add(_ old: JSONValue?, _ new: JSONValue?, at path: JSONPath, isSecret: Bool) {
        let (old, new) = (old.map { CanonicalJSON($0) }, new.map { CanonicalJSON($0) })
        guard old?.text != new?.text else { return }
        changes.append(
            ManifestChange(
                path: path.description,
                old: isSecret ? old.map { _ in Self.redacted } : old?.withoutSecrets,
                new: isSecret ? new.map { _ in Self.redacted } : new?.withoutSecrets
            )
        )
    }
}

extension [JSONMember] {
    fileprivate var byKey: [String: JSONValue] {
        Dictionary(map { ($0.key, $0.value) }) { first, _ in first }
    }
}

extension [JSONValue] {
    /// The names of the first `count` values and of the others; nil unless all have names that differ on each side.
    fileprivate func names(count: Int) -> (old: [String], new: [String])? {
        let names = compactMap { value -> String? in
            guard case .object(let members) = value.kind, case .string(let name) = members.byKey["name"]?.kind
            else { return nil }
            return name
        }
        guard names.count == self.count else { return nil }
        let (old, new) = ([String](names[..<count]), [String](names[count...]))
        return Set(old).count == old.count && Set(new).count == new.count ? (old, new) : nil
    }
}

extension CanonicalJSON {
    /// The value without its places; equal numbers are one, however they are written.
    init(_ value: JSONValue) {
        self =
            switch value.kind {
            case .null: .null
            case .bool(let value): .bool(value)
            case .number(let text):
                Int(text).map(CanonicalJSON.integer) ?? Double(text).map(CanonicalJSON.number)
                    ?? .string(text)
            case .string(let text): .string(text)
            case .array(let elements): .array(elements.map { CanonicalJSON($0) })
            case .object(let members): .object(members.byKey.mapValues { CanonicalJSON($0) })
            }
    }

    /// The value without header fields and credentials, and without users and passwords in URLs.
    var withoutSecrets: CanonicalJSON {
        switch self {
        case .string(let text): .string(text.replacing(/:\/\/[^\/?#\\]*@/) { _ in "://redacted@" })
        case .array(let elements): .array(elements.map(\.withoutSecrets))
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { key, value in
                        let isSecret = ManifestComparison.secretKeys.contains(key)
                        return (key, isSecret ? ManifestComparison.redacted : value.withoutSecrets)
                    }
                )
            )
        case .null, .bool, .integer, .number, .written: self
        }
    }
}
