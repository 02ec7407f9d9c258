import Foundation
import Imaging
import TestSupport
import Testing

/// A JPEG XL with a header written by hand before the frames of another, for what the encoder does not write: other
/// orientations, colours and channels (ISO/IEC 18181-1, annex D).
struct CraftedJXL {
    private var frames = Data()
    /// True for colours in XYB, libjxl's own, which lose something.
    private let isXYB: Bool
    private let width: Int
    private let height: Int
    /// The orientation, as EXIF's.
    var orientation = 1
    /// H.273's code of the primaries; 1 is sRGB's.
    var primaries = 1
    /// H.273's code of the transfer function; 13 is sRGB's.
    var transfer = 13
    /// The types of the channels beside the colours.
    var channels: [Int] = []
    /// True if alpha has multiplied the colours.
    var isAssociated = false
    /// The size in the header instead of the real one.
    var claimedSize: (width: Int, height: Int)?

    /// Encodes an image, in XYB with its alpha, or else without loss and without alpha.
    ///
    /// Its sides are none that have a short form: in a simple ratio, or both divisible by 8.
    init(_ image: Image, isXYB: Bool = false) throws {
        self.isXYB = isXYB
        width = image.size.width
        height = image.size.height
        if isXYB { channels = [0] }
        let shown = isXYB ? image : try Flatten().apply(to: image)
        let options = JPEGXLOptions(distance: 0.3, lossless: !isXYB, effort: 3)
        let file = try ImageEncoder.encode(shown, as: .jxl(options))
        // The control: this is how the encoder writes it.
        try #require(file.starts(with: header))
        frames = Data(file.dropFirst(header.count))
    }

    /// The bare codestream.
    var data: Data { header + frames }

    private var header: Data {
        var bits = Bits()
        bits.add(0xFF, 8)
        bits.add(0x0A, 8)
        let size = claimedSize ?? (width, height)
        bits.add(0, 1)
        bits.addSize(size.height)
        bits.add(0, 3)
        bits.addSize(size.width)
        bits.add(0, 1)  // not all as usual
        bits.add(orientation == 1 ? 0 : 1, 1)
        // With no intrinsic size, preview or animation.
        if orientation != 1 { bits.add(orientation - 1, 3 + 3) }
        bits.add(0, 1 + 2)  // 8 bits of integers
        bits.add(1, 1)  // which are modelled in 16 bits
        bits.add(min(channels.count, 2), 2)
        if channels.count > 1 { bits.add(channels.count - 2, 4) }
        for channel in channels {
            let isUsual = channel == 0 && !isAssociated
            bits.add(isUsual ? 1 : 0, 1)
            if isUsual { continue }
            bits.addEnumeration(channel)
            bits.add(0, 1 + 2)
            bits.add(0, 2 + 2)  // as large as the image, and without a name
            if channel == 0 { bits.add(1, 1) }
            if channel == 5 { bits.add(0, 2) }
        }
        bits.add(isXYB ? 1 : 0, 1)
        let isSRGB = primaries == 1 && transfer == 13
        bits.add(isSRGB ? 1 : 0, 1)
        if !isSRGB {
            bits.add(0, 1)  // no profile
            bits.addEnumeration(0)
            bits.addEnumeration(1)
            bits.addEnumeration(primaries)
            bits.add(0, 1)
            bits.addEnumeration(transfer)
            bits.addEnumeration(1)
        }
        if orientation != 1 { bits.add(1, 1) }  // the tone mapping as usual
        bits.add(0, 2)  // no extensions
        bits.add(1, 1)  // the transforms as usual
        return Data(bits.bytes)
    }

    /// Bits from the lowest of each byte on.
    private struct Bits {
        private(set) var bytes: [UInt8] = []
        private var count = 0

        mutating func add(_ value: Int, _ width: Int) {
            for bit in 0..<width {
                if count % 8 == 0 { bytes.append(0) }
                bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << (count % 8)
                count += 1
            }
        }

        mutating func addSize(_ size: Int) {
            let widths = [9, 13, 18, 30]
            let index = widths.firstIndex { size - 1 < 1 << $0 } ?? 3
            add(index, 2)
            add(size - 1, widths[index])
        }

        mutating func addEnumeration(_ value: Int) {
            switch value {
            case 0, 1: add(value, 2)
            case 2..<18:
                add(2, 2)
                add(value - 2, 4)
            default:
                add(3, 2)
                add(value - 18, 6)
            }
        }
    }

    // MARK: Boxes (ISO/IEC 18181-2)

    /// A codestream in boxes, with others before it.
    static func container(_ codestream: Data, boxes: [(type: String, content: [UInt8])]) -> Data {
        let all =
            [("JXL ", [0x0D, 0x0A, 0x87, 0x0A]), ("ftyp", Array("jxl \0\0\0\0jxl ".utf8))] + boxes
            + [("jxlc", [UInt8](codestream))]
        return Data(all.flatMap { bytes32($0.1.count + 8) + Array($0.0.utf8) + $0.1 })
    }

    /// The content of a box of compressed metadata: the type, and a Brotli stream of stored bytes (RFC 7932, 9.2).
    static func compressed(_ type: String, _ content: [UInt8]) -> [UInt8] {
        // A window of 64 kB.
        var stream: [UInt8] = []
        var isFirst = true
        for start in stride(from: 0, to: content.count, by: 1 << 16) {
            let part = content[start..<min(content.count, start + 1 << 16)]
            var bits = Bits()
            // The window before the first part; then: not the last, a length of four digits, stored.
            if isFirst { bits.add(0, 1) }
            isFirst = false
            bits.add(0, 1 + 2)
            bits.add(part.count - 1, 16)
            bits.add(1, 1)
            stream += bits.bytes + part
        }
        return Array(type.utf8) + stream + [3]
    }
}
