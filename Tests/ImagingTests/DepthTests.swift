import Foundation
import Imaging
import Testing

/// Images of 16 bits a sample keep them from file to file.
@Suite struct DepthTests {
    private static let size = PixelSize(width: 37, height: 23)

    /// A PNG whose samples need all of their 16 bits: red, green, blue and, if asked, alpha.
    private static func file(alpha: Bool = false) -> (data: Data, samples: [UInt16]) {
        var samples: [UInt16] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                samples += [UInt16(x * 1771), UInt16(y * 2849 + x), UInt16((x * y * 77) % 65_536)]
                if alpha { samples.append(UInt16(65_535 - x * 900)) }
            }
        }
        let channels = alpha ? 4 : 3
        var raw: [UInt8] = []
        for y in 0..<size.height {
            raw.append(0)
            for sample in samples[(y * size.width * channels)..<((y + 1) * size.width * channels)] {
                raw += [UInt8(sample >> 8), UInt8(sample & 255)]
            }
        }
        let data = CraftedPNG(
            width: size.width,
            height: size.height,
            depth: 16,
            colorType: alpha ? 6 : 2,
            raw: raw
        ).data
        return (data, samples)
    }

    private static func samples(_ image: Image) -> [UInt16] {
        var result: [UInt16] = []
        for y in 0..<image.size.height {
            for x in 0..<image.size.width {
                for plane in image.planes {
                    result.append(
                        plane.withUnsafeBytes {
                            $0.load(fromByteOffset: y * plane.stride + 2 * x, as: UInt16.self)
                        }
                    )
                }
            }
        }
        return result
    }

    @Test(arguments: [false, true])
    func survivesARoundTrip(alpha: Bool) throws {
        let (data, samples) = Self.file(alpha: alpha)
        #expect(try ImageHeader.read(data).bitDepth == 16)
        let image = try ImageDecoder.decode(data, bitDepth: 16)
        #expect(image.bitDepth == 16)
        #expect(Self.samples(image) == samples)
        let again = try ImageDecoder.decode(try ImageEncoder.encode(image, as: .png()), bitDepth: 16)
        #expect(Self.samples(again) == samples)
    }

    @Test func isRoundedToEightBitsWhereNoMoreIsAskedFor() throws {
        let (data, samples) = Self.file()
        let eight = try ImageDecoder.decode(data)
        #expect(eight.bitDepth == 8)
        let rgba = try eight.rgba()
        let expected = samples.map { UInt8((Double($0) / 257).rounded()) }
        for pixel in 0..<(Self.size.width * Self.size.height) {
            #expect(
                Array(rgba[(pixel * 4)..<(pixel * 4 + 3)]) == Array(expected[(pixel * 3)..<(pixel * 3 + 3)])
            )
        }
    }

    @Test func isKeptByTurnsCropsAndResizes() throws {
        let (data, samples) = Self.file()
        let image = try ImageDecoder.decode(data, bitDepth: 16)
        let turned = try Rotate(degrees: 90).apply(to: image)
        let back = try Rotate(degrees: 270).apply(to: turned)
        #expect(Self.samples(back) == samples)
        let pixel = try Crop(x: 5, y: 7, width: 1, height: 1).apply(to: image)
        let start = (7 * Self.size.width + 5) * 3
        #expect(Self.samples(pixel) == Array(samples[start..<start + 3]))
        let small = try Resize(width: 10, height: 6, contentMode: .fill).apply(to: image)
        #expect(small.bitDepth == 16)
        // Sixteen bits that were eight would all be multiples of 257.
        #expect(Self.samples(small).contains { $0 % 257 != 0 })
        let gray = try Grayscale().apply(to: image)
        #expect(gray.bitDepth == 16)
    }

    @Test func becomesAJPEGAndAWebP() throws {
        let image = try ImageDecoder.decode(Self.file(alpha: true).data, bitDepth: 16)
        for format in [EncodingFormat.jpeg(), .webp(WebPOptions(lossless: true))] {
            let decoded = try ImageDecoder.decode(try ImageEncoder.encode(image, as: format))
            #expect(decoded.size == Self.size)
        }
    }
}
