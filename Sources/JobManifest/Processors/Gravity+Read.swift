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

    /// Returns the gravity in `node`, the centre without a node; nil after an error.
    ///
    /// `others` are words that may stand here too, and are not read here.
    static func read(_ node: ManifestNode?, others: [String] = [], default: Gravity = .center) -> Gravity? {
        guard let node else { return `default` }
        if case .string(let word) = node.value.kind {
            if let gravity = named[word] { return gravity }
            node.report(word, isNoneOf: named.keys + others, synonyms: synonyms)
            return nil
        }
        guard let fields = node.fields(.gravity) else { return nil }
        guard let x = fields[GravityKeys.x], let y = fields[GravityKeys.y] else { return nil }
        return .point(x: x, y: y)
    }

    var canonical: CanonicalJSON {
        if case .point(let x, let y) = self { return .object(["x": .number(x), "y": .number(y)]) }
        return Self.named.first { $0.value == self }.map { .string($0.key) } ?? .null
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
