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

    /// The brand of a file of ISO base media, whatever the length of its first box.
    @Test(arguments: [
        (AssetType.heic, "heic heix heim heis hevc hevx hevm hevs"), (.avif, "avif avis"),
        (.mp4, "isom iso2 iso4 iso5 iso6 mp41 mp42 mmp4 avc1 dash"), (.m4v, "M4VH M4VP"),
    ])
    func brandsTellTheType(type: AssetType, brands: String) {
        for brand in brands.split(separator: " ") {
            #expect(AssetType(Data(Self.ascii("ftyp\(brand)", after: [0, 0, 0, 24]))) == type)
            #expect(AssetType(Data(Self.ascii("ftyp\(brand)", after: [9, 9, 9, 9]))) == type)
        }
        #expect(AssetType(Data(Self.ascii("ftypmif1", after: [0, 0, 0, 24]))) == nil)
    }

    @Test func theRestOfTheTable() {
        let signatures: [(AssetType, [UInt8])] = [
            (.gif, Self.ascii("GIF87a")), (.tiff, [0x49, 0x49, 0x2A, 0x00]),
            (.jpeg2000, [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
            (.jxl, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
        ]
        for (type, bytes) in signatures {
            #expect(AssetType(Data(bytes)) == type)
            #expect(AssetType(Data(bytes.dropLast())) == nil)
        }
        #expect(AssetType(Data(Self.ascii("GIF88a"))) == nil)
    }

    @Test func identifiersAreNukes() {
        let identifiers: [(AssetType, String)] = [
            (.jpeg, "public.jpeg"), (.png, "public.png"), (.gif, "com.compuserve.gif"),
            (.webp, "org.webmproject.webp"), (.heic, "public.heic"), (.avif, "public.avif"),
            (.mp4, "public.mpeg-4"), (.m4v, "com.apple.m4v-video"), (.mov, "com.apple.quicktime-movie"),
            (.ico, "com.microsoft.ico"), (.bmp, "com.microsoft.bmp"), (.tiff, "public.tiff"),
            (.jpeg2000, "public.jpeg-2000"), (.jxl, "public.jpeg-xl"),
        ]
        for (type, identifier) in identifiers {
            #expect(type.rawValue == identifier)
            #expect(type == AssetType(rawValue: identifier))
        }
    }

    @Test func unknownBytesTellNothing() {
        #expect(AssetType(Data()) == nil)
        #expect(AssetType(Data("<html>".utf8)) == nil)
        #expect(AssetType(Data("RIFF....WAVE".utf8)) == nil)
        #expect(AssetType.webp.rawValue == "org.webmproject.webp")
    }
}
