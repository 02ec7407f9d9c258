internal import CImageCodecs

extension Image {
    /// Returns how alike another image of the same size looks, as the score of SSIMULACRA2 2.1.
    ///
    /// 100 is equal, from 90 on a difference is not seen side by side, 70 is high quality, 50 medium, 30 low, and other
    /// images are below 0. The score is that of the published double-precision formula to within 0.05, and the same on every
    /// processor. An image with alpha is shown over grey and over white, and the worse score counts.
    ///
    /// Takes the time of about 30 ns a pixel and holds both images as RGB.
    ///
    /// Source: SSIMULACRA 2.1, github.com/cloudinary/ssimulacra2.
    /// - Throws: `ImagingError` of reason `processing` if the sizes differ, and of reason `memory`.
    public func ssimulacra2(of other: Image) throws(ImagingError) -> Double {
        try ssimulacra2(of: other, isPortable: false)
    }

    /// `isPortable` does without the processor's wide vectors.
    func ssimulacra2(of other: Image, isPortable: Bool) throws(ImagingError) -> Double {
        guard size == other.size else {
            throw .processing(
                "Images of \(size) and \(other.size) cannot be compared. Resize one of them first."
            )
        }
        guard hasAlpha || other.hasAlpha else { return try opaqueScore(of: other, isPortable: isPortable) }
        var worst = 100.0
        for background in [RGBColor.gray, .white] {
            let score = try flattened(over: background)
                .opaqueScore(of: try other.flattened(over: background), isPortable: isPortable)
            worst = min(worst, score)
        }
        return worst
    }

    private func opaqueScore(of other: Image, isPortable: Bool) throws(ImagingError) -> Double {
        let depth = max(bitDepth, other.bitDepth)
        let reference = try converted(to: .rgb).converted(toBitDepth: depth)
        let compared = try other.converted(to: .rgb).converted(toBitDepth: depth)
        var score = 0.0
        let status = reference.planes.withCPlanes { first in
            compared.planes.withCPlanes { second in
                nb_ssimulacra2(first, second, isPortable ? 1 : 0, &score)
            }
        }
        guard status == NB_OK else { throw .noMemory }
        return score
    }
}

extension RGBColor {
    /// The middle of the range.
    fileprivate static let gray = RGBColor(red: 128, green: 128, blue: 128)
}
