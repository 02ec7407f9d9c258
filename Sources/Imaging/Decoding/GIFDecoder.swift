#if GIF || PlugIns
internal import CImageCodecs
internal import Foundation

/// Reads GIF: the first frame on the logical screen.
///
/// The area outside the frame is transparent.
enum GIFDecoder: ImageCodec {
    static let format = ImageFormat.gif

    /// Walks the blocks up to the first frame (GIF89a, sections 17 to 26).
    ///
    /// A screen that is too small for the frame is enlarged, as browsers do.
    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        guard let frame = try Frame.find(in: ByteReader(data)) else {
            throw .truncated("The GIF ends before its first frame. Load it again.")
        }
        return ImageHeader(
            format: .gif,
            storedSize: frame.canvas,
            hasAlpha: frame.isTransparent || frame.size != frame.canvas,
            isProgressive: frame.isInterlaced,
            animation: AnimationSummary(GIFFrames(ByteReader(data)))
        )
    }

    /// Decodes row by row and averages by the factor that the request allows.
    static func decode(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        try decode(data, header: header, request: request, rows: nil)
    }

    /// Decodes the rows of the first frame received so far, if they are at least a quarter of it.
    ///
    /// Fewer rows show too little.
    static func preview(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        var rows: Int32 = 0
        var transparent = header
        transparent.hasAlpha = true
        let image = try decode(data, header: transparent, request: request, rows: &rows)
        guard 4 * Int(rows) >= header.storedSize.height else {
            throw .truncated(
                "Less than a quarter of the GIF's first frame has been received. Load more of it."
            )
        }
        return image
    }

    private static func decode(
        _ data: Data,
        header: ImageHeader,
        request: DecodeRequest,
        rows: UnsafeMutablePointer<Int32>?
    ) throws(ImagingError) -> Image {
        let (width, height) = (Int32(header.storedSize.width), Int32(header.storedSize.height))
        return try decode(data, header: header, request: request) {
            nb_gif_decode($0, $1, width, height, rows, $2, $3)
        }
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let size = header.storedSize
        // One row of indices (all rows if interlaced), one row of colours, and giflib's tables.
        let indices = size.width.multipliedClamping(by: header.isProgressive ? size.height : 1)
        return request.cost(of: header) + indices + header.channels * size.width + 1 << 16
    }

    private struct Frame {
        let canvas: PixelSize
        let size: PixelSize
        let isInterlaced: Bool
        let isTransparent: Bool

        /// The first frame; nil if the data ends before it.
        static func find(in bytes: ByteReader) throws(ImagingError) -> Frame? {
            var offset = GIFFrames.screenEnd(bytes)
            var isTransparent = false
            while let kind = bytes.byte(at: offset) {
                if kind == 0x2C { return try frame(in: bytes, at: offset, isTransparent) }
                guard kind == 0x21 else { throw damage("it has an unknown block before its first frame") }
                guard let label = bytes.byte(at: offset + 1) else { return nil }
                if label == 0xF9, let flags = bytes.byte(at: offset + 3) { isTransparent = flags & 1 == 1 }
                offset = GIFFrames.blocksEnd(bytes, from: offset + 2)
            }
            return nil
        }

        private static func frame(
            in bytes: ByteReader,
            at offset: Int,
            _ isTransparent: Bool
        ) throws(ImagingError) -> Frame? {
            guard let screenWidth = bytes.littleEndian16(at: 6), let flags = bytes.byte(at: offset + 9),
                let screenHeight = bytes.littleEndian16(at: 8),
                let left = bytes.littleEndian16(at: offset + 1),
                let top = bytes.littleEndian16(at: offset + 3),
                let width = bytes.littleEndian16(at: offset + 5),
                let height = bytes.littleEndian16(at: offset + 7)
            else { return nil }
            guard width > 0, height > 0 else { throw damage("its first frame has no pixels") }
            return Frame(
                canvas: PixelSize(
                    width: max(screenWidth, left + width),
                    height: max(screenHeight, top + height)
                ),
                size: PixelSize(width: width, height: height),
                isInterlaced: flags & 0x40 != 0,
                isTransparent: isTransparent
            )
        }

        private static func damage(_ what: String) -> ImagingError {
            .corrupt("The GIF is damaged: \(what). Replace it at its source.")
        }
    }
}
#endif
