internal import CImageCodecs
public import Foundation

/// Pixels to bytes.
public enum ImageEncoder {
    /// The formats that this build writes: JPEG, PNG, WebP, and AVIF if it was built with that trait.
    public static var formats: Set<ImageFormat> {
        #if AVIF
        [.jpeg, .png, .webp, .avif]
        #else
        [.jpeg, .png, .webp]
        #endif
    }

    /// Encodes an image; the same image and settings give the same bytes.
    ///
    /// Without `metadata` nothing is written but pixels, which are upright and sRGB.
    ///
    /// - Parameters:
    ///   - image: what to encode.
    ///   - format: the format and its settings.
    ///   - background: what shows through transparent pixels in a JPEG, which has no alpha.
    ///   - metadata: what to write beside the pixels; a part of it above 64 kB does not fit into a JPEG, and is left out.
    /// - Returns: a whole file.
    /// - Throws: `ImagingError`: `processing` for settings out of range, `limits` for an image that is larger than the
    ///   format allows (JPEG 65 500, WebP 16 383, AVIF 32 768 a side), `unsupported` for AVIF where the build lacks it, `memory`.
    public static func encode(
        _ image: Image,
        as format: EncodingFormat,
        background: RGBColor = .white,
        metadata: ImageMetadata? = nil
    ) throws(ImagingError) -> Data {
        let file = try encode(image, format, background, metadata)
        return metadata.map { MetadataWriter.embed($0, in: file, format: format.imageFormat) } ?? file
    }

    private static func encode(
        _ image: Image,
        _ format: EncodingFormat,
        _ background: RGBColor,
        _ metadata: ImageMetadata?
    ) throws(ImagingError) -> Data {
        switch format {
        case .jpeg(let options): try JPEGEncoder.encode(try image.flattened(over: background), options)
        case .png(let options): try PNGEncoder.encode(image, options)
        case .webp(let options): try WebPEncoder.encode(image, options)
        case .avif(let options): try AVIFEncoder.encode(image, options, metadata)
        }
    }

    /// The library that writes a format and its version, "libjpeg-turbo 2.1.5": recorded beside outputs.
    public static func version(of format: EncodingFormat) -> String {
        var text = [CChar](repeating: 0, count: 160)
        switch format {
        case .jpeg: nb_jpeg_version(&text, text.count)
        case .png(let options) where options.palette: nb_png_palette_version(&text, text.count)
        case .png: nb_png_version(&text, text.count)
        case .webp: nb_webp_version(&text, text.count)
        case .avif:
            #if AVIF
            nb_avif_version(&text, text.count)
            #endif
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Runs an encoder in C and takes over the bytes that it returns.
    static func collect(
        _ subject: String,
        _ body: (
            UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>,
            UnsafeMutablePointer<nb_error>
        ) -> nb_status
    ) throws(ImagingError) -> Data {
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        try call(subject) { error in body(&bytes, &count, error) }
        guard let bytes else { throw .noMemory }
        return Data(bytesNoCopy: bytes, count: count, deallocator: .custom { memory, _ in nb_free(memory) })
    }

    static func check(_ value: Int, in range: ClosedRange<Int>, _ name: String) throws(ImagingError) {
        guard !range.contains(value) else { return }
        throw ImagingError(
            .processing,
            "\(name) is \(value); give a number from \(range.lowerBound) to \(range.upperBound)."
        )
    }

    static func check(_ size: PixelSize, side: Int, _ name: String) throws(ImagingError) {
        guard size.width > side || size.height > side else { return }
        throw ImagingError(
            .limits,
            "The result is \(size) and a \(name) side may have \(side) pixels; resize it or write another format."
        )
    }
}
