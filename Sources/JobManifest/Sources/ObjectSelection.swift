import Files
import ObjectStorage

/// The objects of a store that globs of keys match, without those that others exclude.
public struct ObjectSelection: Sendable, Equatable {
    /// The patterns as the manifest has them, at least one.
    public let written: [String]
    /// The patterns of the keys.
    package let patterns: [ObjectPattern]
    /// The patterns of objects and folders that are left out.
    package let excluded: [ObjectPattern]
    /// The manifest of an S3 Inventory that is read in place of a listing; nil for a listing.
    package let inventory: String?

    /// A bucket and a beginning of keys that are listed.
    package struct Target: Sendable, Equatable {
        /// The bucket.
        package let bucket: String
        /// The beginning of the keys; empty for the whole bucket.
        package let prefix: String
    }

    /// The listings that find all objects, in order, of which none has a key that another one has.
    package var targets: [Target] {
        guard inventory == nil else { return [] }
        let sorted = patterns.map { Target(bucket: $0.bucket, prefix: $0.prefix) }.sorted { left, right in
            left.bucket == right.bucket
                ? left.prefix.utf8.lexicographicallyPrecedes(right.prefix.utf8) : left.bucket < right.bucket
        }
        var targets: [Target] = []
        for target in sorted {
            // A beginning stands before all that it is a beginning of.
            let isCovered = targets.last.map { last in
                last.bucket == target.bucket && target.prefix.utf8.starts(with: last.prefix.utf8)
            }
            if isCovered != true { targets.append(target) }
        }
        return targets
    }

    /// The URL of the folder that all objects are in, with a slash at its end, from which `{dir}` starts; nil for several
    /// buckets, and for an inventory.
    package var base: String? {
        guard inventory == nil, let first = patterns.first, patterns.allSatisfy({ $0.bucket == first.bucket })
        else { return nil }
        var common = first.folder.utf8[...]
        for pattern in patterns.dropFirst() {
            common = common.prefix(zip(common, pattern.folder.utf8).prefix { $0 == $1 }.count)
        }
        let end = common.lastIndex(of: UInt8(ascii: "/")).map(common.index(after:)) ?? common.startIndex
        return "s3://\(first.bucket)/\(String(decoding: common[..<end], as: UTF8.self))"
    }

    /// The text for messages.
    package var label: String { written.joined(separator: ", ") }
}

