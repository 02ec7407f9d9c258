extension KeyKind where Value == [String: String] {
    /// Header fields as written.
    static var headers: Self { KeyKind("object of strings", schema: ManifestSchema.headers) { $0.headers() } }

    /// Path variables.
    static var variables: Self {
        KeyKind("object of strings and numbers", schema: ManifestSchema.variables) { $0.variables() }
    }
}

/// Values that the reader of the section takes apart itself.
extension KeyKind where Value == ManifestNode {
    /// A value of a form of its own.
    static func custom(_ type: String, schema: CanonicalJSON) -> Self {
        KeyKind(type, schema: schema) { $0 }
    }

    /// An object with the keys of `section`.
    static func object(_ section: ManifestSection) -> Self {
        KeyKind("object", schema: ManifestSchema.section(section)) { $0 }
    }

    /// An object with the keys of `section`, all of which can be left out: then `true` will do.
    static func flagOrObject(_ section: ManifestSection) -> Self {
        KeyKind(
            "`true` or object",
            schema: ManifestSchema.any(["const": true], ManifestSchema.section(section))
        ) {
            $0
        }
    }

    /// A list of objects with the keys of `section`.
    static func objects(_ section: ManifestSection) -> Self {
        KeyKind("array of objects", schema: ManifestSchema.list(of: ManifestSchema.section(section))) { $0 }
    }
}

extension KeyKind {
    /// A list; the errors of all elements are reported.
    static func list<Element>(of element: KeyKind<Element>, _ type: String) -> Self where Value == [Element] {
        KeyKind(type, schema: ManifestSchema.list(of: element.schema)) {
            $0.elements()?.compactMap(element.read)
        }
    }
}
