import Foundation
import Imaging
import Testing

@Suite struct GrayscaleTests {
    @Test func keepsLumaAndAlpha() throws {
        let rgba = Data([255, 0, 0, 255, 0, 255, 0, 128, 0, 0, 255, 0, 90, 90, 90, 7])
        let gray = try Grayscale().apply(to: try Image(width: 4, height: 1, rgba: rgba))
        #expect(gray.colorModel == .gray)
        #expect(gray.planes.count == 2)
        #expect(
            try (0..<4).map { try pixel(gray, x: $0, y: 0) } == [
                [76, 76, 76, 255], [150, 150, 150, 128], [29, 29, 29, 0], [90, 90, 90, 7],
            ]
        )
    }

    @Test func ofAJPEGIsItsLuma() throws {
        let image = try ImageDecoder.decode(try Photographs.jpeg())
        let gray = try Grayscale().apply(to: image)
        #expect(gray.planes.count == 1)
        let file = try ImageEncoder.encode(gray, as: .jpeg(JPEGOptions(quality: 95)))
        #expect(try ImageHeader.read(file).colorModel == .gray)
        #expect(try psnr(try ImageDecoder.decode(file), gray) > 35)
    }
}
