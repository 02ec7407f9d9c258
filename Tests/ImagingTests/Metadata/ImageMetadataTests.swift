import Foundation
import Imaging
import Testing

@Suite struct ImageMetadataTests {
    private static let formats: [EncodingFormat] = [
        .jpeg(), .png(), .webp(), .webp(WebPOptions(lossless: true)),
    ]

    private static let xmp = "<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"

    /// A JPEG on its side, with an artist, a copyright, sizes, a thumbnail and XMP.
    private func original() throws -> Data {
        var exif: [UInt8] = Array("MM".utf8) + [0, 42] + bytes32(8)
        func entry(_ tag: Int, type: Int, count: Int, _ value: [UInt8]) -> [UInt8] {
            [UInt8(tag >> 8), UInt8(tag & 255), 0, UInt8(type)] + bytes32(count) + value
        }
        // Directory at 8 with four entries: 2 + 4 · 12 + 4 = 54 bytes, so the texts are at 62.
        let artist = Array("Ansel\0".utf8)
        exif +=
            [0, 4] + entry(0x0112, type: 3, count: 1, [0, 6, 0, 0])
            + entry(0x013B, type: 2, count: 6, bytes32(62))
        exif +=
            entry(0x8298, type: 2, count: 3, Array("(c)".utf8) + [0])
            + entry(0x8769, type: 4, count: 1, bytes32(68)) + bytes32(98)
        exif += artist
        // The EXIF directory at 68 with two entries, then the thumbnail's at 98 with two, then the thumbnail at 128.
        exif +=
            [0, 2] + entry(0xA002, type: 4, count: 1, bytes32(999))
            + entry(0xA003, type: 3, count: 1, [3, 0, 0, 0]) + bytes32(0)
        exif +=
            [0, 2] + entry(0x0201, type: 4, count: 1, bytes32(128))
            + entry(0x0202, type: 4, count: 1, bytes32(5)) + bytes32(0)
        exif += Array("thumb".utf8)
        let photo = try Photographs.jpeg(width: 64, height: 40)
        func segment(_ content: [UInt8]) -> [UInt8] {
            [0xFF, 0xE1, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
        }
        let xmp = segment(Array("http://ns.adobe.com/xap/1.0/\0\(Self.xmp)".utf8))
        return photo.prefix(2) + segment(Array("Exif\0\0".utf8) + exif) + xmp + photo.dropFirst(2)
    }

    private func made(_ format: EncodingFormat, _ policy: MetadataPolicy) throws -> Data {
        let file = try original()
        let header = try ImageHeader.read(file)
        #expect(header.size == PixelSize(width: 40, height: 64))
        let image = try Resize(width: 20).apply(to: try ImageDecoder.decode(file))
        let metadata = ImageMetadata(of: file, header, keeping: policy, size: image.size)
        return try ImageEncoder.encode(image, as: format, metadata: metadata)
    }

    @Test("what is kept counts towards the maximum size of a file")
    func sizeLimit() throws {
        let own = try made(.jpeg(), .keep)
        let file = try made(.jpeg(JPEGOptions(maxBytes: own.count - 1)), .keep)
        #expect(file.count < own.count)
        #expect(file.count > (try made(.jpeg(JPEGOptions(quality: 1)), .strip)).count)
        #expect(file.firstRange(of: Data("Ansel".utf8)) != nil)
    }

    private func contains(_ file: Data, _ text: String) -> Bool {
        file.firstRange(of: Data(text.utf8)) != nil
    }

    @Test("everything is kept, and says what is true of the output", arguments: formats)
    func keeps(_ format: EncodingFormat) throws {
        let file = try made(format, .keep)
        let header = try ImageHeader.read(file)
        #expect(header.orientation == .up)
        #expect(header.size == PixelSize(width: 20, height: 32))
        #expect(try ImageDecoder.decode(file).size == header.size)
        for text in ["Ansel", "(c)", Self.xmp] { #expect(contains(file, text)) }
        #expect(!contains(file, "thumb"))
        // The written metadata is read back unchanged.
        let metadata = try #require(ImageMetadata(of: file, header, keeping: .keep, size: header.size))
        let exif = try #require(metadata.exif)
        #expect(exif.firstRange(of: Data([0xA0, 0x02, 0, 4] + bytes32(1) + bytes32(20))) != nil)
        #expect(exif.firstRange(of: Data([0xA0, 0x03, 0, 3] + bytes32(1) + [0, 32])) != nil)
        #expect(metadata.xmp == Data(Self.xmp.utf8))
    }

    @Test("artist and copyright alone", arguments: formats)
    func keepsRights(_ format: EncodingFormat) throws {
        let file = try made(format, .copyright)
        let header = try ImageHeader.read(file)
        let metadata = try #require(ImageMetadata(of: file, header, keeping: .keep, size: header.size))
        let exif = try #require(metadata.exif)
        #expect(contains(exif, "Ansel\0"))
        #expect(contains(exif, "(c)"))
        #expect(exif.count == 8 + 2 + 24 + 4 + 6)
        #expect(metadata.xmp == nil)
        #expect(ImageMetadata(of: file, header, keeping: .copyright, size: header.size)?.exif == exif)
    }

    @Test("nothing is kept unless asked for; the pixels are the same either way", arguments: formats)
    func strips(_ format: EncodingFormat) throws {
        let plain = try made(format, .strip)
        for text in ["Exif", "Ansel", "xmpmeta", "ICC_PROFILE"] { #expect(!contains(plain, text)) }
        let kept = try made(format, .keep)
        #expect(try ImageDecoder.decode(plain).rgba() == ImageDecoder.decode(kept).rgba())
        #expect(try made(format, .keep) == kept)
    }

    @Test("the profile of a gray JPEG is one of gray, which changes nothing")
    func profilesHaveTheImagesChannels() throws {
        let color = try Photographs.pattern(64, 64) { x, y in [UInt8(4 * x), UInt8(4 * y), 90, 255] }
        let file = try original()
        let metadata = ImageMetadata(
            of: file,
            try ImageHeader.read(file),
            keeping: .keep,
            size: color.size
        )
        for (image, space) in [(color, "RGB "), (try Grayscale().apply(to: color), "GRAY")] {
            let kept = try ImageEncoder.encode(image, as: .jpeg(), metadata: metadata)
            let start = try #require(kept.firstRange(of: Data("ICC_PROFILE\0\u{1}\u{1}".utf8))).upperBound
            // ICC.1, 7.2.8.
            #expect(kept.dropFirst(start + 16).prefix(4) == Data(space.utf8))
            let plain = try ImageEncoder.encode(image, as: .jpeg())
            #expect(try ImageDecoder.decode(kept).rgba() == ImageDecoder.decode(plain).rgba())
        }
    }

    @Test("what should be IPTC datasets, but begins otherwise, is none")
    func leavesOutOtherBytes() throws {
        let datasets = DescribedFiles.iptc()
        // libvips writes the whole segment of a JPEG into a TIFF.
        let segment = Array("Photoshop 3.0\0".utf8) + DescribedFiles.resources(datasets)
        for (bytes, right) in [(datasets, datasets), (segment, nil), ([0x41], nil)] {
            var tiff = CraftedTIFF(1, 1, photometric: 1, pixels: [0])
            tiff.values[33_723] = (7, bytes.count, bytes)
            for file in [tiff.data, try DescribedFiles.jpeg(exif: nil, xmp: nil, iptc: bytes)] {
                let header = try ImageHeader.read(file)
                let found = ImageMetadata(of: file, header, keeping: .keep, size: header.size)
                #expect(found?.iptc == right.map { Data($0) })
            }
        }
    }

    @Test("EXIF data cut at any length is kept as it is, or not at all, and never trapped on")
    func cutData() throws {
        let file = try original()
        let start = try #require(file.firstRange(of: Data("Exif\0\0".utf8))).upperBound
        for length in 0..<133 {
            var cut = file
            cut.replaceSubrange(
                start + length..<start + 133,
                with: [UInt8](repeating: 0xFF, count: 133 - length)
            )
            let header = try ImageHeader.read(cut)
            for policy in [MetadataPolicy.strip, .keep, .copyright, .except([.location])] {
                let metadata = ImageMetadata(of: cut, header, keeping: policy, size: header.size)
                #expect((metadata?.exif?.count ?? 0) <= 133)
            }
        }
    }

    /// A thumbnail in the middle cannot be removed and must be cleared.
    @Test func clearsThumbnails() throws {
        func kept(_ exif: [UInt8]) throws -> Data? {
            let file = try DescribedFiles.jpeg(exif: exif, xmp: nil, iptc: nil)
            let header = try ImageHeader.read(file)
            return ImageMetadata(of: file, header, keeping: .keep, size: header.size)?.exif
        }
        let exif = DescribedFiles.exif()
        let middle = try #require(try kept(exif + Array("more".utf8)))
        #expect(middle.count == exif.count + 4)
        #expect(middle.suffix(10) == Data([0, 0, 0, 0, 0, 0]) + Data("more".utf8))
        #expect(contains(middle, "(c) Ansel"))
        #expect(try kept(exif)?.count == exif.count - 6)
        // Overlapping parts: the first removes bytes of the second.
        for strip in [0..<6, 2..<4, 4..<9] {
            let twice = DescribedFiles.exif(strip: strip)
            #expect(try kept(twice)?.count == twice.count - 6)
        }
        // One that overlaps the directory itself would clear it.
        var overlapping = exif
        let pointer = try #require(Data(exif).firstRange(of: Data([2, 1, 0, 4] + bytes32(1)))).upperBound
        overlapping.replaceSubrange(pointer..<pointer + 4, with: bytes32(10))
        #expect(try kept(overlapping) == nil)
    }
}
