#if TIFF
import Foundation
import Imaging
import Testing

/// Compressions whose data determine the memory of a decoder: it is announced before it is allocated.
@Suite struct TIFFClaimsTests {
    private func pixels(_ file: CraftedTIFF) throws -> Data { try ImageDecoder.decode(file.data).rgba() }

    private func reason(_ file: CraftedTIFF) -> ImagingError.Reason? {
        do throws(ImagingError) {
            _ = try ImageDecoder.decode(file.data)
            return nil
        } catch { return error.reason }
    }

    private func cost(_ file: CraftedTIFF) throws -> Int {
        try ImageHeader.read(file.data).decodeCost(covering: nil)
    }

    private let plain: CraftedTIFF = {
        let samples = (0..<40 * 30 * 3).map { UInt8($0 * 7 % 251) }
        var file = CraftedTIFF(40, 30, samples: 3, photometric: 2, pixels: samples)
        file.tags[278] = [8]
        file.strips = stride(from: 0, to: 30, by: 8).map { y in Array(samples[y * 120..<min(30, y + 8) * 120])
        }
        return file
    }()

    /// A frame of one block without compression (RFC 8878) with a window of 2 to the power of `log`.
    private static func zstd(_ bytes: [UInt8], log: Int = 11) -> [UInt8] {
        let block = bytes.count << 3 | 1
        let head: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, UInt8((log - 10) << 3)]
        return head + (0..<3).map { UInt8(block >> (8 * $0) & 255) } + bytes
    }

    /// A frame that says how long it is instead of its window.
    private static func zstdSingle(_ bytes: [UInt8], size: Int? = nil) -> [UInt8] {
        let size = size ?? bytes.count
        let head: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0xA0] + (0..<4).map { UInt8(size >> (8 * $0) & 255) }
        return head + zstd(bytes).dropFirst(6)
    }

    /// An xz stream (1.0.4) of stored LZMA2 chunks, of so many blocks, with a dictionary's code of its own for the last.
    private static func lzma(_ bytes: [UInt8], dictionary: UInt8 = 0, blocks: Int = 1, filter: UInt8 = 0x21)
        -> [UInt8]
    {
        func checked(_ part: [UInt8]) -> [UInt8] { part + CraftedPNG.checksum(part).reversed() }
        var stream: [UInt8] = [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0] + checked([0, 0])
        let share = (bytes.count + blocks - 1) / blocks
        for block in 0..<blocks {
            let part = bytes[block * share..<min(bytes.count, (block + 1) * share)]
            stream += checked([2, 0, filter, 1, block == blocks - 1 ? dictionary : 0, 0, 0, 0])
            stream += [1, UInt8((part.count - 1) >> 8), UInt8((part.count - 1) & 255)] + part + [0]
            stream += [UInt8](repeating: 0, count: (4 - (part.count + 4) % 4) % 4)
        }
        return stream
    }

    private static let codings: [(Int, @Sendable ([UInt8]) -> [UInt8])] = [
        (50_000, { zstd($0) }), (50_000, { zstdSingle($0) }), (34_925, { lzma($0) }),
    ]

    @Test(arguments: 0..<3)
    func readsZstandardAndLZMA(_ index: Int) throws {
        let (method, code) = Self.codings[index]
        let file = plain.compressed(method, code)
        #expect(try pixels(file) == pixels(plain))
        #expect(try cost(file) < 4 << 20)
        // Tiles, of which the last stick out.
        var tiles = plain
        tiles.tags[278] = nil
        tiles.tags[322] = [32]
        tiles.tags[323] = [16]
        tiles.strips = (0..<4).map { tile in (0..<32 * 16 * 3).map { UInt8(($0 + tile) % 256) } }
        #expect(try pixels(tiles.compressed(method, code)) == pixels(tiles))
        for length in [0, 3, 5, 12, 20, 40] {
            #expect(reason(plain.compressed(method) { Array(code($0).prefix(length)) }) != nil)
        }
    }

    @Test func readsWebP() throws {
        let image = try ImageDecoder.decode(plain.data)
        let strips = try stride(from: 0, to: 30, by: 8).map { y in
            let strip = try Crop(x: 0, y: y, width: 40, height: min(8, 30 - y)).apply(to: image)
            return [UInt8](try ImageEncoder.encode(strip, as: .webp(WebPOptions(lossless: true))))
        }
        var file = plain
        file.tags[259] = [50_001]
        file.strips = strips
        #expect(try pixels(file) == pixels(plain))
        // One that is larger than its strip, and the last one, which is smaller.
        for swapped in [[0, 1, 2, 0], [3, 1, 2, 3]] {
            file.strips = swapped.map { strips[$0] }
            #expect(reason(file) == .corrupt)
        }
    }

    @Test func tellsOrRefusesWindows() throws {
        let modest = try cost(plain.compressed(50_000) { Self.zstd($0) })
        let wide = plain.compressed(50_000) { Self.zstd($0, log: 27) }
        #expect(try cost(wide) - modest == (1 << 27) - (1 << 11))
        #expect(try pixels(wide) == pixels(plain))
        #expect(reason(plain.compressed(50_000) { Self.zstd($0, log: 28) }) == .unsupported)
        #expect(reason(plain.compressed(50_000) { Self.zstd($0, log: 41) }) == .unsupported)
        #expect(reason(plain.compressed(50_000) { Self.zstdSingle($0, size: 0x7FFF_FFFF) }) == .corrupt)
        // A second frame is not begun, and no other format of zstd's or frame to be skipped.
        #expect(
            reason(plain.compressed(50_000) { Self.zstd(Array($0.prefix(120))) + Self.zstd($0, log: 41) })
                == .corrupt
        )
        #expect(
            reason(plain.compressed(50_000) { [0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0] + Self.zstd($0) })
                == .corrupt
        )
        #expect(reason(plain.compressed(50_000) { [0x27] + Self.zstd($0).dropFirst() }) == .corrupt)
    }

    @Test func tellsOrRefusesDictionaries() throws {
        let modest = try cost(plain.compressed(34_925) { Self.lzma($0) })
        // 2 to the power of (24 / 2 + 12); and the largest that can be said.
        let wide = plain.compressed(34_925) { Self.lzma($0, dictionary: 24) }
        #expect(try cost(wide) - modest == (1 << 24) - (1 << 12))
        #expect(try pixels(wide) == pixels(plain))
        #expect(try cost(plain.compressed(34_925) { Self.lzma($0, dictionary: 40) }) > 1 << 32)
        #expect(reason(plain.compressed(34_925) { Self.lzma($0, dictionary: 41) }) == .corrupt)
        // The second block's dictionary would not be known.
        #expect(reason(plain.compressed(34_925) { Self.lzma($0, dictionary: 40, blocks: 2) }) == .unsupported)
        #expect(reason(plain.compressed(34_925) { Self.lzma($0, filter: 4) }) == .unsupported)
    }
}
#endif
