import Foundation
import Imaging
import TestSupport
import Testing

/// Any input gives an image or an error, never a crash and never an image with missing parts.
@Suite struct DamagedFilesTests {
    static let formats: [EncodingFormat] =
        [.jpeg(), .jpeg(JPEGOptions(progressive: true)), .png(), .png(PNGOptions(palette: true)), .webp()]
        + [.webp(WebPOptions(lossless: true))]
        + (ImageEncoder.formats.contains(.avif) ? [.avif(AVIFOptions(speed: 9))] : [])
        + (ImageEncoder.formats.contains(.jxl)
            ? [.jxl(JPEGXLOptions(effort: 4)), .jxl(JPEGXLOptions(lossless: true, effort: 3))] : [])

    private func file(_ format: EncodingFormat) throws -> Data {
        try ImageEncoder.encode(
            try Crop(width: 120, height: 90).apply(to: try Photographs.image("chelsea.png")),
            as: format
        )
    }

    @Test(arguments: formats)
    func aFileCutShortIsAnError(_ format: EncodingFormat) throws {
        let whole = try file(format)
        #expect(try ImageDecoder.decode(whole).size == PixelSize(width: 120, height: 90))
        let points = (0..<40).map { $0 * whole.count / 40 } + [whole.count - 3, whole.count - 2]
        for count in points where count > 20 {
            for covering in [nil, PixelSize(width: 20, height: 15)] {
                let error = #expect(throws: ImagingError.self, "\(count) of \(whole.count) bytes") {
                    try ImageDecoder.decode(whole.prefix(count), covering: covering)
                }
                #expect(
                    error?.reason == .truncated,
                    "\(count) of \(whole.count) bytes: \(error?.message ?? "")"
                )
            }
        }
    }

    @Test(arguments: formats)
    func mutantsNeverCrash(_ format: EncodingFormat) throws {
        let whole = try file(format)
        let seed = UInt64.random(in: 0...UInt64.max)
        print("mutants of \(format.imageFormat.rawValue): seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var limits = ImageLimits()
        limits.maxPixels = 1_000_000
        for round in 0..<300 {
            var mutant = whole
            let front = round % 2 == 0 ? min(700, whole.count) : whole.count
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                mutant[Int.random(in: 0..<front, using: &generator)] = UInt8.random(
                    in: 0...255,
                    using: &generator
                )
            }
            let covering = round % 3 == 0 ? PixelSize(width: 30, height: 30) : nil
            guard let header = try? ImageHeader.read(mutant) else { continue }
            #expect(header.decodeCost(covering: covering) > 0)
            guard let image = try? ImageDecoder.decode(mutant, covering: covering, limits: limits) else {
                continue
            }
            #expect(image.size.area <= limits.maxPixels)
            #expect(image.byteCount <= header.decodeCost(covering: covering) + (1 << 16))
        }
    }

    @Test func aHeaderOfOtherBytesIsAnError() throws {
        let files =
            try Self.formats.map(file) + [try Photographs.data("rocket.jpg"), JPEGDecoderTests.cmykFile()]
        for (one, other) in files.flatMap({ one in files.map { (one, $0) } }) {
            let header = try ImageHeader.read(one)
            guard try header.size != ImageHeader.read(other).size || header.format != ImageFormat(other)
            else {
                continue
            }
            #expect(throws: ImagingError.self) { try ImageDecoder.decode(other, header: header) }
        }
    }

    @Test func lyingSegmentsAndDirectoriesAreHarmless() throws {
        let jpeg = try file(.jpeg())
        for content: [UInt8] in [
            [], Array("Exif\0\0".utf8), Array("Exif\0\0".utf8) + [0x4D, 0x4D, 0, 42, 0xFF, 0xFF, 0xFF, 0xFF],
            Array("Exif\0\0".utf8) + [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0xFF, 0xFF],
            Array("Exif\0\0".utf8) + exif(9),
        ] {
            let file = inserting(marker: 0xE1, content, into: jpeg)
            #expect(try ImageDecoder.decode(file).size.width == 120)
        }
        let header = Array("ICC_PROFILE\0".utf8)
        for content in [header, header + [1], header + [0, 0], header + [2, 1], header + [1, 255]] {
            #expect(try ImageDecoder.decode(inserting(marker: 0xE2, content, into: jpeg)).size.width == 120)
        }
    }
}
