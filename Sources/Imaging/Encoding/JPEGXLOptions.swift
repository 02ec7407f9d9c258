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

    /// Creates settings.
    public init(distance: Double = 1, lossless: Bool = false, effort: Int = 7, maxBytes: Int? = nil) {
        self.distance = distance
        self.lossless = lossless
        self.effort = effort
        self.maxBytes = maxBytes
    }

    /// True if every pixel is kept.
    var isLossless: Bool { lossless || distance == 0 }

    /// The most that libjxl holds, measured with 0.7 and 0.11.
    ///
    /// From effort 8 on, it compares the image with what it makes of it; from a distance of 20 on, it looks for the best image of half
    /// the size.
    var workingMemory: WorkingMemory {
        WorkingMemory(perOutputPixel: effort >= 8 ? 320 : distance >= 20 ? 200 : 120, fixed: 12 << 20)
    }

    /// The distance in tenths below zero, so that more is better: an image of the next lower one differs more.
    ///
    /// A tenth that is begun does not count, since its end is the next distance that is larger.
    var quality: Int {
        get { -Int((distance * 10).rounded(.down)) }
        set { distance = Double(-newValue) / 10 }
    }

    /// The quality of the largest distance.
    static let lowestQuality = -250
}
