internal import CImageCodecs
internal import Foundation

/// Writes JPEG: gray as one plane, everything else as YCbCr planes that libjpeg takes unchanged.
enum JPEGEncoder {
    /// Encodes an image without alpha.
    static func encode(_ image: Image, _ options: JPEGOptions) throws(ImagingError) -> Data {
        try ImageEncoder.check(options.quality, in: 1...100, "JPEG quality")
        try ImageEncoder.check(image.size, side: 65_500, "JPEG")
        let isGray = image.colorModel == .gray
        let source =
            isGray
            ? try image.converted(toBitDepth: 8)
            : try image.converted(to: .ycbcr).subsampled(options.subsampling)
        var settings = nb_jpeg_settings(
            width: Int32(image.size.width),
            height: Int32(image.size.height),
            components: isGray ? 1 : 3,
            horizontal: isGray ? 1 : Int32(options.subsampling.horizontal),
            vertical: isGray ? 1 : Int32(options.subsampling.vertical),
            quality: Int32(options.quality),
            progressive: options.progressive ? 1 : 0,
            optimize: options.optimizesTables ? 1 : 0,
            smallest: options.effort == .smallest ? 1 : 0,
            half_lower: options.isHalfLower ? 1 : 0
        )
        return try ImageEncoder.collect("The JPEG", of: source.planes) {
            nb_jpeg_encode($0, &settings, $1, $2, $3)
        }
    }
}