/// A pattern of the keys of a bucket.
package struct ObjectPattern: Sendable, Equatable {
    /// The bucket; empty for that of an inventory, whatever it is.
    package let bucket: String
    /// The folder before the first wildcard, with a slash at its end; empty for the bucket itself.
    package let folder: String
    /// The pattern of the names below the folder, in which a slash before each key makes it a path.
    package let glob: Glob
    /// The characters that all keys begin with, as far as the pattern fixes them.
    package let prefix: String

    /// Reads `s3://bucket/pattern`.
    ///
    /// A key without a wildcard that does not end like an image means all images in that folder; with `excludes`, everything.
    init(_ written: String, ignoresCase: Bool, excludes: Bool = false) throws(TextError) {
        guard let location = ObjectLocation(written) else {
            throw TextError("should name a bucket and a pattern of keys: s3://bucket/photos/**/*.jpg")
        }
        try self.init(
            written,
            bucket: location.bucket,
            pattern: location.key,
            ignoresCase: ignoresCase,
            excludes: excludes
        )
    }

    /// Makes the pattern of the images in any bucket.
    private init(imagesOf written: String) throws(TextError) {
        try self.init(written, bucket: "", pattern: "", ignoresCase: true, excludes: false)
    }

    /// Returns the pattern of what the manifest of an inventory lists; nil for a text that is none.
    static func ofInventory(_ written: String) throws(TextError) -> ObjectPattern? {
        let isInventory = written.utf8.reversed().starts(with: "/manifest.json".utf8.reversed())
        guard isInventory, ObjectLocation(written) != nil, !Glob.isWild(written) else { return nil }
        return try ObjectPattern(imagesOf: written)
    }

    /// Returns true if the pattern is of keys of a bucket.
    package func isOf(_ name: String) -> Bool { bucket.isEmpty || bucket == name }

    /// Reads a pattern of keys below the folder of another pattern, all of which are left out.
    init(_ written: String, below other: ObjectPattern, ignoresCase: Bool) throws(TextError) {
        try self.init(
            written,
            bucket: other.bucket,
            pattern: Glob.escaped(other.folder) + written,
            ignoresCase: ignoresCase,
            excludes: true
        )
    }

    private init(
        _ written: String,
        bucket: String,
        pattern: String,
        ignoresCase: Bool,
        excludes: Bool
    ) throws(TextError) {
        self.bucket = bucket
        var pattern = pattern
        // The folder itself is left out with all that is in it.
        if excludes, pattern.utf8.last == UInt8(ascii: "/") { pattern.unicodeScalars.removeLast() }
        let isPlain = !Glob.isWild(pattern)
        let isFolder = isPlain && !excludes && !Self.isImage(pattern)
        if isFolder {
            if !pattern.isEmpty, pattern.utf8.last != UInt8(ascii: "/") { pattern += "/" }
            pattern += "**/" + Glob.images
        }
        let names = pattern.parts(at: "/").map(String.init)
        guard let last = names.last, !last.isEmpty else {
            throw TextError("names no object: end it with a name or a pattern, such as *.jpg")
        }
        let wild = names.firstIndex(where: Glob.isWild) ?? names.count - 1
        folder = names[..<wild].map { Glob.unescaped($0) + "/" }.joined()
        glob = try Glob(
            written,
            root: "/" + folder.unicodeScalars.dropLast().map(String.init).joined(),
            names: names[wild...].joined(separator: "/"),
            // The one object of a key is meant as it is written.
            ignoresCase: isFolder || (ignoresCase && (!isPlain || excludes))
        )
        prefix = folder + Self.commonBeginning(of: glob)
    }

    private static func isImage(_ key: String) -> Bool {
        let name = key.lowercased()
        return Glob.imageExtensions.contains { name.hasSuffix("." + $0) }
    }

    private static func commonBeginning(of glob: Glob) -> String {
        let beginnings = glob.choices.map {
            Array(($0.first?.fixedBeginning(ignoringCase: glob.ignoresCase) ?? "").unicodeScalars)
        }
        var common = beginnings.first ?? []
        for beginning in beginnings.dropFirst() {
            common = Array(common.prefix(zip(common, beginning).prefix { $0 == $1 }.count))
        }
        return String(String.UnicodeScalarView(common))
    }
}

extension ObjectSelection {
    /// Selects the objects that one pattern matches, `s3://bucket/lists/train-*.parquet`.
    init(pattern: String) throws(TextError) {
        written = [pattern]
        patterns = [try ObjectPattern(pattern, ignoresCase: false)]
        (excluded, inventory) = ([], nil)
    }
}

/// Objects from a manifest.
extension ObjectSelection {
    init?(_ node: ManifestNode, _ fields: Fields) {
        let ignoresCase = fields[SourceKeys.ignoreCase] ?? SourceKeys.ignoreCase.standard
        var written: [String] = []
        var inventories: [String] = []
        let patterns = Glob.read(node) { pattern, node throws(TextError) in
            written.append(pattern)
            if let images = try ObjectPattern.ofInventory(pattern) {
                inventories.append(pattern)
                return [images]
            }
            return [try ObjectPattern(pattern, ignoresCase: ignoresCase)]
        }
        guard !patterns.isEmpty else {
            if case .array(let elements) = node.value.kind, elements.isEmpty {
                node.report("is empty: name at least one pattern of keys")
            }
            return nil
        }
        let excluded = fields[SourceKeys.exclude].map { node in
            Glob.read(node) { pattern, node throws(TextError) in
                guard !ObjectLocation.isLocation(pattern) else {
                    return [try ObjectPattern(pattern, ignoresCase: ignoresCase, excludes: true)]
                }
                var found: [ObjectPattern] = []
                for other in patterns {
                    found.append(try ObjectPattern(pattern, below: other, ignoresCase: ignoresCase))
                }
                return found
            }
        }
        if !inventories.isEmpty, patterns.count > 1 {
            node.report("has an inventory beside other patterns: give it a source of its own")
        }
        self.written = written
        self.patterns = patterns
        self.excluded = excluded ?? []
        inventory = inventories.first
    }
}
