internal import CImageCodecs
internal import Foundation

/// Inserts metadata and an sRGB profile into an encoded file.
enum MetadataWriter {
    /// The file with the metadata, and a JPEG with a gain map behind it, which is one of its own.
    ///
    /// `isGray` tells if a JPEG has one component.
    /// The file is unchanged if there is neither, if the format takes none or if its encoder has written it.
    static func embed(
        _ metadata: ImageMetadata?,
        in file: Data,
        format: ImageFormat,
        isGray: Bool = false,
        gainMap: Data? = nil
    ) -> Data {
        guard metadata != nil || gainMap != nil else { return file }
        if format == .jpeg { return jpeg(metadata, in: file, isGray: isGray, gainMap: gainMap) }
        guard let metadata else { return file }
        return switch format {
        case .png: png(metadata, file)
        case .webp: webp(metadata, file)
        default: file
        }
    }

    /// The sRGB profile, the same bytes at any time.
    static var srgb: Data { Data(srgbBytes) }

    /// The profile of gray with sRGB's curve: a profile must have as many channels as its image.
    static var srgbGray: Data { Data(grayBytes) }

    // Stored as arrays, because the leak detector reports a global Data as leaked.
    private static let srgbBytes = profile(isGray: false)
    private static let grayBytes = profile(isGray: true)

    private static func profile(isGray: Bool) -> [UInt8] {
        var profile = [UInt8](repeating: 0, count: 8192)
        let count = nb_profile_srgb(isGray ? 1 : 0, &profile, profile.count)
        return Array(profile.prefix(count))
    }

    // MARK: JPEG

    private static func jpeg(
        _ metadata: ImageMetadata?,
        in file: Data,
        isGray: Bool,
        gainMap: Data?
    ) -> Data {
        var segments = JPEGSegmentWriter()
        segments.add(marker: 0xE1, prefix: "Exif\0\0", metadata?.exif)
        if gainMap == nil {
            segments.add(marker: 0xE1, prefix: JPEGSegmentWriter.xmpPrefix, metadata?.xmp)
        }
        segments.add(
            marker: 0xED,
            prefix: PhotoshopResources.jpegPrefixText,
            metadata?.iptc.map(PhotoshopResources.resource)
        )
        if metadata != nil { segments.add(profile: isGray ? srgbGray : srgb) }
        guard let gainMap else { return segments.inserted(into: file) }
        return segments.inserted(withMap: gainMap, xmp: metadata?.xmp, into: file)
    }

    // MARK: PNG: chunks after IHDR (RFC 2083; PNG 1.5.0 extensions eXIf); the encoder writes the sRGB chunk

    private static func png(_ metadata: ImageMetadata, _ file: Data) -> Data {
        var chunks = Data()
        if let exif = metadata.exif { chunks += PNGChunk.bytes("eXIf", exif) }
        // Keyword, not compressed, no language.
        let keyword = Data("XML:com.adobe.xmp\0\0\0\0\0".utf8)
        if let xmp = metadata.xmpForOthers { chunks += PNGChunk.bytes("iTXt", keyword + xmp) }
        let start = 8 + 25
        return file.prefix(start) + chunks + file.dropFirst(start)
    }

    // MARK: WebP: the extended format (RFC 9649, 2.7)

    private static func webp(_ metadata: ImageMetadata, _ file: Data) -> Data {
        let bytes = ByteReader(file)
        guard let header = try? ImageHeader.read(file) else { return file }
        let xmp = metadata.xmpForOthers
        let isExtended = bytes.tag(at: 12) == "VP8X"
        let animationAndAlpha = isExtended ? (bytes.byte(at: 20) ?? 0) & 0x12 : 0
        let flags =
            0x20 | animationAndAlpha | (header.hasAlpha ? 0x10 : 0) | (metadata.exif == nil ? 0 : 8)
            | (xmp == nil ? 0 : 4)
        let size = header.storedSize
        var body = Data("WEBP".utf8)
        body += chunk(
            "VP8X",
            Data(
                flags.littleEndianBytes() + (size.width - 1).littleEndianBytes(3)
                    + (size.height - 1).littleEndianBytes(3)
            )
        )
        body += chunk("ICCP", srgb) + file.dropFirst(isExtended ? 12 + 18 : 12)
        if let exif = metadata.exif { body += chunk("EXIF", exif) }
        if let xmp { body += chunk("XMP ", xmp) }
        return Data("RIFF".utf8) + body.count.littleEndianBytes() + body
    }

    private static func chunk(_ type: String, _ content: Data) -> Data {
        Data(type.utf8) + content.count.littleEndianBytes() + content + Data(count: content.count % 2)
    }
}
