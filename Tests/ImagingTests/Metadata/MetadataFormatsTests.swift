#if AVIF && JXL && HEIC && TIFF
import Foundation
import Imaging
import TestSupport
import Testing

/// The metadata kept from each format into each other one.
///
/// ExifTool and Exiv2 read the same values from the outputs (checked once).
@Suite struct MetadataFormatsTests {
    private static let formats: [EncodingFormat] = [.jpeg(), .png(), .webp(), .avif(), .jxl()]

    enum Source: String, CaseIterable {
        case jpeg, png, webp, avif, jxl, heic, tiff, bigTIFF, photoshopTIFF

        func file() throws -> Data {
            switch self {
            case .jpeg: try DescribedFiles.jpeg()
            case .png: DescribedFiles.png()
            case .webp: try DescribedFiles.webp()
            case .avif: try DescribedFiles.avif()
            case .jxl: try DescribedFiles.jxl()
            case .heic: try DescribedFiles.heic()
            case .tiff: DescribedFiles.tiff()
            case .bigTIFF: DescribedFiles.tiff(isBigTIFF: true)
            case .photoshopTIFF: DescribedFiles.tiff(iptcTag: 34_377)
            }
        }

        /// True if EXIF rotates the image.
        ///
        /// AVIF, JPEG XL and HEIC have their own property for it, which the files lack.
        var isTurned: Bool { ![.avif, .jxl, .heic].contains(self) }
        var hasDetails: Bool { self != .bigTIFF }
        var hasMakerNote: Bool { ![.tiff, .bigTIFF, .photoshopTIFF].contains(self) }
        var hasDatasets: Bool { [.jpeg, .tiff, .bigTIFF, .photoshopTIFF].contains(self) }
    }

    private func made(from source: Source, as format: EncodingFormat, keeping policy: MetadataPolicy) throws
        -> Data
    {
        let file = try source.file()
        let header = try ImageHeader.read(file)
        #expect((header.orientation == .up) != source.isTurned)
        let image = try Resize(width: 20).apply(to: try ImageDecoder.decode(file))
        let metadata = ImageMetadata(of: file, header, keeping: policy, size: image.size)
        return try ImageEncoder.encode(image, as: format, metadata: metadata)
    }

    private func contains(_ file: Data, _ text: String) -> Bool {
        file.firstRange(of: Data(text.utf8)) != nil
    }

    /// A number in EXIF data with the higher byte first.
    private func holds(_ exif: Data, tag: Int, type: UInt8, value: [UInt8]) -> Bool {
        exif.firstRange(of: Data([UInt8(tag >> 8), UInt8(tag & 255), 0, type] + bytes32(1) + value)) != nil
    }

    @Test(arguments: Source.allCases, formats)
    func keepsWhatIsTrue(_ source: Source, _ format: EncodingFormat) throws {
        let file = try made(from: source, as: format, keeping: .keep)
        let header = try ImageHeader.read(file)
        #expect(header.orientation == .up)
        #expect(try ImageDecoder.decode(file).size == header.size)
        let kept = try #require(ImageMetadata(of: file, header, keeping: .keep, size: header.size))
        let exif = try #require(kept.exif)
        #expect(holds(exif, tag: 0x0112, type: 3, value: [0, 1]))
        #expect(contains(exif, "Ansel\0") && contains(exif, "(c) Ansel\0"))
        #expect(contains(exif, "2024:05:06 07:08:09\0") == source.hasDetails)
        #expect(
            (exif.firstRange(of: Data(bytes32(51) + bytes32(1) + bytes32(30))) != nil) == source.hasDetails
        )
        #expect(contains(exif, "secret maker") == source.hasMakerNote)
        if source.hasDetails {
            #expect(holds(exif, tag: 0xA001, type: 3, value: [0, 1]))
            #expect(holds(exif, tag: 0xA002, type: 4, value: bytes32(20)))
            #expect(holds(exif, tag: 0xA003, type: 3, value: [0, UInt8(header.size.height)]))
        }
        #expect(!contains(file, "thumb!"))
        let xmp = String(decoding: try #require(kept.xmp), as: UTF8.self)
        #expect(xmp.contains("tiff:Orientation=\"1\""))
        #expect(xmp.contains("<exif:PixelXDimension>20</exif:PixelXDimension>"))
        for text in [
            "secret title", "51,30N", "photoshop:Credit=\"Ansel &amp; Sons\"", "© Ansel &lt;1942&gt;",
        ] {
            #expect(xmp.contains(text))
        }
        #expect(!xmp.contains("c21hbGw=") && !xmp.contains("Thumbnails"))
        let hasDatasets = source.hasDatasets && format.imageFormat == .jpeg
        #expect(kept.iptc == (hasDatasets ? Data(DescribedFiles.iptc()) : nil))
    }

