internal import CImageCodecs
internal import Foundation

/// Writes PNG: gray or RGB at the image's depth, or a palette, with alpha if the image has any.
enum PNGEncoder {
    static func encode(_ image: Image, _ options: PNGOptions) throws(ImagingError) -> Data {
        try ImageEncoder.check(options.compression, in: 1...9, "PNG compression")
        if options.palette { return try encodePalette(image, options) }
        let source = image.colorModel == .gray ? image : try image.converted(to: .rgb)
        return try ImageEncoder.collect("The PNG", of: source.planes) {
            nb_png_encode($0, Int32($0.count), Int32(options.compression), $1, $2, $3)
        }
    }

    private static func encodePalette(_ image: Image, _ options: PNGOptions) throws(ImagingError) -> Data {
        #if Palette || PlugIns
        let source = try image.converted(to: .rgb).converted(toBitDepth: 8)
        return try ImageEncoder.collect("The PNG", of: source.planes) {
            nb_png_encode_palette($0, Int32($0.count), Int32(options.compression), $1, $2, $3)
        }
        #else
        throw .unsupported(
            "This build does not write PNG with a palette. Build it with the trait Palette, or without `palette`."
        )
        #endif
    }
}
