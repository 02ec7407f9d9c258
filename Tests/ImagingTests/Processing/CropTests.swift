import Foundation
import Imaging
import Testing

@Suite struct CropTests {
    private func image() throws -> Image {
        try Photographs.pattern(10, 8) { x, y in [UInt8(y * 10 + x), 0, 0, 255] }
    }

    @Test(arguments: [
        (Gravity.center, 33), (.north, 3), (.northEast, 6), (.east, 36), (.southEast, 66), (.south, 63),
        (.southWest, 60), (.west, 30), (.northWest, 0), (.point(x: 0, y: 1), 60),
        (.point(x: 0.5, y: 0.5), 33),
        (.point(x: .nan, y: -5), 3),
    ])
    func gravityPlaces(_ gravity: Gravity, _ first: Int) throws {
        let part = try Crop(width: 4, height: 2, gravity: gravity).apply(to: try image())
        #expect(part.size == PixelSize(width: 4, height: 2))
        #expect(try pixel(part, x: 0, y: 0)[0] == first)
        #expect(try pixel(part, x: 3, y: 1)[0] == first + 13)
    }

    @Test func cutsRectanglesToTheImage() throws {
        let part = try Crop(x: 7, y: -1, width: .max, height: 3).apply(to: try image())
        #expect(part.size == PixelSize(width: 3, height: 2))
        #expect(try pixel(part, x: 0, y: 0)[0] == 7)
        #expect(
            try Crop(width: 99, height: 99).apply(to: try image()).size == PixelSize(width: 10, height: 8)
        )
    }

    @Test func refusesNothing() {
        for crop in [
            Crop(x: 10, y: 0, width: 5, height: 5), Crop(x: 0, y: 0, width: 0, height: 5),
            Crop(width: -1, height: 1),
            Crop(x: .min, y: 0, width: 5, height: 5),
        ] {
            let error = #expect(throws: ImagingError.self) { try crop.apply(to: try image()) }
            #expect(error?.reason == .processing)
        }
    }

    @Test func oddPlacesKeepColoursWithTheirPixels() throws {
        // Chroma of 4:2:0 lies between the pixels of an odd crop: it must move by half a sample, not be cut.
        let jpeg = try Photographs.jpeg("coffee.png", width: 301, height: 201)
        let image = try ImageDecoder.decode(jpeg)
        let part = try Crop(x: 51, y: 33, width: 120, height: 100).apply(to: image)
        let rgba = try Image(width: 301, height: 201, rgba: try image.rgba())
        let expected = try Crop(x: 51, y: 33, width: 120, height: 100).apply(to: rgba)
        #expect(try psnr(part, expected) > 45)
        let written = try ImageDecoder.decode(
            try ImageEncoder.encode(part, as: .jpeg(JPEGOptions(quality: 95)))
        )
        #expect(try psnr(written, expected) > 32)
    }
}
