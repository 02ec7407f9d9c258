/// The quality of the formats that lose something.
extension EncodingFormat {
    /// The quality that decides about the size of a file; nil if nothing is lost.
    var quality: Int? {
        switch self {
        case .jpeg(let options): options.quality
        case .webp(let options): options.lossless ? nil : options.quality
        case .avif(let options): options.quality
        case .jxl(let options): options.isLossless ? nil : options.quality
        case .png, .gif: nil
        }
    }

    /// The lowest quality that the search for a small file tries.
    var lowestQuality: Int {
        if case .jxl = self { JPEGXLOptions.lowestQuality } else { 1 }
    }

    func with(quality: Int) -> EncodingFormat {
        switch self {
        case .jpeg(var options):
            options.quality = quality
            return .jpeg(options)
        case .webp(var options):
            options.quality = quality
            return .webp(options)
        case .avif(var options):
            options.quality = quality
            return .avif(options)
        case .jxl(var options):
            options.quality = quality
            return .jxl(options)
        case .png, .gif: return self
        }
    }

    /// The score of SSIMULACRA2 that a file has at least; nil if the quality is given, or nothing is lost.
    public var minimumSSIMULACRA2: Double? {
        switch self {
        case .jpeg(let options): options.minimumSSIMULACRA2
        case .webp(let options): options.lossless ? nil : options.minimumSSIMULACRA2
        case .avif(let options): options.minimumSSIMULACRA2
        case .png, .gif, .jxl: nil
        }
    }

    /// The same format with all of the colour; nil if it has it, or where the quality decides about it.
    var withFullChroma: EncodingFormat? {
        guard case .jpeg(var options) = self, options.subsampling != .s444 else { return nil }
        options.subsampling = .s444
        return .jpeg(options)
    }

    /// The search for the lowest quality with a score; nil if nothing is lost.
    ///
    /// The usual scores are medians of 17 photographs and parts of them, 128 to 640 pixels wide, written by libjpeg-turbo 3.1,
    /// libwebp 1.6 and aom 3.13 (speed 8).
    func qualitySearch(floor: Double) -> QualitySearch? {
        switch self {
        case .jpeg:
            QualitySearch(
                floor: floor,
                qualities: 1...100,
                usual: [
                    (5, -47), (15, 18), (25, 38), (35, 50), (55, 62), (65, 67), (75, 74), (88, 81), (96, 88),
                    (100, 90),
                ]
            )
        case .webp(let options) where !options.lossless:
            QualitySearch(
                floor: floor,
                qualities: 0...100,
                usual: [
                    (5, 17), (15, 32), (25, 41), (35, 49), (55, 60), (65, 63), (75, 66), (88, 77), (96, 84),
                    (100, 86),
                ]
            )
        case .avif:
            QualitySearch(
                floor: floor,
                qualities: 0...100,
                usual: [
                    (5, -10), (15, 13), (25, 30), (35, 44), (45, 59), (55, 69), (65, 76), (75, 80), (88, 85),
                    (100, 88),
                ]
            )
        case .png, .webp, .gif, .jxl: nil
        }
    }
}
