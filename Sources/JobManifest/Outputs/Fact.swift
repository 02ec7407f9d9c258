/// A fact to record of each original, by its name in a manifest's `facts`.
public enum Fact: String, Sendable, Hashable, CaseIterable {
    /// Width and height of the upright image in pixels.
    case size
    /// The file format.
    case format
    /// The EXIF orientation, from 1 (upright) to 8.
    case orientation
    /// Camera, lens, time and exposure.
    case exif
    /// The GPS position, which is private: only this name asks for it.
    case location
    /// The most frequent colour.
    case dominantColor
    /// A placeholder of 28 characters.
    case blurHash
    /// A placeholder in Base64, with aspect ratio and alpha.
    case thumbHash
    /// A tiny image as a `data:` URI.
    case placeholder
    /// The perceptual hash PDQ with its quality.
    case pdq
    /// The number of frames of an animation, its time and its plays, recorded unasked if there is any.
    case animation
    /// The gain map beside an image, and the outputs that keep it, recorded unasked if there is any.
    case gainMap
    /// The faults of a file whose pixels are shown all the same, recorded unasked if there are any.
    case warnings

    /// The facts that are recorded of an original which has them, whether a manifest names them or not.
    package static let unasked: [Fact] = [.animation, .gainMap, .warnings]

    /// True if pixels are needed; the other facts are in the file's header.
    package var needsPixels: Bool {
        switch self {
        case .size, .format, .orientation, .exif, .location, .animation, .gainMap: false
        case .dominantColor, .blurHash, .thumbHash, .placeholder, .pdq, .warnings: true
        }
    }

    /// The value in a few words of Markdown.
    package var summary: String {
        switch self {
        case .size: "width and height in pixels, upright"
        case .format: "the file format"
        case .orientation: "the EXIF orientation, 1 (upright) to 8"
        case .exif: "camera, lens, time and exposure"
        case .location: "latitude, longitude and altitude"
        case .dominantColor: "the most frequent colour"
        case .blurHash: "a placeholder of 28 characters ([BlurHash](https://blurha.sh))"
        case .thumbHash:
            "a placeholder in Base64, with alpha ([ThumbHash](https://evanw.github.io/thumbhash/))"
        case .placeholder: "a tiny PNG as a `data:` URI of at most 400 characters"
        case .pdq:
            "a hash of 256 bits that near copies share most of, and its quality from 0 to 100: see [Near copies](near-copies.md)"
        case .animation:
            "the number of frames, the seconds of one play, and the number of plays (0 for ever), of a file that is animated: see [Animations](animation.md)"
        case .gainMap:
            "the gain map of a file that has one: its form (`iso`, `adobe` or `apple`), width and height, the outputs that have it (`kept`), and others with the reason (`dropped`): see [HDR](hdr.md)"
        case .warnings: "what was wrong with the file, although it is shown: see [Warnings](#warnings)"
        }
    }

    /// The names of its values, for a table's columns: `size.width`, or its own name where it is one value.
    public var columns: [String] {
        let names: [String] =
            switch self {
            case .size: ["width", "height"]
            case .exif: ["make", "model", "lens", "taken", "exposureTime", "fNumber", "iso", "focalLength"]
            case .location: ["latitude", "longitude", "altitude"]
            case .pdq: ["hash", "quality"]
            case .animation: ["frames", "seconds", "plays"]
            case .gainMap: ["form", "width", "height", "kept", "dropped"]
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
            if facts.contains(fact) { element.report("\"\(fact.rawValue)\" is a duplicate: remove it") }
            facts.append(fact)
        }
        return facts
    }
}
