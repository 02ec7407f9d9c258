extension KeyKind where Value == [String: String] {
    /// Header fields as written.
    static var headers: Self {
        KeyKind(
            "object of strings",
            schema: JSONSchema.headers,
            read: { $0.headers() },
            write: { .strings($0) }
        )
    }

    /// Header fields with their variables expanded.
    static var expandedHeaders: Self {
        KeyKind("object of strings", schema: JSONSchema.headers) { node in
            node.headers().mapValues { node.reading.shared.variables.expanded($0) }
        } write: {
            .strings($0)
        }
    }
}

/// Values that the reader of the section takes apart itself.
extension KeyKind where Value == ManifestNode {
    /// A value of a form of its own.
    static func custom(_ type: String, schema: CanonicalJSON) -> Self {
        KeyKind(type, schema: schema) {
            $0
        } write: { _ in
            .null
        }
    }

    /// Text that means what the reader of the section makes of it.
    static var written: Self { custom("string", schema: JSONSchema.string) }

    /// An object with the keys of `section`.
    static func object(_ section: ManifestSection) -> Self {
        custom("object", schema: JSONSchema.section(section))
    }

    /// A list of objects with the keys of `section`.
    static func objects(_ section: ManifestSection) -> Self {
        custom("array of objects", schema: JSONSchema.list(of: JSONSchema.section(section)))
    }
}

extension KeyKind where Value: ManifestObject {
    /// An object whose keys set the properties of a value.
    static func object(_ type: Value.Type) -> Self {
        KeyKind(
            "object",
            schema: JSONSchema.section(Value.section),
            read: { Value(object: $0) },
            write: \.json
        )
    }

    /// An object all of whose keys can be left out: then `true` will do.
    static func flagOrObject(_ type: Value.Type) -> Self {
        KeyKind(
            "`true` or object",
            schema: JSONSchema.any(["const": true], JSONSchema.section(Value.section))
        ) { node in
            if case .bool(true) = node.value.kind { Value.standard } else { Value(object: node) }
        } write: {
            $0.json
        }
    }
}

extension KeyKind {
    /// A list; the errors of all elements are reported.
    static func list<Element: Sendable>(of element: KeyKind<Element>, _ type: String) -> Self
    where Value == [Element] {
        KeyKind(type, schema: JSONSchema.list(of: element.schema)) {
            $0.elements()?.compactMap(element.read)
        } write: {
            .array($0.map(element.write))
        } show: {
            .array($0.map(element.show))
        }
    }

    /// A list whose order means nothing; the errors of all elements are reported.
    static func set<Element: Sendable>(of element: KeyKind<Element>, _ type: String) -> Self
    where Value == Set<Element> {
        KeyKind(type, schema: JSONSchema.list(of: element.schema)) {
            ($0.elements()?.compactMap(element.read)).map(Set.init)
        } write: { elements in
            .array(elements.map(element.write).sorted { $0.text < $1.text })
        }
    }

    /// The values of which `make` makes one of several alternatives, which are written elsewhere.
    func making<Alternative>(_ make: @escaping @Sendable (Value) -> Alternative?) -> KeyKind<Alternative> {
        KeyKind<Alternative>(type, schema: schema) { [read] node in
            read(node).flatMap(make)
        } write: { _ in
            .null
        }
    }
}
