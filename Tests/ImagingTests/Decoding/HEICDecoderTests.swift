#if HEIC
import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct HEICDecoderTests {
    private func original() throws -> Image {
        try Resize(width: 64, height: 64, contentMode: .aspectFill, crop: true)
            .apply(to: try Photographs.image("chelsea.png"))
    }

    @Test func reads8And10Bits() throws {
        for (file, depth) in [(try HEICFiles.plain(), 8), (try HEICFiles.tenBits(), 10)] {
            let header = try ImageHeader.read(file)
            #expect(header.format == .heic && header.size == PixelSize(width: 64, height: 64))
            #expect(header.bitDepth == depth && !header.hasAlpha)
            let image = try ImageDecoder.decode(file)
            #expect(image.bitDepth == 8)
            #expect(try psnr(image, try original()) > 27)
        }
    }

    @Test func keeps10Bits() throws {
        let deep = try ImageDecoder.decode(try HEICFiles.tenBits(), bitDepth: 16)
        #expect(deep.bitDepth == 16)
        #expect(try psnr(deep, try ImageDecoder.decode(try HEICFiles.tenBits())) > 48)
        #expect(try ImageDecoder.decode(try HEICFiles.plain(), bitDepth: 16).bitDepth == 8)
    }

    @Test func readsAlpha() throws {
        let file = try HEICFiles.alpha()
        #expect(try ImageHeader.read(file).hasAlpha)
        for covering in [nil, PixelSize(width: 10, height: 10)] {
            let image = try ImageDecoder.decode(file, covering: covering)
            let last = image.size.width - 2
            #expect(try abs(pixel(image, x: 1, y: 1)[3] - 255) < 4)
            #expect(try abs(pixel(image, x: last, y: last)[3] - 128) < 4)
        }
        #expect(try psnr(try ImageDecoder.decode(file), try original()) > 25)
    }

    @Test(arguments: 0..<4, [nil, 0, 1])
    func turnsAndMirrorsOnce(_ quarters: Int, _ mode: Int?) throws {
        var media = CraftedMedia(try HEICFiles.plain(), width: 64, height: 64)
        let plain = try ImageDecoder.decode(media.data)
        #expect(try psnr(plain, try ImageDecoder.decode(try HEICFiles.plain())) == .infinity)
        let mirror = mode.map { [CraftedMedia.mirror($0)] } ?? []
        media.properties = [CraftedMedia.rotation(quarters)] + mirror
        // Clockwise in Rotate, counter-clockwise in irot.
        var expected = try Rotate(degrees: (4 - quarters) % 4 * 90).apply(to: plain)
        if let mode { expected = try Rotate(flip: mode == 0 ? .vertical : .horizontal).apply(to: expected) }
        #expect(try psnr(try ImageDecoder.decode(media.data), expected) == .infinity)
        #expect(try ImageHeader.read(media.data).orientation == .up)
    }

    /// It is the first image that is no thumbnail or part of another one.
    @Test(arguments: [1, 9])
    func showsAnImageIfThePrimaryItemDoesNotExist(_ primary: Int) throws {
        var media = CraftedMedia(try HEICFiles.plain(), width: 64, height: 64)
        media.primary = primary
        media.thumbnail = [CraftedMedia.aperture(width: 12, height: 12, x: 0, y: 0)]
        media.properties = [CraftedMedia.aperture(width: 40, height: 20, x: 0, y: 0)]
        #expect(try ImageHeader.read(media.data).size == PixelSize(width: 40, height: 20))
        #expect(try ImageDecoder.decode(media.data).size == PixelSize(width: 40, height: 20))
        let slice = (Data([1, 2, 3]) + media.data).dropFirst(3)
        #expect(try ImageDecoder.decode(slice).size == PixelSize(width: 40, height: 20))

        (media.thumbnail, media.properties, media.isReversed) = (nil, [], true)
        media.grid = (columns: 3, rows: 2, width: 150, height: 100)
        #expect(try ImageDecoder.decode(media.data).size == PixelSize(width: 150, height: 100))
    }

    @Test func showsTheThumbnailIfThatIsThePrimaryItem() throws {
        var media = CraftedMedia(try HEICFiles.plain(), width: 64, height: 64)
        media.primary = 50
        media.thumbnail = [CraftedMedia.aperture(width: 12, height: 12, x: 0, y: 0)]
        #expect(try ImageDecoder.decode(media.data).size == PixelSize(width: 12, height: 12))
    }

    @Test func cropsAndJoinsTiles() throws {
        var media = CraftedMedia(try HEICFiles.plain(), width: 64, height: 64)
        let tile = try ImageDecoder.decode(media.data)
        media.properties = [CraftedMedia.aperture(width: 40, height: 20, x: 0, y: 0)]
        let cropped = try ImageDecoder.decode(media.data)
        #expect(cropped.size == PixelSize(width: 40, height: 20))
        #expect(try pixel(cropped, x: 0, y: 0) == pixel(tile, x: 12, y: 22))

        media.properties = []
        media.grid = (columns: 3, rows: 2, width: 150, height: 100)
        let image = try ImageDecoder.decode(media.data)
        #expect(image.size == PixelSize(width: 150, height: 100))
        #expect(try pixel(image, x: 64 + 20, y: 64 + 10) == pixel(tile, x: 20, y: 10))
        let header = try ImageHeader.read(media.data)
        #expect(header.decodeCost(covering: nil) > 150 * 100 * 9)
    }

    @Test func convertsDisplayP3AndRefusesHDR() throws {
        var media = CraftedMedia(try HEICFiles.plain(), width: 64, height: 64)
        let plain = try ImageDecoder.decode(media.data)
        media.properties = [CraftedMedia.colors(primaries: 12, transfer: 13)]
        let vivid = try ImageDecoder.decode(media.data)
        let difference = try psnr(plain, vivid)
        #expect(difference > 20 && difference < 40)
        media.properties = [CraftedMedia.colors(primaries: 9, transfer: 16)]
        let file = media.data
        #expect(try ImageHeader.read(file).isHDR)
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(file) }
        #expect(error?.reason == .unsupported)
        #expect(try ImageDecoder.decode(file, hdr: .tonemap).warnings.contains(.toneMapped))
    }

    /// A changed bit in the compressed data is an error, unless the decoded image is equally good.
    @Test func damageIsAnError() throws {
        for whole in [try HEICFiles.plain(), try HEICFiles.tenBits()] {
            var generator = SeededGenerator(seed: 7)
            var refused = 0
            for _ in 0..<200 {
                var file = whole
                file[Int.random(in: whole.count - 700..<whole.count, using: &generator)] ^= 1
                if (try? ImageDecoder.decode(file)) == nil { refused += 1 }
            }
            #expect(refused > 180, "\(refused) of 200")
        }
    }

    @Test func refusesASizeThatIsNotTheBoxes() throws {
        for size in [(64, 63), (8, 8), (400, 400)] {
            var media = CraftedMedia(try HEICFiles.plain(), width: 64, height: 64)
            media.claimedSize = size
            let file = media.data
            let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(file) }
            #expect(error?.reason == .corrupt)
        }
    }
}
#endif
