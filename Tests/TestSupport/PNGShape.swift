internal import CImageCodecs
internal import CZlib
public import Foundation

/// A PNG as one of its colour types and depths, for what compares the two decoders of its pixels.
public struct PNGShape: Sendable, CustomStringConvertible {
    /// The colour type of IHDR.
    public var colorType: Int
    /// The bits of a sample.
    public var depth: Int
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int
    /// True if IHDR says that the rows are interlaced.
    public var isInterlaced = false
    /// Chunks between IHDR and IDAT.
    public var chunks: [(type: String, content: [UInt8])] = []
    /// The most bytes of the stream in one IDAT.
    public var split = Int.max

    /// Creates a shape without chunks of its own, in one IDAT.
    public init(colorType: Int, depth: Int, width: Int, height: Int) {
        (self.colorType, self.depth, self.width, self.height) = (colorType, depth, width, height)
    }

    /// The colour types and depths that PNG allows (RFC 2083, 4.1.1).
    public static let kinds: [(colorType: Int, depth: Int)] = [
        (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8),
        (4, 16), (6, 8), (6, 16),
    ]

    /// The colour type, depth and size.
    public var description: String { "colour type \(colorType), \(depth) bits, \(width) × \(height)" }

    /// Samples per pixel, of a palette 1.
    public var samples: Int { [1, 1, 3, 1, 2, 1, 4][colorType] }

    /// Bytes of a row, without its filter.
    public var rowBytes: Int { (width * samples * depth + 7) / 8 }

    /// Planes of the decoded image.
    public var planes: Int {
        let alpha = colorType & 4 != 0 || chunks.contains { $0.type == "tRNS" }
        return (colorType & 2 == 0 ? 1 : 3) + (alpha ? 1 : 0)
    }

    /// The file, with this zlib stream in its IDATs.
    public func file(_ stream: [UInt8]) -> Data {
        var file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let head = [UInt8(depth), UInt8(colorType), 0, 0, isInterlaced ? 1 : 0]
        file += Self.chunk("IHDR", Self.bytes(width) + Self.bytes(height) + head)
        for (type, content) in chunks { file += Self.chunk(type, content) }
        for start in stride(from: 0, to: stream.count, by: min(split, max(1, stream.count))) {
            file += Self.chunk("IDAT", Array(stream[start..<(start + min(split, stream.count - start))]))
        }
        return file + Self.chunk("IEND", [])
    }

    /// A zlib stream by zlib.
    public static func deflated(_ raw: [UInt8], level: Int, strategy: Int = 0) -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        deflateInit2_(&stream, Int32(level), Z_DEFLATED, 15, 4, Int32(strategy), ZLIB_VERSION, size)
        defer { deflateEnd(&stream) }
        var (input, output) = (raw, [UInt8](repeating: 0, count: 2 * raw.count + 1000))
        let count = input.withUnsafeMutableBufferPointer { from in
            output.withUnsafeMutableBufferPointer { to in
                (stream.next_in, stream.avail_in) = (from.baseAddress, UInt32(from.count))
                (stream.next_out, stream.avail_out) = (to.baseAddress, UInt32(to.count))
                deflate(&stream, Z_FINISH)
                return to.count - Int(stream.avail_out)
            }
        }
        return Array(output.prefix(count))
    }

    /// Any bytes as a zlib stream: with a header, and the checksum of what zlib inflates of them, be it to their end or not.
    public static func stream(of deflated: [UInt8], window: Int) -> [UInt8] {
        var stream = z_stream()
        inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { inflateEnd(&stream) }
        var (input, output) = (deflated, [UInt8](repeating: 0, count: 200_000))
        let (used, count) = input.withUnsafeMutableBufferPointer { from in
            output.withUnsafeMutableBufferPointer { to in
                (stream.next_in, stream.avail_in) = (from.baseAddress, UInt32(from.count))
                (stream.next_out, stream.avail_out) = (to.baseAddress, UInt32(to.count))
                let isWhole = inflate(&stream, Z_FINISH) == Z_STREAM_END
                let left = isWhole ? Int(stream.avail_in) : 0
                return (from.count - left, to.count - Int(stream.avail_out))
            }
        }
        let method = window << 4 | 8
        let checksum = adler32(1, output, UInt32(count))
        let header = [UInt8(method), UInt8((31 - (method << 8) % 31) % 31)]
        return header + deflated.prefix(used) + bytes(Int(checksum))
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + content
        return bytes(content.count) + body + checksum(body)
    }

    private static func checksum(_ body: [UInt8]) -> [UInt8] { bytes(Int(nb_crc32(body, body.count))) }

    private static func bytes(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) }
    }
}
