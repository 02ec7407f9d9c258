internal import Foundation

/// A BMP as ICO files hold it: without its file header, with twice its height, and with a mask after its pixels.
struct ICOBitmap {
    /// The bitmap as a file of its own.
    let file: Data
    /// The mask's rows from the bottom, one bit a pixel, 1 for transparent; nil if there is none or no bit is set.
    let mask: Data?

    /// The size of BITMAPINFOHEADER, and of its version 3, which has masks of colours and of alpha.
    private static let (headerSize, maskedHeaderSize) = (40, 56)

    /// Reads a picture; nil if it has no header of a known kind.
    init?(_ content: Data) {
        let bytes = ByteReader(content)
        guard bytes.littleEndian32(at: 0) == Self.headerSize, let width = bytes.littleEndian32(at: 4),
            let doubled = bytes.littleEndian32(at: 8), let bits = bytes.littleEndian16(at: 14),
            let compression = bytes.littleEndian32(at: 16), let used = bytes.littleEndian32(at: 32),
            (1...0x7FFF).contains(width), (2...0xFFFF).contains(doubled)
        else { return nil }
        let height = doubled / 2
        let colors = bits > 8 ? 0 : used == 0 || used > 1 << bits ? 1 << bits : used
        // Those of its colours follow the header.
        let masks = compression == 3 ? 12 : 0
        var header = [UInt8](content.prefix(Self.headerSize))
        header.replaceSubrange(8..<12, with: height.littleEndianBytes())
        if bits == 32, compression == 0 {
            // Without masks the fourth byte of a pixel means nothing in a BMP; here it is alpha.
            header.replaceSubrange(0..<4, with: Self.maskedHeaderSize.littleEndianBytes())
            header.replaceSubrange(16..<20, with: 3.littleEndianBytes())
            for mask in [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000] { header += mask.littleEndianBytes() }
        }
        let rest = content.dropFirst(Self.headerSize)
        let start = 14 + header.count + masks + 4 * colors
        var file = Data("BM".utf8)
        file +=
            (14 + header.count + rest.count).littleEndianBytes() + 0.littleEndianBytes()
            + start.littleEndianBytes()
        file += header
        file += rest
        self.file = file

        // Run-length coded pixels have no length that is known before they are read.
        let end = Self.headerSize + masks + 4 * colors + (width * bits + 31) / 32 * 4 * height
        let rows = bytes.slice(end..<end + ICOEntry.maskStride(width) * height)
        let isWhole =
            (compression == 0 || compression == 3) && rows.count == ICOEntry.maskStride(width) * height
        mask = isWhole && rows.contains { $0 != 0 } ? rows : nil
    }
}
