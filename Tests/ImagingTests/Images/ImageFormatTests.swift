import Foundation
import Imaging
import Testing

@Suite struct ImageFormatTests {
    @Test func knowsFormatsByTheirFirstBytes() throws {
        #expect(ImageFormat(try Photographs.data("rocket.jpg")) == .jpeg)
        #expect(ImageFormat(try Photographs.data("coffee.png")) == .png)
        #expect(ImageFormat(Data("RIFF\0\0\0\0WEBPVP8 ".utf8)) == .webp)
        #expect(ImageFormat(Data("GIF89a".utf8)) == .gif)
        #expect(ImageFormat(Data("GIF87a".utf8)) == .gif)
        #expect(ImageFormat(Data([0x49, 0x49, 0x2A, 0, 8, 0, 0, 0])) == .tiff)
        #expect(ImageFormat(Data([0x4D, 0x4D, 0, 0x2B, 0, 8, 0, 0])) == .tiff)
        #expect(ImageFormat(Data("BM\u{10}\0\0\0\0\0\0\0\0\0\0\0\u{28}\0\0\0".utf8)) == .bmp)
        let entry: [UInt8] = [16, 16, 0, 0, 1, 0, 32, 0, 40, 0, 0, 0, 22, 0, 0, 0]
        #expect(ImageFormat(Data([0, 0, 1, 0, 1, 0] + entry)) == .ico)
        #expect(ImageFormat(Data([0xFF, 0x0A])) == .jxl)
        #expect(ImageFormat(Data([0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 0x0A])) == .jxl)
        #expect(ImageFormat(Data([0, 0, 0, 24] + Array("ftypheic".utf8))) == .heic)
        #expect(ImageFormat(Data([0, 0, 0, 24] + Array("ftypmif1\0\0\0\0mif1avif".utf8))) == .avif)
    }

    @Test func knowsNothingElse() {
        for bytes in [
            [], [0xFF], [0xFF, 0xD8], [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20], Array("<html>".utf8),
            Array("RIFF\0\0\0\0WAVE".utf8),
            Array("GIF88a".utf8), Array("BMW is a maker of cars".utf8),
            [0, 0, 1, 0], [0, 0, 1, 0, 0, 0] + [UInt8](repeating: 1, count: 40),
            [0, 0, 1, 0, 1, 0] + [UInt8](repeating: 0, count: 40),
        ] as [[UInt8]] {
            #expect(ImageFormat(Data(bytes)) == nil)
        }
    }

    @Test func readsSlicesFromTheirOwnStart() throws {
        let whole = Data([1, 2, 3]) + (try Photographs.data("rocket.jpg"))
        #expect(ImageFormat(whole.dropFirst(3)) == .jpeg)
        #expect(try ImageHeader.read(whole.dropFirst(3)).size == PixelSize(width: 640, height: 427))
    }

    @Test func namesExtensions() {
        #expect(
            ImageFormat.allCases.map(\.fileExtension)
                == ["jpg", "png", "webp", "gif", "avif", "jxl", "heic", "tif", "bmp", "ico", "svg"]
        )
    }
}
