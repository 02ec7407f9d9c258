#if JXL
import Foundation
@testable import Imaging
import Testing

@Suite struct JXLEncoderTests {
    private func photo() throws -> Image {
        try Resize(width: 200).apply(to: try Photographs.image("coffee.png"))
    }

    private func encode(_ image: Image, _ options: JPEGXLOptions) throws -> Data {
        try ImageEncoder.encode(image, as: .jxl(options))
    }

    @Test("a larger distance is smaller and less like the image")
    func distances() throws {
        let photo = try photo()
        var last = (psnr: Double.infinity, count: Int.max)
        for (distance, least) in [(0, 999.0), (0.1, 38), (0.5, 33), (1, 31), (3, 28), (10, 24), (25, 22)] {
            let file = try encode(photo, JPEGXLOptions(distance: distance, effort: 4))
            let found = try psnr(try ImageDecoder.decode(file), photo)
            #expect(found > least && found < last.psnr || distance == 0, "\(distance): \(found) dB")
            #expect(file.count < last.count, "\(distance): \(file.count) bytes")
            last = (found, file.count)
        }
    }

    @Test func isSmallerThanJPEGOfTheSameLikeness() throws {
        let photo = try photo()
        let file = try encode(photo, JPEGXLOptions(distance: 1.5))
        let jpeg = try ImageEncoder.encode(photo, as: .jpeg(JPEGOptions(quality: 88)))
        #expect(file.count * 5 < jpeg.count * 4)
        let floor = try photo.converted(to: .rgb).ssimulacra2(of: try ImageDecoder.decode(jpeg))
        #expect(try photo.converted(to: .rgb).ssimulacra2(of: try ImageDecoder.decode(file)) > floor - 1)
    }

