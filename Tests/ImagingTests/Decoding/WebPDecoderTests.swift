import Foundation
import Imaging
import Testing

@Suite struct WebPDecoderTests {
    /// The file in the extended format, with an EXIF chunk behind the image.
    private func extended(_ webp: Data, size: PixelSize, flags: UInt8, exif: [UInt8]) -> Data {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(value >> ($0 * 8) & 255) }
        }
        let head = Array("VP8X".utf8) + little(10, 4) + [flags, 0, 0, 0] + little(size.width - 1, 3)
        var body = Array("WEBP".utf8) + head + little(size.height - 1, 3) + webp.dropFirst(12)
        body += Array("EXIF".utf8) + little(exif.count, 4) + exif
        return Data(Array("RIFF".utf8) + little(body.count, 4) + body)
    }

    @Test func appliesOrientation() throws {
        let image = try Photographs.gradient(30, 20)
        let webp = try ImageEncoder.encode(image, as: .webp(WebPOptions(lossless: true)))
        for prefix in [[], Array("Exif\0\0".utf8)] {
            let file = extended(webp, size: image.size, flags: 0x08, exif: prefix + exif(6))
            #expect(try ImageHeader.read(file).orientation == .right)
            let decoded = try ImageDecoder.decode(file)
            #expect(decoded.size == PixelSize(width: 20, height: 30))
            #expect(try pixel(decoded, 19, 0) == pixel(image, 0, 0))
        }
    }

    @Test func refusesAnimations() throws {
        let webp = try ImageEncoder.encode(try Photographs.gradient(30, 20), as: .webp())
        let file = extended(webp, size: PixelSize(width: 30, height: 20), flags: 0x02, exif: [])
        let error = #expect(throws: ImagingError.self) { try ImageHeader.read(file) }
        #expect(error?.reason == .unsupported)
    }
}
