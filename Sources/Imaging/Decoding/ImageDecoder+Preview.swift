public import Foundation

/// What a part of a file shows.
extension ImageDecoder {
    /// Decodes what has come so far of a progressive JPEG, or of a GIF's first frame.
    ///
    /// Of a JPEG the scans until where the data ends are shown, the whole image in lower quality; it takes the memory of a full
    /// decode. Of a GIF the rows that came are shown once they are a quarter of the frame, in front of nothing; an
    /// interlaced one is shown when it is complete. Else as `decode`: what is damaged before the data ends is refused.
    ///
    /// - Parameters:
    ///   - data: the file from its first byte on.
    ///   - header: the file's header, if it was read before.
    ///   - size: as for `decode`.
    ///   - limits: what to refuse.
    /// - Returns: the upright image.
    /// - Throws: `ImagingError`: `truncated` while there is nothing to show, `unsupported` for other formats and for baseline
    ///   JPEGs, and what `decode` throws.
    public static func preview(
        of data: Data,
        header: ImageHeader? = nil,
        covering size: PixelSize? = nil,
        limits: ImageLimits = ImageLimits()
    ) throws(ImagingError) -> Image {
        let header = if let header { header } else { try ImageHeader.read(data) }
        try header.check(limits)
        let request = DecodeRequest(header, covering: size, bitDepth: 8, limits: limits)
        let shown = try codec(of: header.format).preview(data, header, request)
        return try shown.oriented(header.orientation)
    }

    /// The small image that a camera wrote into a JPEG's EXIF data (CIPA DC-008, the 1st IFD), turned upright.
    ///
    /// - Parameter data: the file from its first byte on, as much of it as there is.
    /// - Returns: the image; nil if the data holds none, or not all of it yet.
    /// - Throws: `ImagingError` for a small image that is damaged, or has more than a million pixels.
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
