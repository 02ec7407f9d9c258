internal import CImageCodecs
internal import Foundation

/// Writes JPEG XL: 8 or 16 bits, as the image has them, with alpha if the image has any.
enum JXLEncoder {
    /// The longest side, in pixels, of level 5, which every decoder reads (ISO/IEC 18181-1, annex M).
    private static let maxSide = 262_144

    static func encode(
        _ image: Image,
        _ options: JPEGXLOptions,
        metadata: ImageMetadata?
    ) throws(ImagingError) -> Data {
        guard (0...25).contains(options.distance) else {
            throw .processing("JPEG XL distance is \(options.distance). Give a number from 0 to 25.")
        }
        try ImageEncoder.check(options.effort, in: 1...9, "JPEG XL effort")
        try ImageEncoder.check(image.size, side: maxSide, "JPEG XL")
        #if JXL || PlugIns
        let source = image.colorModel == .gray ? image : try image.converted(to: .rgb)
        var settings = nb_jxl_settings(
            distance: Float(options.distance),
            lossless: options.isLossless ? 1 : 0,
            effort: Int32(options.effort)
        )
        return try ImageEncoder.collect("The JPEG XL", of: source.planes) { planes, bytes, count, error in
            ImageEncoder.withCMetadata(metadata) {
                nb_jxl_encode(planes, Int32(planes.count), &settings, $0, bytes, count, error)
            }
        }
        #else
        throw .unsupported(
            "This build does not write JPEG XL. Build it with the JXL trait, or write another format."
        )
        #endif
    }
}
