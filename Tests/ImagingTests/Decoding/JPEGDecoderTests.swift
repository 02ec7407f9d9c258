import Foundation
import Imaging
import Testing

@Suite struct JPEGDecoderTests {
    @Test(arguments: [(1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (7, 8), (8, 8)])
    func decodesTheSmallestPowerOfTwoThatCovers(_ asked: Int, _ given: Int) throws {
        let jpeg = try Photographs.jpeg(width: 451, height: 299)
        func eighths(_ count: Int) -> PixelSize {
            PixelSize(width: (451 * count + 7) / 8, height: (299 * count + 7) / 8)
        }
        #expect(try ImageDecoder.decode(jpeg, covering: eighths(asked)).size == eighths(given))
    }

    @Test func neverDecodesSmallerThanAskedOrLargerThanStored() throws {
        let jpeg = try Photographs.jpeg()
        #expect(try ImageDecoder.decode(jpeg, covering: PixelSize(width: 1, height: 151)).size.height >= 151)
        let large = PixelSize(width: 5000, height: 5000)
        #expect(try ImageDecoder.decode(jpeg, covering: large).size == PixelSize(width: 451, height: 300))
    }

    /// Odd sizes and every subsampling, compared with the same image in RGB.
    @Test(
        arguments: [(1, 1), (2, 3), (7, 5), (15, 17), (16, 16), (33, 31), (65, 40)],
        ChromaSubsampling.allCases
    )
    func keepsTheImage(_ side: (Int, Int), _ subsampling: ChromaSubsampling) throws {
        let original = try Photographs.gradient(side.0, side.1)
        let options = JPEGOptions(quality: 95, subsampling: subsampling)
        let decoded = try ImageDecoder.decode(try ImageEncoder.encode(original, as: .jpeg(options)))
        #expect(decoded.size == original.size)
        // Subsampling changes the colour of single saturated pixels, but never their luma.
        let gray = Grayscale()
        #expect(try psnr(try gray.apply(to: decoded), try gray.apply(to: original)) > 26)
        let colorQuality = try psnr(decoded, original)
        #expect(subsampling == .s444 ? colorQuality > 26 : colorQuality > 12 || original.size.area < 10)
    }

    @Test(arguments: Orientation.allCases, [false, true])
    func turnsUpright(_ orientation: Orientation, _ littleEndian: Bool) throws {
        // Four flat corners: red top left, green top right, blue bottom left, white bottom right.
        let colors: [[UInt8]] = [
            [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255],
        ]
        let original = try Photographs.pattern(49, 33) { x, y in colors[(y < 16 ? 0 : 2) + (x < 24 ? 0 : 1)] }
        let options = JPEGOptions(quality: 95, subsampling: .s444)
        let jpeg = try ImageEncoder.encode(original, as: .jpeg(options))
        // Another segment comes first, because EXIF may follow any segment.
        let segment = Array("Exif\0\0".utf8) + exif(orientation.rawValue, littleEndian: littleEndian)
        let file = inserting(marker: 0xEC, [1, 2, 3], into: inserting(marker: 0xE1, segment, into: jpeg))
        let header = try ImageHeader.read(file)
        #expect(header.orientation == orientation)
        for covering in [nil, PixelSize(width: 8, height: 8)] {
            let image = try ImageDecoder.decode(file, covering: covering)
            if covering == nil {
                #expect(image.size == header.size)
                #expect(image.size.width == (orientation.rawValue > 4 ? 33 : 49))
            }
            let right = image.size.width - 1
            let bottom = image.size.height - 1
            let corners = try [(0, 0), (right, 0), (0, bottom), (right, bottom)].map { corner in
                let found = try pixel(image, x: corner.0, y: corner.1)
                return colors.firstIndex { zip($0, found).allSatisfy { abs(Int($0) - $1) < 60 } }
            }
            // The stored corner that each corner of the upright image shows (EXIF 2.32, figure 2).
            let expected: [[Int]] = [
                [0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0], [2, 3, 0, 1],
                [0, 2, 1, 3], [2, 0, 3, 1], [3, 1, 2, 0], [1, 3, 0, 2],
            ]
            #expect(corners == expected[orientation.rawValue - 1])
        }
    }

    @Test func readsCMYK() throws {
        let file = try Self.cmykFile()
        #expect(try ImageHeader.read(file).colorModel == .cmyk)
        for covering in [nil, PixelSize(width: 4, height: 4)] {
            let color = try pixel(try ImageDecoder.decode(file, covering: covering), x: 1, y: 1)
            #expect(zip(color, [225, 49, 0, 255]).allSatisfy { abs($0 - $1) <= 4 }, "\(color)")
        }
    }

    @Test func refusesTooManyScans() throws {
        let jpeg = try Photographs.jpeg(options: JPEGOptions(progressive: true))
        var limits = ImageLimits()
        limits.maxScans = 3
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(jpeg, limits: limits) }
        #expect(error?.reason == .limits)
        limits.maxScans = 10
        #expect(try ImageDecoder.decode(jpeg, limits: limits).size.width == 451)
    }

    /// 16 × 16 of one ink: cyan 0, magenta 200, yellow 255, black 30; as Adobe stores it, inverted.
    static func cmykFile() throws -> Data { try #require(Data(base64Encoded: cmyk)) }

    private static let cmyk =
        "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwADAgIDAgIDAwMDBAMDBAUIBQUEBAUKBwcGCAwKDAwLCgsLDQ4SEA0OEQ4LCxAWEBETFBUVFQwP"
        + "FxgWFBgSFBUU/8AAFAgAEAAQBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKC//EALUQAAIBAwMCBAMF"
        + "BQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldY"
        + "WVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn"
        + "6Onq8fLz9PX29/j5+v/aAA4EQwBNAFkASwAAPwD9U6+PK/Kqv0Doooooooooooor/9k="
}
