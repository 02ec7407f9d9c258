/// AVIF settings.
public struct AVIFOptions: Sendable, Hashable {
    /// Quality, 0 to 100; 60 by default.
    ///
    /// From 90 on, chroma has full resolution (4:4:4); below, it is subsampled (4:2:0).
    public var quality: Int
    /// Speed, 0 (small) to 10 (fast); 6 by default.
    public var speed: Int
    /// The maximum size of the file in bytes, for which the quality is lowered; nil for no limit.
    public var maxBytes: Int?
    /// The score of SSIMULACRA2 that the file has at least, for which the quality is searched; nil to use `quality`.
    ///
    /// If no quality below 90 has it, the chroma gets full resolution (4:4:4) at any quality.
    public var minimumSSIMULACRA2: Double?
    /// True for a file halfway to the next lower quantizer, which only the search for a floor makes.
    var isHalfLower = false
    /// True for chroma of full resolution at any quality, which only the search for a floor asks for.
    var keepsChroma = false

    /// Creates settings.
    public init(quality: Int = 60, speed: Int = 6, maxBytes: Int? = nil, minimumSSIMULACRA2: Double? = nil) {
        self.quality = quality
        self.speed = speed
        self.maxBytes = maxBytes
        self.minimumSSIMULACRA2 = minimumSSIMULACRA2
    }

    /// The lowest quality whose files have all of the colour.
    static let fullChroma = 90

    var subsampling: ChromaSubsampling { keepsChroma || quality >= Self.fullChroma ? .s444 : .s420 }

    /// AV1's quantizer, 63 (worst) to 0 (best), for a quality.
    ///
    /// The same linear mapping as libavif since release 1.0 (`avifenc -q`), so that a quality means the same
    /// as in other programs.
    static func quantizer(of quality: Int) -> Int { ((100 - quality) * 63 + 50) / 100 }

    /// The lowest quality of each quantizer, rising.
    static let distinctQualities = (0...100).filter { $0 == 0 || quantizer(of: $0) != quantizer(of: $0 - 1) }
}
