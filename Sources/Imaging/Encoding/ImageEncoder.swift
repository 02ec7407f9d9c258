internal import CImageCodecs
public import Foundation

/// Encodes pixels to files.
public enum ImageEncoder {
    /// The formats that this build writes: JPEG, PNG, WebP, AVIF and JPEG XL if built with those traits, and GIF if built with Palette.
    public static var formats: Set<ImageFormat> {
        var formats: Set<ImageFormat> = [.jpeg, .png, .webp]
        #if AVIF || PlugIns
        formats.insert(.avif)
        #endif
        #if JXL || PlugIns
        formats.insert(.jxl)
        #endif
        #if Palette || PlugIns
        formats.insert(.gif)
        #endif
        return formats
    }

    /// Encodes an image.
    ///
    /// The same image and settings give the same bytes.
    ///
    /// Without `metadata`, only the pixels are written; they are upright and sRGB.
    ///
    /// - Parameters:
    ///   - image: The image to encode.
    ///   - format: The format and its settings.
    ///   - background: The colour behind transparent pixels in a JPEG, which has no alpha.
    ///   - metadata: The metadata to write. A part above 64 kB does not fit into a JPEG and is left out.
    /// - Returns: A complete file.
    /// - Throws: `ImagingError`: `processing` for settings out of range and for a file that no quality makes as small as
    ///   the format's `maxBytes`, `limits` for an image larger than the format allows (JPEG 65 500, WebP 16 383,
    ///   AVIF 32 768, JPEG XL 262 144, GIF 65 535 pixels a side), `unsupported` for AVIF, JPEG XL and GIF if the build lacks
    ///   them, `memory`.
    public static func encode(
        _ image: Image,
        as format: EncodingFormat,
        background: RGBColor = .white,
        metadata: ImageMetadata? = nil
    ) throws(ImagingError) -> Data {
        try encoded(image, as: format, background: background, metadata: metadata).data
    }

    /// Encodes an image, and tells how.
    ///
    /// With a floor (`minimumSSIMULACRA2`), encodes up to six files, or up to twelve for a JPEG or AVIF that needs full chroma,
    /// and decodes each of them. A file that cannot have the floor is made of the best quality. `maxBytes` is obeyed first.
    /// A gain map is written into formats that keep them, and its bytes count as the file's; others have none.
    /// Otherwise like ``encode(_:as:background:metadata:)``.
    public static func encoded(
        _ image: Image,
        as format: EncodingFormat,
        background: RGBColor = .white,
        metadata: ImageMetadata? = nil,
        gainMap: GainMap? = nil
    ) throws(ImagingError) -> EncodedImage {
        try encoded(
            image,
            as: format,
            background: background,
            metadata: metadata,
            gainMap: gainMap,
            smallerThan: nil
        )
    }

    /// The same; with `most`, a search ends where it can find no file of fewer bytes that has the floor.
    static func encoded(
        _ image: Image,
        as format: EncodingFormat,
        background: RGBColor,
        metadata: ImageMetadata?,
        gainMap: GainMap? = nil,
        smallerThan most: Int?
    ) throws(ImagingError) -> EncodedImage {
        let gainMap = format.keepsGainMaps ? gainMap : nil
        var map: Data?
        if let gainMap, format.imageFormat == .jpeg { map = try GainMapEncoder.encode(gainMap) }
        let shown = format.imageFormat == .jpeg ? try image.flattened(over: background) : image
        var encodes = 0
        func encode(_ format: EncodingFormat) throws(ImagingError) -> Data {
            encodes += 1
            let file = try encodePixels(of: shown, as: format, metadata: metadata, gainMap: gainMap)
            return MetadataWriter.embed(
                metadata,
                in: file,
                format: format.imageFormat,
                isGray: shown.colorModel == .gray,
                gainMap: map
            )
        }
        var result: EncodedImage
        if let floor = format.minimumSSIMULACRA2 {
            result = try format.file(of: shown, floor: floor, smallerThan: most, encode)
        } else if let limit = format.maxBytes {
            let (file, quality) = try format.file(within: limit, encode)
            result = EncodedImage(data: file, quality: quality, score: nil)
        } else {
            result = EncodedImage(data: try encode(format), quality: format.quality, score: nil)
        }
        result.encodes = encodes
        return result
    }

