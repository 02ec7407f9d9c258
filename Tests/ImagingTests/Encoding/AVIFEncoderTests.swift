#if AVIF
import Foundation
import Imaging
import Testing

@Suite struct AVIFEncoderTests {
    private func photo() throws -> Image {
        try Resize(width: 200).apply(to: try Photographs.image("coffee.png"))
    }

    @Test func qualityIsMonotone() throws {
        let photo = try photo()
        var last = (psnr: 0.0, count: 0)
        for (quality, least) in [(10, 20.0), (30, 25), (60, 30), (80, 34), (90, 37), (100, 42)] {
            let file = try ImageEncoder.encode(photo, as: .avif(AVIFOptions(quality: quality, speed: 8)))
            let found = try psnr(try ImageDecoder.decode(file), photo)
            #expect(found > least && found > last.psnr && file.count > last.count, "\(quality): \(found) dB")
            last = (found, file.count)
        }
    }

    @Test func isSmallerThanJPEGOfTheSameLikeness() throws {
        let photo = try photo()
        let avif = try ImageEncoder.encode(photo, as: .avif())
        let jpeg = try ImageEncoder.encode(photo, as: .jpeg(JPEGOptions(quality: 75)))
        #expect(avif.count < jpeg.count)
        #expect(
            try psnr(try ImageDecoder.decode(avif), photo) > psnr(try ImageDecoder.decode(jpeg), photo) - 1
        )
    }

    @Test func equalInputGivesEqualBytes() async throws {
        let photo = try photo()
        let file = try ImageEncoder.encode(photo, as: .avif())
        let others = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<3 { group.addTask { try ImageEncoder.encode(photo, as: .avif()) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(others.allSatisfy { $0 == file })
    }

    @Test func keepsAlpha() throws {
        for image in [
            try Photographs.gradient(37, 23, alpha: true),
            try Grayscale().apply(to: try Photographs.gradient(37, 23, alpha: true)),
        ] {
            let file = try ImageEncoder.encode(image, as: .avif(AVIFOptions(quality: 95)))
            let decoded = try ImageDecoder.decode(file)
            #expect(decoded.hasAlpha && decoded.colorModel == image.colorModel)
            let (before, after) = (try image.rgba(), try decoded.rgba())
            let largest = stride(from: 3, to: before.count, by: 4).map {
                abs(Int(before[$0]) - Int(after[$0]))
            }
            #expect((largest.max() ?? 255) < 16)
        }
    }

    /// 16-bit samples become 10 bits, and come back.
    @Test(arguments: [0, 2, 6])
    func keepsTenBits(_ colorType: Int) throws {
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
        let file = try ImageEncoder.encode(image, as: .avif(AVIFOptions(quality: 100)))
        #expect(try ImageHeader.read(file).bitDepth == 10)
        let decoded = try ImageDecoder.decode(file, bitDepth: 16)
        #expect(decoded.bitDepth == 16 && decoded.hasAlpha == (colorType == 6))
        let before = samples(image)
        let after = samples(decoded)
        // A step of 10 bits is 64; the ramp has 17 of them, 8 bits only five.
        #expect(zip(before, after).allSatisfy { abs($0 - $1) <= 128 })
        #expect(Set(after).count > 8)
        #expect(try ImageDecoder.decode(file).bitDepth == 8)
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

    @Test(arguments: [(1, 1), (2, 1), (3, 5), (16, 17), (65, 1)], [60, 95])
    func takesEverySize(_ side: (Int, Int), _ quality: Int) throws {
        let image = try Photographs.gradient(side.0, side.1)
        let file = try ImageEncoder.encode(image, as: .avif(AVIFOptions(quality: quality)))
        #expect(try ImageDecoder.decode(file).size == image.size)
    }

    @Test func takesAPhotographsPlanesAsTheyAre() throws {
        let jpeg = try ImageDecoder.decode(try Photographs.jpeg(width: 200, height: 133))
        let file = try ImageEncoder.encode(jpeg, as: .avif(AVIFOptions(quality: 85)))
        #expect(try psnr(try ImageDecoder.decode(file), jpeg) > 33)
    }

    @Test func refusesWhatAVIFCannotHold() throws {
        let long = try Image(width: 32_769, height: 1, rgba: Data(count: 32_769 * 4))
        let error = #expect(throws: ImagingError.self) { try ImageEncoder.encode(long, as: .avif()) }
        #expect(error?.reason == .limits)
        let image = try Photographs.gradient(4, 4)
        for options in [AVIFOptions(quality: 101), AVIFOptions(quality: -1), AVIFOptions(speed: 11)] {
            let error = #expect(throws: ImagingError.self) {
                try ImageEncoder.encode(image, as: .avif(options))
            }
            #expect(error?.reason == .processing)
        }
    }

    @Test func namesItsEncoder() {
        // "libavif 0.11.1, aom v3.6.0"
        let version = ImageEncoder.version(of: .avif())
        #expect(version.wholeMatch(of: /libavif [0-9.]+, \w+ .*[0-9].*/) != nil, "\(version)")
    }
}
#endif
