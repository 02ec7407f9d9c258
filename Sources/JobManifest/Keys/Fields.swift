/// The known keys of one object.
struct Fields {
    let section: ManifestSection
    let owner: ManifestNode
    /// The values by key, without unknown keys.
    let nodes: [String: ManifestNode]
    /// The number of members in the text, unknown keys included.
    let count: Int

    /// Reads the value of a key; nil if it is missing, or after an error.
    subscript<Value>(_ key: Key<Value>) -> Value? { node(key).flatMap(key.kind.read) }

    /// Reads the value of the one of `keys` that the object has.
    func alternative<Value>(of keys: [Key<Value>]) -> Value? {
        keys.first { nodes[$0.name] != nil }.flatMap { self[$0] }
    }

    /// The value of a key before it is read.
    func node(_ key: some ManifestKey) -> ManifestNode? { node(key.name) }

    /// The value of a key before it is read, by the key's name.
    func node(_ name: String) -> ManifestNode? {
        assert(section.contains(name), "\(name) is not among the keys of \(section.name)")
        return nodes[name]
    }

    /// Reports the object if none of the keys with these names is in it.
    func require(anyOf names: String...) { require(names) }

    fileprivate func require(_ names: [String]) {
        guard names.allSatisfy({ nodes[$0] == nil }) else { return }
        let list = names.map { "\"\($0)\"" }.joined(separator: " or ")
        owner.report("\(list) is missing: add it")
    }
}

extension ManifestNode {
    /// The values of an object by key; reports unknown keys, and required ones that are missing.
    ///
    /// The parser has reported duplicates.
    func fields(_ section: ManifestSection) -> Fields? {
        guard case .object(let members) = value.kind else {
            wrongType("an object")
            return nil
        }
        var nodes: [String: ManifestNode] = [:]
        for member in members {
            let memberPath = JSONPath.key(path, member.key)
            if section.contains(member.key) {
                nodes[member.key] = ManifestNode(value: member.value, path: memberPath, reading: reading)
            } else {
                let isSeveral = if case .array = member.value.kind { true } else { false }
                reading.report(
                    "unknown key" + section.remedy(for: member.key, isSeveral: isSeveral),
                    at: member.offset,
                    path: memberPath
                )
            }
        }
        let fields = Fields(section: section, owner: self, nodes: nodes, count: members.count)
        for name in section.required { fields.require(anyOf: name) }
        if !section.anyOf.isEmpty { fields.require(section.anyOf) }
        return fields
    }
}
