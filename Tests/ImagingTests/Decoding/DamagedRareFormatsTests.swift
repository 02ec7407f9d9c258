import Foundation
import Imaging
import TestSupport
import Testing

/// Small files of the formats without an encoder: any damage gives an error or the whole image.
@Suite struct DamagedRareFormatsTests {
    static let files: [(name: String, data: Data)] = {
        let bytes = (0..<16 * 12 * 3).map { UInt8($0 * 37 % 256) }
        let rows = stride(from: 0, to: bytes.count, by: 48).map { Array(bytes[$0..<$0 + 48]) }
        let palette: [[UInt8]] = [[0, 0, 255], [0, 255, 0], [255, 0, 0], [30, 20, 10]]
        let runs: [UInt8] = [3, 1, 0, 3, 2, 3, 2, 0, 0, 0, 0, 2, 1, 1, 2, 3, 0, 1]
        var files = [
            ("BMP", CraftedBMP(width: 16, height: 12, bits: 24, rows: rows).data),
            (
                "BMP of runs",
                CraftedBMP(width: 6, height: 3, bits: 8, compression: 1, palette: palette, rows: [runs]).data
            ),
            (
                "BMP with masks",
                CraftedBMP(
                    width: 12,
                    height: 12,
                    bits: 32,
                    compression: 3,
                    headerSize: 124,
                    masks: [0xFF, 0xFF00, 0xFF0000, 0xFF00_0000],
                    rows: rows
                ).data
            ),
        ]
        #if GIF
        var gif = CraftedGIF(
            screenWidth: 17,
            screenHeight: 13,
            width: 16,
            height: 12,
            transparent: 3,
            indices: (0..<192).map { $0 % 4 }
        )
        files.append(("GIF", gif.data))
        gif.isInterlaced = true
        files.append(("interlaced GIF", gif.data))
        #endif
        #if TIFF
        let tiff = CraftedTIFF(16, 12, samples: 3, photometric: 2, pixels: bytes)
        var tiles = CraftedTIFF(16, 12, samples: 3, photometric: 2, pixels: bytes + bytes.prefix(192))
        tiles.tags[278] = nil
        tiles.tags[322] = [16]
        tiles.tags[323] = [16]
        var chroma = CraftedTIFF(16, 12, samples: 3, photometric: 6, pixels: Array(bytes.prefix(288)))
        chroma.tags[530] = [2, 2]
        var big = tiff.compressed(8, CraftedPNG.stored)
        big.isBigTIFF = true
        big.isBigEndian = true
        var strips = tiff
        strips.isDirectoryFirst = true
        files.append(("TIFF with its directory first", strips.data))
        files.append(("LZW TIFF with its directory first", strips.compressed(5, CraftedTIFF.lzw).data))
        strips.tags[278] = [5]
        strips.strips = [0..<5, 5..<10, 10..<12].map { Array(bytes[$0.lowerBound * 48..<$0.upperBound * 48]) }
        files.append(("TIFF in strips", strips.data))
        files += [
            ("TIFF", tiff.data), ("LZW TIFF", tiff.compressed(5, CraftedTIFF.lzw).data),
            ("PackBits TIFF", tiff.compressed(32_773, CraftedTIFF.packBits).data), ("BigTIFF", big.data),
            ("tiled TIFF", tiles.data), ("YCbCr TIFF", chroma.data),
        ]
        #endif
        return files
    }()

    @Test func theLargestSidesCostMoreThanThereIs() throws {
        var huge = try #require(Self.files.first { $0.name == "BMP of runs" }).data
        for offset in [18, 22] { huge.replaceSubrange(offset..<offset + 4, with: [0xFF, 0xFF, 0xFF, 0x7F]) }
        let header = try ImageHeader.read(huge)
        #expect(header.size.area == Int(Int32.max) * Int(Int32.max))
        for covering in [nil, PixelSize(width: 1, height: 1)] {
            #expect(header.decodeCost(covering: covering, bitDepth: 16) > 1 << 40)
        }
    }

    @Test(arguments: files)
    func aFileCutAnywhereIsAnErrorOrWhole(_ name: String, _ whole: Data) throws {
        let pixels = try ImageDecoder.decode(whole).rgba()
        for count in 0..<whole.count {
            do throws(ImagingError) {
                let rgba = try ImageDecoder.decode(whole.prefix(count)).rgba()
                #expect(rgba == pixels, "\(name): \(count) of \(whole.count) bytes")
            } catch {
                let expected: [ImagingError.Reason] = count < 18 ? [.truncated, .wrongType] : [.truncated]
                #expect(
                    expected.contains(error.reason),
                    "\(name): \(count) of \(whole.count) bytes: \(error.message)"
                )
            }
        }
    }

    @Test(arguments: files)
    func mutantsNeverCrash(_ name: String, _ whole: Data) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("mutants of \(name): seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var limits = ImageLimits()
        limits.maxPixels = 1_000_000
        for round in 0..<400 {
            var mutant = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                mutant[Int.random(in: 0..<whole.count, using: &generator)] = UInt8.random(
                    in: 0...255,
                    using: &generator
                )
            }
            let covering = round % 3 == 0 ? PixelSize(width: 2, height: 2) : nil
            guard let header = try? ImageHeader.read(mutant) else { continue }
            let cost = header.decodeCost(covering: covering)
            guard cost < 1 << 28,
                let image = try? ImageDecoder.decode(mutant, covering: covering, limits: limits)
            else { continue }
            #expect(image.size.area <= limits.maxPixels)
            #expect(image.byteCount <= cost)
        }
    }
}
