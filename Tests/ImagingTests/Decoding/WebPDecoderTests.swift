import Foundation
import Imaging
import Testing

@Suite struct WebPDecoderTests {
    private func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        Array(type.utf8) + little32(content.count) + content + [UInt8](repeating: 0, count: content.count & 1)
    }

    private func little24(_ value: Int) -> [UInt8] { Array(little32(value).prefix(3)) }

    /// A file in the extended format with the given chunks.
    private func extended(size: PixelSize, flags: UInt8, _ chunks: [UInt8]) -> Data {
        let head = [flags, 0, 0, 0] + little24(size.width - 1) + little24(size.height - 1)
        let body = Array("WEBP".utf8) + chunk("VP8X", head) + chunks
        return Data(Array("RIFF".utf8) + little32(body.count) + body)
    }

    /// The frames of an animation, each at even coordinates.
    private func animation(size: PixelSize, _ frames: [(x: Int, y: Int, image: Image)]) throws -> Data {
        var chunks = chunk("ANIM", [0, 0, 0, 255, 0, 0])
        for (x, y, image) in frames {
            let webp = try ImageEncoder.encode(image, as: .webp(WebPOptions(lossless: true)))
            let position = little24(x / 2) + little24(y / 2)
            let sides = little24(image.size.width - 1) + little24(image.size.height - 1)
            chunks += chunk("ANMF", position + sides + [100, 0, 0, 0] + webp.dropFirst(12))
        }
        return extended(size: size, flags: 0x12, chunks)
    }

    @Test func appliesOrientation() throws {
        let image = try Photographs.gradient(30, 20)
        let webp = try ImageEncoder.encode(image, as: .webp(WebPOptions(lossless: true)))
        for prefix in [[], Array("Exif\0\0".utf8)] {
            let file = extended(
                size: image.size,
                flags: 0x08,
                Array(webp.dropFirst(12)) + chunk("EXIF", prefix + exif(6))
            )
            #expect(try ImageHeader.read(file).orientation == .right)
            let decoded = try ImageDecoder.decode(file)
            #expect(decoded.size == PixelSize(width: 20, height: 30))
            #expect(try pixel(decoded, x: 19, y: 0) == pixel(image, x: 0, y: 0))
        }
    }

    @Test func showsTheFirstFrameOfAnAnimation() throws {
        let image = try Photographs.opaqueGradient(30, 20)
        let other = try Photographs.opaqueGradient(8, 8)
        let file = try animation(size: image.size, [(0, 0, image), (4, 6, other)])
        #expect(try ImageHeader.read(file).size == image.size)
        #expect(try !ImageHeader.read(file).hasAlpha)
        #expect(try ImageDecoder.decode(file).rgba() == image.rgba())
        let small = try ImageDecoder.decode(file, covering: PixelSize(width: 5, height: 5))
        #expect(small.size == PixelSize(width: 15, height: 10))
    }

    @Test func whatTheFirstFrameLeavesBareIsTransparent() throws {
        let image = try Photographs.opaqueGradient(8, 6)
        let file = try animation(size: PixelSize(width: 20, height: 12), [(4, 2, image), (0, 0, image)])
        #expect(try ImageHeader.read(file).hasAlpha)
        for covering in [nil, PixelSize(width: 2, height: 2)] {
            let canvas = try ImageDecoder.decode(file, covering: covering)
            #expect(canvas.size == PixelSize(width: 20, height: 12))
            #expect(try pixel(canvas, x: 4, y: 2) == pixel(image, x: 0, y: 0))
            #expect(try pixel(canvas, x: 11, y: 7) == pixel(image, x: 7, y: 5))
            for (x, y) in [(3, 2), (4, 1), (12, 7), (11, 8)] {
                #expect(try pixel(canvas, x: x, y: y) == [0, 0, 0, 0])
            }
        }
    }

    @Test func aFrameOutsideItsCanvasIsDamage() throws {
        let image = try Photographs.opaqueGradient(8, 6)
        let file = try animation(size: PixelSize(width: 10, height: 12), [(4, 2, image)])
        let error = #expect(throws: ImagingError.self) { try ImageHeader.read(file) }
        #expect(error?.reason == .corrupt)
    }

    @Test func anAnimationWithoutAFrameIsCutShort() throws {
        let webp = try ImageEncoder.encode(try Photographs.gradient(30, 20), as: .webp())
        let size = PixelSize(width: 30, height: 20)
        let animated = try animation(size: size, [(0, 0, try Photographs.gradient(30, 20))])
        let files = [
            extended(size: size, flags: 0x02, Array(webp.dropFirst(12))), animated.prefix(animated.count - 9),
        ]
        for file in files {
            let error = #expect(throws: ImagingError.self) { try ImageHeader.read(file) }
            #expect(error?.reason == .truncated)
        }
    }

    /// A shrunk decode followed by a resize looks like a resize of all pixels.
    @Test(arguments: [WebPOptions(quality: 90), WebPOptions(lossless: true)])
    func scalesWhileItDecodes(_ options: WebPOptions) throws {
        let file = try ImageEncoder.encode(try Photographs.image("astronaut.png"), as: .webp(options))
        let resize = Resize(width: 61)
        let covering = PixelSize(width: 61, height: 61)
        let small = try ImageDecoder.decode(file, covering: covering)
        #expect(small.size == PixelSize(width: 128, height: 128))
        let full = try ImageDecoder.decode(file)
        let decibels = try psnr(resize.apply(to: small), resize.apply(to: full))
        #expect(decibels > 35, "\(decibels) dB")
        let header = try ImageHeader.read(file)
        if !options.lossless {
            #expect(header.decodeCost(covering: covering) * 2 < header.decodeCost(covering: nil))
        }
    }

    /// Transparent pixels have colours too, which must not bleed at the edges.
    @Test func hiddenColorsDoNotBleedWhenItShrinks() throws {
        let image = try Photographs.pattern(40, 40) { x, _ in x % 2 == 0 ? [0, 0, 255, 255] : [255, 0, 0, 0] }
        let file = try ImageEncoder.encode(image, as: .webp(WebPOptions(lossless: true)))
        let small = try ImageDecoder.decode(file, covering: PixelSize(width: 10, height: 10))
        #expect(small.size == PixelSize(width: 20, height: 20))
        #expect(try pixel(small, x: 3, y: 3) == [0, 0, 255, 128])
    }
}