    @Test(arguments: Source.allCases, formats)
    func keepsRightsAlone(_ source: Source, _ format: EncodingFormat) throws {
        let file = try made(from: source, as: format, keeping: .copyright)
        let header = try ImageHeader.read(file)
        let kept = try #require(ImageMetadata(of: file, header, keeping: .keep, size: header.size))
        let exif = try #require(kept.exif)
        #expect(contains(exif, "Ansel\0") && contains(exif, "(c) Ansel\0"))
        #expect(exif.count == 8 + 2 + 24 + 4 + 6 + 10)
        let xmp = String(decoding: try #require(kept.xmp), as: UTF8.self)
        for text in [
            "<dc:rights><rdf:Alt><rdf:li xml:lang=\"x-default\">© Ansel &lt;1942&gt;</rdf:li></rdf:Alt></dc:rights>",
            "<dc:creator><rdf:Seq><rdf:li>Ansel</rdf:li><rdf:li>Virginia</rdf:li></rdf:Seq></dc:creator>",
            "<photoshop:Credit>Ansel &amp; Sons</photoshop:Credit>",
            "<xmpRights:Marked>True</xmpRights:Marked>",
            "<rdf:li rdf:parseType=\"Resource\"><plus:LicensorURL>https://example.com/ask</plus:LicensorURL></rdf:li>",
        ] { #expect(xmp.contains(text), "\(text)") }
        #expect(kept.iptc == nil)
        for text in ["secret", "51,30N", "2024", "thumb", "IIM", "GPS", "c21hbGw"] {
            #expect(!contains(file, text))
        }
        // The written metadata is read back unchanged.
        let again = ImageMetadata(of: file, header, keeping: .copyright, size: header.size)
        #expect(again?.exif == kept.exif && again?.xmp == kept.xmp)
    }

    @Test(arguments: Source.allCases, formats)
    func stripsAll(_ source: Source, _ format: EncodingFormat) throws {
        let file = try made(from: source, as: format, keeping: .strip)
        for text in ["Ansel", "Exif\0", "rdf:", "secret", "8BIM"] { #expect(!contains(file, text)) }
    }

    @Test("IPTC's rights become XMP where there is no other", arguments: formats)
    func mapsDatasets(_ format: EncodingFormat) throws {
        for (notice, expected) in [(Array("© in UTF-8".utf8), "© in UTF-8"), ([0xA9, 0x20, 0x4C], "© L")] {
            let file = try DescribedFiles.jpeg(exif: nil, xmp: nil, iptc: DescribedFiles.iptc(notice: notice))
            let header = try ImageHeader.read(file)
            let image = try ImageDecoder.decode(file)
            for policy in [MetadataPolicy.copyright, .keep] {
                let metadata = ImageMetadata(of: file, header, keeping: policy, size: image.size)
                let output = try ImageEncoder.encode(image, as: format, metadata: metadata)
                let isIPTC = policy == .keep && format.imageFormat == .jpeg
                #expect(contains(output, "8BIM") == isIPTC)
                #expect(contains(output, "secret caption") == isIPTC)
                #expect(contains(output, "<rdf:li>Ansel &lt;IIM&gt;</rdf:li>") != isIPTC)
                #expect(contains(output, "<photoshop:Credit>Credit in IIM</photoshop:Credit>") != isIPTC)
                #expect(contains(output, "<rdf:li xml:lang=\"x-default\">\(expected)</rdf:li>") != isIPTC)
            }
        }
    }

    @Test("PNG's XMP may be deflated", arguments: [("iTXt", "\u{1}\0\0\0"), ("zTXt", "\0")])
    func inflatesPackets(_ type: String, _ head: String) throws {
        var file = CraftedPNG(width: 2, height: 2, colorType: 0)
        file.raw = [0, 1, 2, 0, 3, 4]
        func kept(_ stream: [UInt8]) throws -> Data? {
            file.extra = [(type, Array("XML:com.adobe.xmp\0\(head)".utf8) + stream)]
            let header = try ImageHeader.read(file.data)
            return ImageMetadata(of: file.data, header, keeping: .copyright, size: header.size)?.xmp
        }
        let stream = CraftedPNG.stored(Array(DescribedFiles.xmp.utf8))
        #expect(try kept(stream).map { contains($0, "© Ansel &lt;1942&gt;") } == true)
        #expect(try kept(Array(stream.dropLast(9))) == nil)
        // One that is longer than any packet.
        let long = DescribedFiles.xmp + String(repeating: " ", count: 1 << 20)
        #expect(try kept(CraftedPNG.stored(Array(long.utf8))) == nil)
    }

    @Test("an item of EXIF data may begin with another offset")
    func findsExifInItems() throws {
        let plain = try ImageEncoder.encode(try ImageDecoder.decode(DescribedFiles.png()), as: .avif())
        let size = try ImageHeader.read(plain).size
        for prefix in [bytes32(0), bytes32(6) + Array("Exif\0\0".utf8)] {
            let heic = DescribedFiles.media(try HEICFiles.plain(), width: 64, height: 64, exifPrefix: prefix)
            let avif = DescribedFiles.media(plain, width: size.width, height: size.height, exifPrefix: prefix)
            for file in [heic.data, avif.data] {
                let header = try ImageHeader.read(file)
                let metadata = ImageMetadata(of: file, header, keeping: .copyright, size: header.size)
                #expect(metadata?.exif.map { contains($0, "(c) Ansel\0") } == true)
            }
        }
    }
}
#endif
