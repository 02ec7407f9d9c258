import Foundation
import Nuke
import Testing

@Suite("AssetType")
struct AssetTypeTests {
    private static func ascii(_ text: String, after start: [UInt8] = []) -> [UInt8] {
        start + Array(text.utf8)
    }

    private static let heads: [(AssetType, [UInt8])] = [
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]),
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.gif, ascii("GIF89a...")),
        (.webp, ascii("RIFF....WEBPVP8 ")),
        (.heic, ascii("ftypheic", after: [0, 0, 0, 24])),
        (.mp4, ascii("ftypisom", after: [0, 0, 0, 32])),
        (.m4v, ascii("ftypM4V ", after: [0, 0, 0, 32])),
        (.mov, ascii("ftypqt  ", after: [0, 0, 0, 32])),
        (.ico, [0, 0, 1, 0]),
        (.bmp, ascii("BM")),
        (.tiff, [0x4D, 0x4D, 0x00, 0x2A]),
        (.jxl, [0xFF, 0x0A]),
        (.jpeg2000, [0xFF, 0x4F, 0xFF, 0x51]),
    ]

    @Test(arguments: heads)
    func isToldByTheFirstBytes(type: AssetType, bytes: [UInt8]) {
        #expect(AssetType(Data(bytes)) == type)
        #expect(AssetType(Data([0x20] + bytes).dropFirst()) == type)
        #expect(AssetType(Data(bytes.dropLast(bytes.count - 1))) == nil)
    }

    @Test func unknownBytesTellNothing() {
        #expect(AssetType(Data()) == nil)
        #expect(AssetType(Data("<html>".utf8)) == nil)
        #expect(AssetType(Data("RIFF....WAVE".utf8)) == nil)
        #expect(AssetType.webp.rawValue == "org.webmproject.webp")
    }
}
