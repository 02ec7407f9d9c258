internal import CImageCodecs
internal import Foundation

/// Writes AVIF: 8 bits, or 10 if the image has 16, with alpha if the image has any.
enum AVIFEncoder {
    /// The longest side, in pixels, that libavif reads by default.
    private static let maxSide = 32_768

    static func encode(
        _ image: Image,
        _ options: AVIFOptions,
        metadata: ImageMetadata?,
        gainMap: GainMap? = nil
    ) throws(ImagingError) -> Data {
        try ImageEncoder.check(options.quality, in: 0...100, "AVIF quality")
        try ImageEncoder.check(options.speed, in: 0...10, "AVIF speed")
        try ImageEncoder.check(image.size, side: maxSide, "AVIF")
        #if AVIF || PlugIns
        let subsampling = options.subsampling
        // libavif takes planes of 8 bits unchanged and converts 16 bits itself.
        let source =
            image.colorModel == .gray || image.bitDepth == 16
            ? image : try image.converted(to: .ycbcr).subsampled(subsampling)
        var settings = nb_avif_settings(
            horizontal: Int32(subsampling.horizontal),
            vertical: Int32(subsampling.vertical),
            quantizer: Int32(AVIFOptions.quantizer(of: options.quality)),
            speed: Int32(options.speed),
            // A given quality has the same meaning with each release of the encoder.
            tunes_for_images: options.minimumSSIMULACRA2 == nil ? 0 : 1,
            half_lower: options.isHalfLower ? 1 : 0
        )
        let map = try gainMap?.asYCbCr
        return try ImageEncoder.collect("The AVIF", of: source.planes) { planes, bytes, count, error in
            ImageEncoder.withCMetadata(metadata) { metadata in
                withCGainMap(map) { map in
                    nb_avif_encode(planes, Int32(planes.count), &settings, metadata, map, bytes, count, error)
                }
            }
        }
        #else
        throw .unsupported(
            "This build does not write AVIF. Build it with the AVIF trait, or write another format."
        )
        #endif
    }
}
