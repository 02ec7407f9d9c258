import Files

/// The order of the keys at one place of a manifest: that of their declarations.
///
/// It follows the schema from the top down, so that each key is looked up where it is declared.
struct KeyOrder {
    /// The order at the top of a manifest.
    static let manifest = KeyOrder(schemas: [JSONSchema.section(Manifest.section)])

    private static let sections = Dictionary(ManifestSection.all.map { ($0.name, $0) }) { first, _ in first }

    /// The schemas of which the value has one.
    private let schemas: [CanonicalJSON]

    private init(schemas: [CanonicalJSON]) {
        self.schemas = schemas.flatMap(\.alternatives)
    }

    /// The object that a value is; nil for one whose keys are names of its own, such as header fields.
    func section(of members: [JSONMember]) -> ManifestSection? {
        let sections = schemas.compactMap { $0.reference.flatMap { Self.sections[$0] } }
        return sections.max { left, right in
            members.count { left.contains($0.key) } < members.count { right.contains($0.key) }
        }
    }

    /// Returns the order in the value of a key.
    func member(_ key: String, of members: [JSONMember]) -> KeyOrder {
        if let section = section(of: members) {
            return KeyOrder(schemas: section.keys.filter { $0.name == key }.map(\.schema))
        }
        return KeyOrder(schemas: schemas.compactMap { $0["additionalProperties"] })
    }

    /// The order in each element of an array.
    var element: KeyOrder { KeyOrder(schemas: schemas.compactMap { $0["items"] }) }

    /// Returns the positions of members in their order; keys that people do not write come last, as they are.
    func positions(of members: [JSONMember]) -> [Int] {
        guard let section = section(of: members) else { return Array(members.indices) }
        let ranks = Dictionary(section.keys.map(\.name).enumerated().map { ($1, $0) }) { first, _ in first }
        return members.indices.sorted {
            (ranks[members[$0].key] ?? .max, $0) < (ranks[members[$1].key] ?? .max, $1)
        }
    }

    /// Reports each key of `node` that its object does not have, and required ones that are missing.
    func check(_ node: ManifestNode) {
        switch node.value.kind {
        case .array:
            for element in node.elements() ?? [] { self.element.check(element) }
        case .object(let members):
            guard let section = section(of: members) else {
                for member in members {
                    let value = ManifestNode(
                        value: member.value,
                        path: .key(node.path, member.key),
                        reading: node.reading
                    )
                    self.member(member.key, of: members).check(value)
                }
                return
            }
            for (key, value) in node.fields(section)?.nodes ?? [:] {
                member(key, of: members).check(value)
            }
        case .null, .bool, .number, .string: break
        }
    }
}

extension CanonicalJSON {
    /// The schemas of which a value has one, of a schema.
    fileprivate var alternatives: [CanonicalJSON] {
        if case .array(let schemas) = self["anyOf"] { schemas.flatMap(\.alternatives) } else { [self] }
    }

    /// The section that a schema refers to.
    fileprivate var reference: String? {
        guard case .string(let text) = self["$ref"] else { return nil }
        return text.parts(at: "/").last.map { String($0) }
    }

    fileprivate subscript(key: String) -> CanonicalJSON? {
        if case .object(let members) = self { members[key] } else { nil }
    }
}
