/// The quality of the formats that lose something.
extension EncodingFormat {
    /// The lowest quality that the search for a small file tries.
    var lowestQuality: Int {
        if case .jxl = self { JPEGXLOptions.qualities.lowerBound } else { 1 }
    }

    func with(quality: Int) -> EncodingFormat { with(QualitySearch.Setting(quality: quality)) }

    func with(_ setting: QualitySearch.Setting) -> EncodingFormat {
        switch self {
        case .jpeg(var options):
            (options.quality, options.isHalfLower) = (setting.quality, setting.isHalfLower)
            return .jpeg(options)
        case .webp(var options):
            (options.quality, options.isHalfLower) = (setting.quality, setting.isHalfLower)
            return .webp(options)
        case .avif(var options):
            (options.quality, options.isHalfLower) = (setting.quality, setting.isHalfLower)
            return .avif(options)
        case .jxl(var options):
            let distances = [setting.quality, setting.quality - (setting.isHalfLower ? 1 : 0)]
                .map(JPEGXLOptions.distance)
            options.distance = (distances[0] + distances[1]) / 2
            return .jxl(options)
        case .png, .gif: return self
        }
    }

    /// The searches for the lowest quality with a score, each for what the one before cannot reach; none if nothing is lost.
    ///
    /// Files with all of the colour come last.
    ///
    /// The usual scores are medians of 168 photographs, screenshots, drawings and products on white within 256 × 256 pixels
    /// (`Benchmarks/corpus/fetch-pictures`), written by libjpeg-turbo 2.1.5, libwebp 1.2.4 and aom 3.6; of libjxl 0.7, of 56 of them.
    func qualitySearches(floor: Double) -> [(format: EncodingFormat, search: QualitySearch)] {
        func search(_ qualities: some Sequence<Int>, _ usual: [(Double, Double)]) -> QualitySearch {
            QualitySearch(floor: floor, qualities: Array(qualities), usual: usual)
        }
        switch self {
        case .jpeg(var options):
            let whole = search(1...100, UsualScores.fullChromaJPEG)
            guard options.subsampling != .s444 else { return [(self, whole)] }
            options.subsampling = .s444
            return [(self, search(1...100, UsualScores.jpeg)), (.jpeg(options), whole)]
        case .webp(let options) where !options.lossless: return [(self, search(0...100, UsualScores.webp))]
        case .avif(var options):
            options.keepsChroma = true
            let qualities = AVIFOptions.distinctQualities
            return [
                (self, search(qualities.prefix { $0 < AVIFOptions.fullChroma }, UsualScores.avif)),
                (.avif(options), search(qualities, UsualScores.fullChromaAVIF)),
            ]
        case .jxl(let options) where !options.isLossless:
            return [(self, search(JPEGXLOptions.qualities, UsualScores.jxl))]
        case .png, .webp, .gif, .jxl: return []
        }
    }
}

/// The scores that pictures usually have at rising qualities.
private enum UsualScores {
    static let jpeg: [(Double, Double)] = [
        (1, -32), (3, -29), (5, -5), (7, 12), (10, 27), (15, 42), (20, 50), (30, 61), (40, 67), (50, 70),
        (65, 75), (75, 79),
        (84, 84), (91, 88), (96, 92), (100, 95),
    ]
    static let fullChromaJPEG: [(Double, Double)] = [
        (1, -29), (3, -22), (5, -2), (7, 17), (10, 33), (15, 47), (20, 56), (30, 65), (40, 70), (50, 74),
        (65, 78), (75, 82),
        (84, 86), (91, 90), (96, 94), (100, 98),
    ]
    static let webp: [(Double, Double)] = [
        (0, 19), (3, 40), (5, 45), (10, 51), (15, 55), (20, 59), (30, 64), (40, 69), (50, 72), (65, 76),
        (75, 78), (84, 84),
        (91, 88), (96, 90), (100, 92),
    ]
    static let avif: [(Double, Double)] = [
        (0, -17), (4, 12), (8, 24), (12, 35), (20, 48), (28, 58), (36, 66), (44, 73), (52, 78), (60, 82),
        (68, 84), (76, 87),
        (84, 90),
    ]
    static let fullChromaAVIF: [(Double, Double)] = [
        (0, -11), (4, 17), (8, 28), (12, 39), (20, 51), (28, 62), (36, 70), (44, 78), (52, 82), (60, 86),
        (68, 88), (76, 90),
        (84, 92), (90, 94), (93, 95), (97, 96), (98, 97),
    ]
    static let jxl: [(Double, Double)] = [
        (10, 36), (30, 63), (50, 71), (65, 77), (75, 82), (84, 86), (91, 91), (96, 94), (100, 97),
    ]
}
