import Foundation
import Imaging
import Testing

@Suite struct InlineImageTests {
    private func image(_ inline: InlineImage) throws -> Image {
        let prefix = "data:image/png;base64,"
        #expect(inline.text.hasPrefix(prefix))
        return try ImageDecoder.decode(
            try #require(Data(base64Encoded: String(inline.text.dropFirst(prefix.count))))
        )
    }

    @Test("it has the shape of the image and its mean colour, without alpha that says nothing")
    func photograph() throws {
        let inline = try InlineImage(Miniature(try Photographs.image("rocket.jpg")))
        let image = try image(inline)
        #expect(image.size == PixelSize(width: 8, height: 5) && !image.hasAlpha)
        let red = try ImageEncoder.encode(
            Image(width: 2, height: 2, rgba: Data((0..<4).flatMap { _ in [200, 30, 40, 255] as [UInt8] })),
            as: .png()
        )
        let flat = try self.image(InlineImage(Miniature(ImageDecoder.decode(red))))
        #expect(try [UInt8](flat.rgba()).prefix(4) == [200, 30, 40, 255])
        #expect(flat.size == PixelSize(width: 2, height: 2))
    }

    @Test(
        "noise, which cannot be compressed, takes at most 400 characters",
        arguments: [(100, 100), (100, 3), (1, 100), (1, 1)],
        [true, false]
    )
    func size(size: (Int, Int), hasAlpha: Bool) throws {
        var state: UInt64 = 1
        let pixels = Data(
            (0..<size.0 * size.1 * 4).map { index in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return index % 4 == 3 && !hasAlpha ? 255 : UInt8(truncatingIfNeeded: state >> 40)
            }
        )
        let inline = try InlineImage(Miniature(Image(width: size.0, height: size.1, rgba: pixels)))
        #expect(inline.text.utf8.count <= 400)
        #expect(try image(inline).hasAlpha == hasAlpha)
    }
}
