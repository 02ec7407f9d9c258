internal import Foundation

/// Reads ICO: the largest of its pictures, and of equal ones the one with the most bits.
///
/// A picture is a whole PNG, or a BMP without its file header, of which a mask of one bit a pixel says where it is
/// transparent. A BMP of 32 bits has its own alpha instead, unless all of that is zero.
enum ICODecoder: ImageCodec {
    static let format = ImageFormat.ico

    /// The picture that is shown.
    private struct Picture: Sendable {
        /// A PNG or a whole BMP.
        let file: Data
        let header: ImageHeader
        /// The rows of the mask, from the bottom; nil if no pixel is transparent by it.
        let mask: Data?
    }

    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        let picture = try picture(in: data)
        let inner = picture.header
        return ImageHeader(
            format: .ico,
            storedSize: inner.storedSize,
            hasAlpha: inner.hasAlpha || picture.mask != nil,
            isProgressive: inner.isProgressive,
            colorModel: inner.colorModel,
            bitDepth: inner.bitDepth,
            details: picture
        )
    }

    static func decode(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        let picture = if let known = header.details as? Picture { known } else { try picture(in: data) }
        let codec = try ImageDecoder.codec(of: picture.header.format)
        guard let mask = picture.mask else {
            return try codec.decode(picture.file, header: picture.header, request: request)
        }
        // In full, for the mask to fit.
        let whole = DecodeRequest(picture.header, covering: nil, bitDepth: 8, limits: request.limits)
        let image = try codec.decode(picture.file, header: picture.header, request: whole)
        var pixels = try image.rgba()
        let size = image.size
        let stride = ICOEntry.maskStride(size.width)
        pixels.withUnsafeMutableBytes { (pixels: UnsafeMutableRawBufferPointer) in
            mask.withUnsafeBytes { (mask: UnsafeRawBufferPointer) in
                for y in 0..<size.height {
                    let row = (size.height - 1 - y) * stride
                    for x in 0..<size.width {
                        let bits: UInt8 = mask[row + x / 8]
                        let alpha: Int = 4 * (y * size.width + x) + 3
                        if bits & (0x80 >> UInt8(x % 8)) != 0 { pixels[alpha] = 0 }
                    }
                }
            }
        }
        return try Image(width: size.width, height: size.height, rgba: pixels).warned(of: image.warnings)
    }

    static func decodedSize(_ header: ImageHeader, _ request: DecodeRequest) -> PixelSize {
        guard let picture = header.details as? Picture, picture.mask == nil,
            let codec = try? ImageDecoder.codec(of: picture.header.format)
        else { return header.storedSize }
        return codec.decodedSize(picture.header, request)
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        guard let picture = header.details as? Picture,
            let codec = try? ImageDecoder.codec(of: picture.header.format)
        else { return 0 }
        guard picture.mask != nil else {
            return codec.decodeCost(picture.header, request).addingClamping(picture.file.count)
        }
        let whole = DecodeRequest(picture.header, covering: nil, bitDepth: 8, limits: request.limits)
        let masked = Plane.byteCount(header.storedSize).multipliedClamping(by: 4)
            .addingClamping(header.storedSize.area.multipliedClamping(by: 4))
        return codec.decodeCost(picture.header, whole).addingClamping(masked)
            .addingClamping(picture.file.count)
    }

    private static func picture(in data: Data) throws(ImagingError) -> Picture {
        guard let entry = ICOEntry.best(in: data), entry.range.upperBound <= data.count else {
            throw .truncated("The ICO ends before its pictures do. Load it again.")
        }
        let content = ByteReader(data).slice(entry.range)
        if ImageFormat(content) == .png {
            return Picture(file: content, header: try PNGDecoder.readHeader(content), mask: nil)
        }
        guard let bitmap = ICOBitmap(content) else {
            throw .corrupt("The ICO holds neither a PNG nor a BMP. Replace the file.")
        }
        let header = try BMPDecoder.readHeader(bitmap.file)
        return Picture(file: bitmap.file, header: header, mask: header.hasAlpha ? nil : bitmap.mask)
    }
}

struct ICOEntry {
    /// The bytes of the picture in the file.
    let range: Range<Int>
    private let area: Int
    private let bits: Int

    /// The entry of the picture to show, which may end after the data; nil if the data ends within the directory.
    static func best(in data: Data) -> ICOEntry? {
        let bytes = ByteReader(data)
        guard bytes.starts(with: [0, 0, 1, 0]), let count = bytes.littleEndian16(at: 4) else { return nil }
        var best: ICOEntry?
        for number in 0..<count {
            guard let entry = ICOEntry(bytes, at: 6 + 16 * number) else { return nil }
            if let best, (best.area, best.bits) >= (entry.area, entry.bits) { continue }
            best = entry
        }
        return best
    }

    /// The bytes of a row of a mask: one bit a pixel, to a multiple of four bytes.
    static func maskStride(_ width: Int) -> Int { (width + 31) / 32 * 4 }

    /// Reads an entry; nil if the data ends within it.
    private init?(_ bytes: ByteReader, at offset: Int) {
        guard let width = bytes.byte(at: offset), let height = bytes.byte(at: offset + 1),
            let bits = bytes.littleEndian16(at: offset + 6), let size = bytes.littleEndian32(at: offset + 8),
            let start = bytes.littleEndian32(at: offset + 12)
        else { return nil }
        range = start..<start + size
        // A byte cannot say 256.
        area = (width == 0 ? 256 : width) * (height == 0 ? 256 : height)
        self.bits = bits
    }
}
