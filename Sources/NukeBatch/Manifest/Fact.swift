/// What a manifest's `facts` may ask to be found out about each original, by its name there.
public enum Fact: String, Sendable, Hashable, CaseIterable {
    /// Width and height of the upright image in pixels.
    case size
    /// The file format.
    case format
    /// How the image is stored, as EXIF's number from 1 (upright) to 8.
    case orientation
    /// When, with what and how it was taken.
    case exif
    /// Where it was taken: private, so only ever on its own name.
    case location
    /// The colour that more of it has than any other.
    case dominantColor
    /// A placeholder of 28 characters.
    case blurHash
    /// A placeholder in Base64, which knows shape and alpha.
    case thumbHash

    /// Whether it is seen in pixels; the others stand in the file's header.
    var needsPixels: Bool {
        switch self {
        case .size, .format, .orientation, .exif, .location: false
        case .dominantColor, .blurHash, .thumbHash: true
        }
    }

    /// The names of its values, for a table's columns: `size.width`, or its own name where it is one value.
    public var columns: [String] {
        let names: [String] =
            switch self {
            case .size: ["width", "height"]
            case .exif: ["make", "model", "lens", "taken", "exposureTime", "fNumber", "iso", "focalLength"]
            case .location: ["latitude", "longitude", "altitude"]
            default: []
            }
        return names.isEmpty ? [rawValue] : names.map { "\(rawValue).\($0)" }
    }
}

extension Fact {
    /// Reads a list of facts, whose order means nothing; an empty one asks for none, as a missing one does.
    static func list(_ node: ManifestNode?) -> [Fact] {
        var facts: [Fact] = []
        for element in node?.elements() ?? [] {
            guard let fact = element.choice(Fact.self) else { continue }
            if facts.contains(fact) {
                element.report("\"\(fact.rawValue)\" is in the list already: remove one of them")
            }
            facts.append(fact)
        }
        return facts
    }
}
