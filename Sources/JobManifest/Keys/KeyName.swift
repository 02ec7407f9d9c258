/// The name of a key and its meaning: the beginning of its declaration, which `sets` or `holds` completes.
struct KeyName {
    private let name: String
    /// One sentence in Markdown.
    private let summary: String
    private var otherNames: [String] = []
    private var isHidden = false

    init(_ name: String, _ summary: String) {
        (self.name, self.summary) = (name, summary)
    }

    /// Adds names that people write by mistake; a hint leads to this key.
    func synonyms(_ words: [String]) -> KeyName {
        var name = self
        name.otherNames = words
        return name
    }

    /// The name of a key that people do not write: one that programs write, or that a release has retired.
    ///
    /// The reader takes it, and nothing that people read names it.
    var hidden: KeyName {
        var name = self
        name.isHidden = true
        return name
    }

    /// Returns the key of a property, whose value in a new object is the default.
    func sets<Object: ManifestObject, Value>(
        _ property: Property<Object, Value>,
        as kind: KeyKind<Value>,
        default: KeyDefault? = nil,
        example: CanonicalJSON
    ) -> BoundKey<Object> {
        let standard = `default` ?? .value(kind.show(Object.standard[keyPath: property]))
        return sets(as: kind, default: standard, example: example) {
            $0[keyPath: property]
        } set: {
            $0[keyPath: property] = $1
        }
    }

    /// Returns the key of a property that is nil without it.
    func sets<Object, Value>(
        _ property: Property<Object, Value?>,
        as kind: KeyKind<Value>,
        default: KeyDefault = .none,
        example: CanonicalJSON
    ) -> BoundKey<Object> {
        sets(as: kind, default: `default`, example: example) {
            $0[keyPath: property]
        } set: {
            $0[keyPath: property] = $1
        }
    }

    /// Returns a key that is more than one property; `get` returns nil for what is not written.
    func sets<Object, Value>(
        as kind: KeyKind<Value>,
        default: KeyDefault = .none,
        example: CanonicalJSON,
        get: @escaping @Sendable (Object) -> Value?,
        set: @escaping @Sendable (inout Object, Value) -> Void
    ) -> BoundKey<Object> {
        BoundKey(description: description(kind, `default`, example: example)) { node, object in
            if let value = kind.read(node) { set(&object, value) }
        } write: { object in
            get(object).map(kind.write) ?? .null
        }
    }

    /// Returns a key whose value means what other keys of its object are; `write` returns nil to leave it out.
    func reads<Object>(
        _ type: String,
        schema: CanonicalJSON,
        default: KeyDefault,
        example: CanonicalJSON,
        read: @escaping @Sendable (ManifestNode, inout Object) -> Void,
        write: @escaping @Sendable (Object) -> CanonicalJSON?
    ) -> BoundKey<Object> {
        let kind = KeyKind<ManifestNode>.custom(type, schema: schema)
        return BoundKey(description: description(kind, `default`, example: example), read: read, write: write)
    }

    /// Returns a key whose value the reader of its object takes.
    func holds<Value>(
        _ kind: KeyKind<Value>,
        default: KeyDefault = .none,
        example: CanonicalJSON
    ) -> Key<Value> {
        Key(kind: kind, description: description(kind, `default`, example: example))
    }

    private func description<Value>(
        _ kind: KeyKind<Value>,
        _ standard: KeyDefault,
        example: CanonicalJSON
    ) -> KeyDescription {
        KeyDescription(
            name: name,
            type: kind.type,
            default: standard,
            summary: summary,
            example: example,
            synonyms: otherNames,
            isHidden: isHidden,
            schema: kind.schema
        )
    }
}

/// A property of `Object` that a key sets.
typealias Property<Object, Value> = any WritableKeyPath<Object, Value> & Sendable
