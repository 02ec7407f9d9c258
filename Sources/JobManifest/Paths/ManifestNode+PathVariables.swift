// The path variables of a source or an item, which have no name of a built-in one.

extension ManifestNode {
    /// Path variables of a source or an item: text, or numbers as they are written.
    func variables() -> [String: String] {
        var variables: [String: String] = [:]
        for (name, node) in members() ?? [] {
            node.checkVariableName(name)
            if let text = node.text() { variables[name] = text }
        }
        return variables
    }

    /// Reports the node if no path variable can be called `name`.
    func checkVariableName(_ name: String) {
        if name.isEmpty || name.contains(where: { "{}:/".contains($0) }) {
            report(
                "\(CanonicalJSON.quoted(name)) is not a name of a path variable: use no braces, colon or slash"
            )
        }
        if OutputPath.reservedNames.contains(name) {
            report("{\(name)} is a built-in path variable: choose another name")
        }
    }
}

extension JSONSchema {
    /// Path variables.
    static let variables = variables(scalar)

    /// The variables of a template: lists and ranges.
    static let values = variables([
        "anyOf": [
            ["type": "array", "items": scalar, "minItems": 1], pattern("[0-9]{1,18}\\.\\.[0-9]{1,18}"),
        ]
    ])

    private static func variables(_ value: CanonicalJSON) -> CanonicalJSON {
        [
            "type": "object",
            "propertyNames": [
                "pattern": "^[^{}:/]+$",
                "not": ["enum": .array(OutputPath.reservedNames.sorted().map(CanonicalJSON.string))],
            ],
            "additionalProperties": value,
        ]
    }
}

extension KeyKind where Value == [String: String] {
    /// Path variables.
    static var variables: Self {
        KeyKind("object of strings and numbers", schema: JSONSchema.variables) {
            $0.variables()
        } write: {
            .strings($0)
        }
    }
}
