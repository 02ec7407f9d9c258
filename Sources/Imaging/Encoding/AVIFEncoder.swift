internal import CImageCodecs
internal import Foundation

/// AVIF out: 8 bits, or 10 where the image has 16, with alpha if the image has any.
enum AVIFEncoder {
    /// The most pixels of a side that libavif reads unless told otherwise.
    private static let maxSide = 32_768

    static func encode(
        _ image: Image,
        _ options: AVIFOptions,
        _ metadata: ImageMetadata?
    ) throws(ImagingError) -> Data {
        try ImageEncoder.check(options.quality, in: 0...100, "AVIF quality")
        try ImageEncoder.check(options.speed, in: 0...10, "AVIF speed")
        try ImageEncoder.check(image.size, side: maxSide, "AVIF")
        #if AVIF
        let subsampling = options.subsampling
        // libavif takes planes of 8 bits as they are, and converts 16 bits itself.
        let source =
            image.colorModel == .gray || image.bitDepth == 16
            ? image : try image.converted(to: .ycbcr).subsampled(subsampling)
        var settings = nb_avif_settings(
            horizontal: Int32(subsampling.horizontal),
            vertical: Int32(subsampling.vertical),
            quantizer: Int32(quantizer(options.quality)),
            speed: Int32(options.speed)
        )
        var exif = [UInt8](metadata?.exif ?? Data())
        var xmp = [UInt8](metadata?.xmpForOthers ?? Data())
        return try ImageEncoder.collect("The AVIF") { bytes, count, error in
            source.planes.withCPlanes { planes in
                exif.withUnsafeMutableBufferPointer { exif in
                    xmp.withUnsafeMutableBufferPointer { xmp in
                        var described = nb_metadata(
                            exif: exif.isEmpty ? nil : exif.baseAddress,
                            xmp: xmp.isEmpty ? nil : xmp.baseAddress,
                            exif_count: exif.count,
                            xmp_count: xmp.count
                        )
                        return nb_avif_encode(
                            planes,
                            Int32(planes.count),
                            &settings,
                            &described,
                            bytes,
                            count,
                            error
                        )
                    }
                }
            }
        }
        #else
        throw ImagingError(
            .unsupported,
            "This build does not write AVIF; build it with the trait AVIF, or write another format."
        )
        #endif
    }

    /// AV1's quantizer, 63 (worst) to 0, of a quality: the line that libavif's own quality follows since its release 1.0
    /// (`avifenc -q`), so that a number means what it means elsewhere.
    private static func quantizer(_ quality: Int) -> Int {
        ((100 - quality) * 63 + 50) / 100
    }
}
