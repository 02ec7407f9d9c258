internal import CImageCodecs
internal import Foundation

/// Writes WebP: lossy or lossless, with alpha if the image has any.
enum WebPEncoder {
    static func encode(_ image: Image, _ options: WebPOptions) throws(ImagingError) -> Data {
        try ImageEncoder.check(options.quality, in: 0...100, "WebP quality")
        try ImageEncoder.check(options.effort, in: 0...6, "WebP effort")
        try ImageEncoder.check(image.size, side: 16_383, "WebP")
        let source = try image.converted(to: .rgb).converted(toBitDepth: 8)
        let quality = Float(options.quality) - (options.isHalfLower ? 0.5 : 0)
        let (isLossless, effort) = (Int32(options.lossless ? 1 : 0), Int32(options.effort))
        return try ImageEncoder.collect("The WebP", of: source.planes) {
            nb_webp_encode($0, Int32($0.count), quality, isLossless, effort, $1, $2, $3)
        }
    }
}
