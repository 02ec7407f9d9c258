import Imaging

/// Gravities from a manifest: `"northEast"`, or `{"x": 0.5, "y": 0.25}`.
extension Gravity {
    /// The words for the points of the compass.
    static let named: [String: Gravity] = [
        "center": .center, "north": .north, "northEast": .northEast, "east": .east, "southEast": .southEast,
        "south": .south, "southWest": .southWest, "west": .west, "northWest": .northWest,
    ]

    /// The gravity that `node` says, the middle if there is no node; nil after an error.
    ///
    /// `others` are words that may stand here too, and are not read here.
    static func read(_ node: ManifestNode?, others: [String] = [], default: Gravity = .center) -> Gravity? {
        guard let node else { return `default` }
        if case .string(let word) = node.value.kind {
            if let gravity = named[word] { return gravity }
            node.report(noneOf: named.keys + others, later: [], word)
            return nil
        }
        guard let fields = node.fields(.gravity) else { return nil }
        guard let xNode = fields["x"], let yNode = fields["y"] else {
            node.report("needs \"x\" and \"y\", each from 0 to 1")
            return nil
        }
        guard let x = xNode.number(0...1), let y = yNode.number(0...1) else { return nil }
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
