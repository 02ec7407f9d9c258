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
        if case .jxl = self { JPEGXLOptions.qualities.lowerBound } else { 1 }
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
        case .jxl(let options): options.isLossless ? nil : options.minimumSSIMULACRA2
        case .png, .gif: nil
        }
    }

    /// The searches for the lowest quality with a score, each for what the one before cannot reach; none if nothing is lost.
    ///
    /// Files with all of the colour come last.
    ///
    /// The usual scores are medians of 498 photographs, screenshots, drawings and products on white within 256 × 256 pixels, written
    /// by libjpeg-turbo 2.1.5, libwebp 1.2.4 and aom 3.6 (`Benchmarks/quality/run`); of libjxl 0.7, of 56 of them.
    func qualitySearches(floor: Double) -> [(format: EncodingFormat, search: QualitySearch)] {
        func search(_ qualities: ClosedRange<Int>, _ usual: [(Double, Double)]) -> QualitySearch {
            QualitySearch(floor: floor, qualities: qualities, usual: usual)
        }
        switch self {
        case .jpeg(var options):
            let search = search(
                1...100,
                [(10, 25), (30, 58), (50, 67), (65, 72), (75, 76), (84, 81), (91, 85), (96, 89), (100, 90)]
            )
            guard options.subsampling != .s444 else { return [(self, search)] }
            options.subsampling = .s444
            return [(self, search), (.jpeg(options), search)]
        case .webp(let options) where !options.lossless:
            let usual: [(Double, Double)] = [
                (10, 51), (30, 66), (50, 72), (65, 76), (75, 78), (84, 83), (91, 87), (96, 89), (100, 90),
            ]
            return [(self, search(0...100, usual))]
        case .avif:
            // Scores jump where the full chroma begins, so each side has a line of its own.
            let first = AVIFOptions.fullChroma
            return [
                (self, search(0...first - 1, [(10, 22), (30, 58), (50, 75), (65, 82), (75, 84), (84, 87)])),
                (self, search(first...100, [(91, 94), (96, 95), (100, 97)])),
            ]
        case .jxl(let options) where !options.isLossless:
            let usual: [(Double, Double)] = [
                (10, 36), (30, 63), (50, 71), (65, 77), (75, 82), (84, 86), (91, 91), (96, 94), (100, 97),
            ]
            return [(self, search(JPEGXLOptions.qualities, usual))]
        case .png, .webp, .gif, .jxl: return []
        }
    }
}