    @Test(arguments: [JPEGXLOptions(), JPEGXLOptions(lossless: true, effort: 3)])
    func equalInputGivesEqualBytes(_ options: JPEGXLOptions) async throws {
        let photo = try photo()
        let file = try encode(photo, options)
        let others = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<3 { group.addTask { try ImageEncoder.encode(photo, as: .jxl(options)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(others.allSatisfy { $0 == file })
    }

    @Test("without loss, every pixel comes back", arguments: [1, 3, 7], [false, true])
    func lossless(_ effort: Int, _ isGray: Bool) throws {
        for hasAlpha in [false, true] {
            let gradient = try Photographs.gradient(37, 23, alpha: hasAlpha)
            let color = hasAlpha ? gradient : try Flatten().apply(to: gradient)
            let image = isGray ? try Grayscale().apply(to: color) : color
            for options in [
                JPEGXLOptions(distance: 9, lossless: true, effort: effort),
                JPEGXLOptions(distance: 0, effort: effort),
            ] {
                let decoded = try ImageDecoder.decode(try encode(image, options))
                #expect(decoded.hasAlpha == hasAlpha && decoded.colorModel == image.colorModel)
                #expect(try decoded.rgba() == image.rgba())
            }
        }
    }

    @Test func keepsAlpha() throws {
        let image = try Photographs.gradient(37, 23, alpha: true)
        for image in [image, try Grayscale().apply(to: image)] {
            let decoded = try ImageDecoder.decode(try encode(image, JPEGXLOptions(distance: 0.5)))
            #expect(decoded.hasAlpha && decoded.colorModel == image.colorModel)
            let (before, after) = (try image.rgba(), try decoded.rgba())
            let differences = stride(from: 3, to: before.count, by: 4).map {
                abs(Int(before[$0]) - Int(after[$0]))
            }
            #expect(differences.max() == 0)
        }
    }

    @Test("16 bits stay 16 bits", arguments: [0, 2, 6])
    func keepsDepth(_ colorType: Int) throws {
        // A ramp of 64 steps within four 8-bit values.
        var raw: [UInt8] = []
        for _ in 0..<64 {
            raw.append(0)
            for x in 0..<64 {
                let value = 128 * 257 + x * 16
                let sample = [UInt8(value >> 8), UInt8(value & 255)]
                raw += colorType == 0 ? sample : sample + sample + sample
                if colorType == 6 { raw += [UInt8(x * 4), 0] }
            }
        }
        let png = CraftedPNG(width: 64, height: 64, depth: 16, colorType: colorType, raw: raw).data
        let image = try ImageDecoder.decode(png, bitDepth: 16)
        for options in [JPEGXLOptions(lossless: true, effort: 3), JPEGXLOptions(distance: 0.1)] {
            let file = try encode(image, options)
            #expect(try ImageHeader.read(file).bitDepth == 16)
            let decoded = try ImageDecoder.decode(file, bitDepth: 16)
            #expect(decoded.bitDepth == 16 && decoded.hasAlpha == (colorType == 6))
            let most = options.lossless ? 0 : 128
            #expect(zip(samples(image), samples(decoded)).allSatisfy { abs($0 - $1) <= most })
            #expect(try ImageDecoder.decode(file).bitDepth == 8)
        }
    }

    private func samples(_ image: Image) -> [Int] {
        let plane = image.planes[0]
        return plane.withUnsafeBytes { bytes in
            (0..<plane.height).flatMap { y in
                (0..<plane.width).map {
                    Int(bytes.loadUnaligned(fromByteOffset: y * plane.stride + 2 * $0, as: UInt16.self))
                }
            }
        }
    }

    @Test(arguments: [(1, 1), (2, 1), (3, 5), (16, 17), (257, 1), (1, 300)], [false, true])
    func takesEverySize(_ side: (Int, Int), _ lossless: Bool) throws {
        let image = try Photographs.gradient(side.0, side.1)
        let file = try encode(image, JPEGXLOptions(lossless: lossless, effort: 3))
        #expect(try ImageDecoder.decode(file).size == image.size)
    }

    @Test("the planes of a photograph become colours")
    func takesJPEGs() throws {
        let jpeg = try ImageDecoder.decode(try Photographs.jpeg(width: 200, height: 133))
        let file = try encode(jpeg, JPEGXLOptions(distance: 0.5))
        #expect(try psnr(try ImageDecoder.decode(file), jpeg) > 36)
    }

    @Test func refusesWhatJPEGXLCannotHold() throws {
        let long = try Image(width: 262_145, height: 1, rgba: Data(count: 262_145 * 4))
        let error = #expect(throws: ImagingError.self) { try ImageEncoder.encode(long, as: .jxl()) }
        #expect(error?.reason == .limits)
        let image = try Photographs.gradient(4, 4)
        for options in [
            JPEGXLOptions(distance: -0.1), JPEGXLOptions(distance: 25.1), JPEGXLOptions(distance: .nan),
            JPEGXLOptions(effort: 0), JPEGXLOptions(effort: 10),
        ] {
            let error = #expect(throws: ImagingError.self) {
                try ImageEncoder.encode(image, as: .jxl(options))
            }
            #expect(error?.reason == .processing)
        }
    }

    @Test("the distance is raised in steps of the quality until a file fits", arguments: [1, 1.05, 0.3])
    func raisesTheDistance(_ distance: Double) throws {
        let photo = try Resize(width: 120).apply(to: photo())
        func file(_ distance: Double, maxBytes: Int? = nil) throws -> Data {
            try encode(photo, JPEGXLOptions(distance: distance, effort: 3, maxBytes: maxBytes))
        }
        let own = try file(distance).count
        #expect(try file(distance, maxBytes: own).count == own)
        let found = try file(distance, maxBytes: own - 1)
        let lower = (0...100).reversed().filter { JPEGXLOptions.distance(ofQuality: $0) > distance + 1e-9 }
        let next = try #require(
            try lower.first { try file(JPEGXLOptions.distance(ofQuality: $0)).count < own }
        )
        #expect(try found == file(JPEGXLOptions.distance(ofQuality: next)))
        let options = JPEGXLOptions(distance: distance, effort: 3, maxBytes: own - 1)
        let encoded = try ImageEncoder.encoded(photo, as: .jxl(options))
        #expect(encoded.quality == next)
    }

    /// Pairs of libjxl's own function, `JxlEncoderDistanceFromQuality` of 0.11.
    @Test(
        "qualities stand for distances as in libjxl",
        arguments: [
            (0, 25.0), (10, 15.2667), (29, 6.5077), (30, 6.4), (68, 2.98), (90, 1), (99, 0.19), (100, 0.1),
        ]
    )
    func qualities(_ quality: Int, _ distance: Double) {
        var options = JPEGXLOptions()
        options.quality = quality
        #expect(abs(options.distance - distance) < 1e-4 && options.quality == quality)
        options.distance = distance - 0.02
        #expect(options.quality == min(quality + 1, 100))
    }

    @Test("a limit that no distance keeps is an error with the size that was reached")
    func refusesTooSmallALimit() throws {
        let photo = try Resize(width: 60).apply(to: photo())
        for (options, words) in [
            (JPEGXLOptions(effort: 1, maxBytes: 30), "bytes even at the largest distance, but"),
            (
                JPEGXLOptions(lossless: true, effort: 1, maxBytes: 30),
                "bytes, but the format's maxBytes allows 30"
            ),
        ] {
            let error = #expect(throws: ImagingError.self) { try encode(photo, options) }
            #expect(error?.reason == .processing)
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }

    @Test func namesItsEncoder() {
        let version = ImageEncoder.version(of: .jxl())
        #expect(version.wholeMatch(of: /libjxl 0\.[0-9]+\.[0-9]+/) != nil, "\(version)")
    }
}
#endif
