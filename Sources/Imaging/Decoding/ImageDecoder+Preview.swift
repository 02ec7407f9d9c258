public import Foundation

extension ImageDecoder {
    /// Decodes the part of a JPEG, a JPEG XL, or a GIF's first frame that has been received.
    ///
    /// A progressive JPEG is decoded from the scans received so far: the whole image in lower quality, at the memory
    /// cost of a full decode. Of a baseline JPEG the rows received so far are shown, the rest in grey. A GIF's rows are
    /// shown once they are a quarter of the frame, the rest transparent; an interlaced GIF is shown when it is complete.
    /// A JPEG XL is shown in an eighth of its resolution first, which parts that have been received sharpen.
    /// As in `decode`, data that is damaged before it ends is refused.
    ///
    /// - Parameters:
    ///   - data: The file from its first byte on.
    ///   - header: The file's header, if it was read before.
    ///   - size: As for `decode`.
    ///   - hdr: As for `decode`.
    ///   - limits: The limits above which an image is refused.
    /// - Returns: The upright image.
    /// - Throws: `ImagingError`: `truncated` while there is nothing to show, `unsupported` for other formats,
    ///   and the errors of `decode`.
    public static func preview(
        of data: Data,
        header: ImageHeader? = nil,
        covering size: PixelSize? = nil,
        hdr: HDRHandling = .drop,
        limits: ImageLimits = ImageLimits()
    ) throws(ImagingError) -> Image {
        let header = if let header { header } else { try ImageHeader.read(data) }
        try header.check(limits)
        try header.check(hdr)
        let request = DecodeRequest(header, covering: size, bitDepth: 8, limits: limits)
        let shown = try codec(of: header.format).preview(data, header: header, request: request)
        return try finished(shown, header, bitDepth: 8)
    }

    /// The thumbnail in a JPEG's EXIF data (CIPA DC-008, the 1st IFD), turned upright.
    ///
    /// - Parameter data: The file from its first byte on, as much as has been received.
    /// - Returns: The image; nil if the data has no thumbnail or does not hold all of it yet.
    /// - Throws: `ImagingError` if the thumbnail is damaged or has more than a million pixels.
    public static func embeddedThumbnail(of data: Data) throws(ImagingError) -> Image? {
        guard ImageFormat(data) == .jpeg else { return nil }
        let segments = JPEGSegments(data)
        guard let range = segments.exif else { return nil }
        let exif = ByteReader(data).slice(range)
        guard let directory = EXIFDirectory(exif)?.next, let start = directory.number(.thumbnailOffset),
            let count = directory.number(.thumbnailLength), count > 0, count <= exif.count,
            start <= exif.count - count
        else { return nil }
        let file = ByteReader(exif).slice(start..<start + count)
        var limits = ImageLimits()
        limits.maxPixels = 1_000_000
        let header = try ImageHeader.read(file).asStored
        let thumbnail = try decode(file, header: header, limits: limits)
        return try thumbnail.oriented(segments.orientation)
    }
}
