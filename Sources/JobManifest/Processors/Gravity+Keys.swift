import Imaging

/// Gravities from a manifest: `"northEast"`, or `{"x": 0.5, "y": 0.25}`.
extension Gravity {
    /// The words for the points of the compass.
    static let named: [String: Gravity] = [
        "center": .center, "north": .north, "northEast": .northEast, "east": .east, "southEast": .southEast,
        "south": .south, "southWest": .southWest, "west": .west, "northWest": .northWest,
    ]

    /// Other words that people write for them.
    private static let synonyms = [
        "centre": "center", "middle": "center", "top": "north", "topRight": "northEast", "right": "east",
        "bottomRight": "southEast", "bottom": "south", "bottomLeft": "southWest", "left": "west",
        "topLeft": "northWest", "attention": ManifestNode.smart, "auto": ManifestNode.smart,
    ]

    static let section = ManifestSection(
        "gravity",
        title: "Gravity",
        about: [
            "A gravity is `\"center\"`, `\"north\"`, `\"northEast\"`, `\"east\"`, `\"southEast\"`, `\"south\"`, `\"southWest\"`, "
                + "`\"west\"` or `\"northWest\"`, or a point with these keys. `crop` also takes `\"smart\"`."
        ],
        example: .processor(#"{"crop": {"width": 320, "height": 240, "gravity": {"x": 0.5, "y": 0.3}}}"#),
        keys: [x, y]
    )

    private static let x = KeyName("x", "0 is left, 1 is right.")
        .holds(.number(0...1), default: .required, example: 0.5)
    private static let y = KeyName("y", "0 is top, 1 is bottom.")
        .holds(.number(0...1), default: .required, example: 0.3)

    /// Returns the gravity in `node`, the centre without a node; nil after an error.
    ///
    /// `others` are words that may stand here too, and are not read here.
    static func read(_ node: ManifestNode?, others: [String] = []) -> Gravity? {
        guard let node else { return .center }
        if case .string(let word) = node.value.kind {
            if let gravity = named[word] { return gravity }
            node.report(word, isNoneOf: named.keys + others, synonyms: synonyms)
            return nil
        }
        guard let fields = node.fields(Self.section) else { return nil }
        guard let x = fields[Self.x], let y = fields[Self.y] else { return nil }
        return .point(x: x, y: y)
    }

    var canonical: CanonicalJSON {
        if case .point(let x, let y) = self { return .object(["x": .number(x), "y": .number(y)]) }
        return Self.named.first { $0.value == self }.map { .string($0.key) } ?? .null
    }
}

extension KeyKind where Value == Gravity {
    static var gravity: Self {
        KeyKind("gravity", schema: schema(), read: { Value.read($0) }, write: \.canonical)
    }

    /// A gravity, as a word or a point; `others` are words that may stand here too.
    static func schema(others: [String] = []) -> CanonicalJSON {
        JSONSchema.any(JSONSchema.words(Gravity.named.keys + others), JSONSchema.section(Gravity.section))
    }
}

extension ManifestNode {
    /// The gravity of a crop that the pixels decide.
    static let smart = "smart"

    var isSmart: Bool {
        if case .string(Self.smart) = value.kind { return true }
        return false
    }
}
