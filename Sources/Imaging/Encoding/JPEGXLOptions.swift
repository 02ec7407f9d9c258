/// JPEG XL settings.
public struct JPEGXLOptions: Sendable, Hashable {
    /// The distance from the image that Butteraugli measures, 0 to 25; 1 by default, which is hard to see.
    ///
    /// 0 keeps every pixel unchanged, as ``lossless`` does.
    public var distance: Double
    /// True to keep every pixel unchanged, whatever the distance.
    public var lossless: Bool
    /// Effort, 1 (fast) to 9 (small); 7 by default.
    public var effort: Int
    /// The maximum size of the file in bytes, for which the distance is raised; nil for no limit.
    ///
    /// A lossless image that is larger fails.
    public var maxBytes: Int?
    /// The score of SSIMULACRA2 that the file has at least, for which the distance is searched; nil to use `distance`.
    public var minimumSSIMULACRA2: Double?

    /// Creates settings.
    public init(
        distance: Double = 1,
        lossless: Bool = false,
        effort: Int = 7,
        maxBytes: Int? = nil,
        minimumSSIMULACRA2: Double? = nil
    ) {
        self.distance = distance
        self.lossless = lossless
        self.effort = effort
        self.maxBytes = maxBytes
        self.minimumSSIMULACRA2 = minimumSSIMULACRA2
    }

    /// True if every pixel is kept.
    var isLossless: Bool { lossless || distance == 0 }

    /// The most that libjxl holds, measured with 0.7 and 0.11.
    ///
    /// From effort 8 on, it compares the image with what it makes of it; from a distance of 20 on, it looks for the best image of half
    /// the size.
    var workingMemory: WorkingMemory {
        let mayBeFar = distance >= 20 || maxBytes != nil || minimumSSIMULACRA2 != nil
        return WorkingMemory(perOutputPixel: effort >= 8 ? 320 : mayBeFar ? 200 : 120, fixed: 12 << 20)
    }

    /// The quality, 0 to 100, that stands for the distance: the lowest one whose distance is not larger.
    var quality: Int {
        get {
            Self.qualities.first { Self.distance(ofQuality: $0) <= distance + 1e-9 }
                ?? Self.qualities.upperBound
        }
        set { distance = Self.distance(ofQuality: newValue) }
    }

    /// The qualities that stand for distances: 0 for the largest one.
    static let qualities = 0...100

    /// Returns the distance of a quality, as libjxl 0.9 and later do (`JxlEncoderDistanceFromQuality`); 100 is a tenth, since none
    /// would be without loss.
    package static func distance(ofQuality quality: Int) -> Double {
        let quality = Double(quality)
        return quality >= 30
            ? 0.1 + (100 - quality) * 0.09 : 53.0 / 3000 * quality * quality - 23.0 / 20 * quality + 25
    }
}