    private static func encodePixels(
        of image: Image,
        as format: EncodingFormat,
        metadata: ImageMetadata?,
        gainMap: GainMap?
    ) throws(ImagingError) -> Data {
        switch format {
        case .jpeg(let options): try JPEGEncoder.encode(image, options)
        case .png(let options): try PNGEncoder.encode(image, options)
        case .webp(let options): try WebPEncoder.encode(image, options)
        case .avif(let options): try AVIFEncoder.encode(image, options, metadata: metadata, gainMap: gainMap)
        case .jxl(let options): try JXLEncoder.encode(image, options, metadata: metadata)
        case .gif(let options): try encodeGIF(image, options)
        }
    }

    /// Writes GIF: one frame with at most 256 colours, dithered, and transparency without steps.
    private static func encodeGIF(_ image: Image, _ options: GIFOptions) throws(ImagingError) -> Data {
        var writer = try AnimationWriter(size: image.size, plays: 1, as: .gif(options))
        try writer.add(image, for: .zero)
        return try writer.finish()
    }

    /// The name and version of the library that writes a format ("libjpeg-turbo 2.1.5"), recorded with each output.
    public static func version(of format: EncodingFormat) -> String {
        var text = [CChar](repeating: 0, count: 160)
        switch format {
        case .jpeg: nb_jpeg_version(&text, text.count)
        case .png(let options) where options.palette:
            #if Palette || PlugIns
            nb_png_palette_version(&text, text.count)
            #endif
        case .gif:
            #if Palette || PlugIns
            nb_palette_version(&text, text.count)
            #endif
        case .png: nb_png_version(&text, text.count)
        case .webp: nb_webp_version(&text, text.count)
        case .avif:
            #if AVIF || PlugIns
            nb_avif_version(&text, text.count)
            #endif
        case .jxl:
            #if JXL || PlugIns
            nb_jxl_version(&text, text.count)
            #endif
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Runs a C encoder on planes and takes ownership of the bytes that it returns.
    static func collect(
        _ subject: String,
        of planes: [Plane],
        _ body: (
            [nb_plane], UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>,
            UnsafeMutablePointer<nb_error>
        ) -> nb_status
    ) throws(ImagingError) -> Data {
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        try call(subject) { error in planes.withCPlanes { body($0, &bytes, &count, error) } }
        guard let bytes else { throw .noMemory }
        return Data(bytesNoCopy: bytes, count: count, deallocator: .custom { memory, _ in nb_free(memory) })
    }

    /// Runs a C encoder with the EXIF data and XMP that it writes itself, for the duration of `body`.
    static func withCMetadata(
        _ metadata: ImageMetadata?,
        _ body: (UnsafePointer<nb_metadata>) -> nb_status
    ) -> nb_status {
        var exif = [UInt8](metadata?.exif ?? Data())
        var xmp = [UInt8](metadata?.xmpForOthers ?? Data())
        return exif.withUnsafeMutableBufferPointer { exif in
            xmp.withUnsafeMutableBufferPointer { xmp in
                var described = nb_metadata(
                    exif: exif.isEmpty ? nil : exif.baseAddress,
                    xmp: xmp.isEmpty ? nil : xmp.baseAddress,
                    exif_count: exif.count,
                    xmp_count: xmp.count
                )
                return body(&described)
            }
        }
    }

    static func check(_ value: Int, in range: ClosedRange<Int>, _ name: String) throws(ImagingError) {
        guard !range.contains(value) else { return }
        throw .processing(
            "\(name) is \(value). Give a number from \(range.lowerBound) to \(range.upperBound)."
        )
    }

    static func check(_ size: PixelSize, side: Int, _ name: String) throws(ImagingError) {
        guard size.width > side || size.height > side else { return }
        throw .limits(
            "The result is \(size), but a \(name) side may have at most \(side) pixels. Resize it or write another format."
        ).aboutFormat
    }
}
