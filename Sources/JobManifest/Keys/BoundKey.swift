/// A key of a manifest's object together with the property of `Object` that it sets.
///
/// Its declaration is the only place that knows it: the reader, the writer, the JSON Schema, `docs/manifest.md`, the manual
/// page and the hints for misspelt keys are all made from it.
struct BoundKey<Object: Sendable>: ManifestKey {
    let description: KeyDescription
    /// Sets the property; reports an error and leaves the property as it is.
    let read: @Sendable (ManifestNode, inout Object) -> Void
    /// Returns the value as a manifest writes it, null for none; nil to leave out the key.
    let write: @Sendable (Object) -> CanonicalJSON?
}

extension BoundKey where Object: ManifestObject {
    /// The key as one that is left out where it has its default.
    ///
    /// For keys that were added later: the text of a recipe without them is what it was, and nothing is made again.
    var addedLater: BoundKey { writing(nil) }

    /// The key as one that is null where it has its default.
    var nullByDefault: BoundKey { writing(.null) }

    /// The key as one that is written as `standard` where it has its default.
    private func writing(_ standard: CanonicalJSON?) -> BoundKey {
        BoundKey(description: description, read: read) { [write] object in
            let value = write(object)
            return value?.text == write(Object.standard)?.text ? standard : value
        }
    }
}

/// A value that a manifest writes as an object, whose keys set its properties.
protocol ManifestObject: Sendable {
    static var section: ManifestSection { get }
    static var keys: [BoundKey<Self>] { get }

    /// The value of an object without keys.
    static var standard: Self { get }

    /// Reports what no key can tell by itself.
    mutating func check(_ fields: Fields)
}

extension ManifestObject {
    func check(_ fields: Fields) {}

    /// Reads an object; nil after an error of its form.
    init?(object node: ManifestNode) {
        guard let fields = node.fields(Self.section) else { return nil }
        self = Self.standard
        read(fields)
    }

    /// Reads an object that may be missing; what it leaves out, and all after an error of its form, has its default.
    init(_ node: ManifestNode?) {
        self = Self.standard
        if let fields = node?.fields(Self.section) { read(fields) }
    }

    /// Sets the properties whose keys are in `fields`, and keeps the others.
    mutating func read(_ fields: Fields) {
        for key in Self.keys {
            if let node = fields.nodes[key.name] { key.read(node, &self) }
        }
        check(fields)
    }

    /// The object as a manifest writes it, the defaults too.
    var json: CanonicalJSON {
        var members: [String: CanonicalJSON] = [:]
        for key in Self.keys { members[key.name] = key.write(self) }
        return .object(members)
    }
}
