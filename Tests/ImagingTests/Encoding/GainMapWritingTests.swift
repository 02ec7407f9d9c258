import Foundation
import TestSupport
import Testing

@testable import Imaging

/// Files that are written with a gain map.
@Suite struct GainMapWritingTests {
    /// The places of a text in a file.
    private func places(_ text: String, in file: Data) -> [Int] {
        file.ranges(of: Data(text.utf8)).map(\.lowerBound)
    }

    private func long(_ file: Data, _ offset: Int) -> Int {
        file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    @Test("the index, the directory and the map itself agree")
    func writesPlacesThatAreRight() throws {
        for policy in [MetadataPolicy.strip, .keep] {
            let file = try WrittenGainMap(try MarkedPictures.file().data, keeping: policy).file
            let index = try #require(places("MPF\0", in: file).first) + 4
            let entries = index + 50
            let (first, second) = (long(file, entries + 4), long(file, entries + 20))
            let start = index + long(file, entries + 24)
            #expect(start == first && start + second == file.count)
            #expect(file[start..<start + 3] == Data([0xFF, 0xD8, 0xFF]))
            #expect(file[start - 2..<start] == Data([0xFF, 0xD9]))
            #expect(places("Item:Length=\"\(second)\"", in: file).count == 1)
            // The picture has the version alone, the map the numbers.
            let iso = places("urn:iso:std:iso:ts:21496:-1\0", in: file)
            #expect(iso.count == 2 && iso[0] < start && iso[1] > start)
            #expect(long(file, iso[0] - 4) & 0xFFFF == 2 + 28 + 4)
            #expect(places("hdrgm:GainMapMax", in: file).allSatisfy { $0 > start })
        }
    }

    @Test func keepsTheNumbers() throws {
        var file = try MarkedPictures.file()
        for numbers in [
            [(0, 1), (5, 2), (-1, 3), (11, 4), (3, 2), (1, 64), (1, 100)],
            [(5, 2), (1, 10), (-1, 3), (11, 4), (3, 2), (1, 64), (1, 100)],
        ] {
            file.iso = UltraHDRFile.iso(numbers)
            let before = try ImageHeader.read(file.data).gainMap?.metadata
            let written = try WrittenGainMap(file.data, through: [Resize(width: 200)])
            #expect(before != nil && written.header.gainMap?.metadata == before)
            #expect(written.header.gainMap?.form == .iso)
            // What knows XMP alone reads the same.
            let prefix = try #require(written.file.range(of: Data("urn:iso".utf8), options: .backwards))
            var without = written.file
            without.replaceSubrange(prefix, with: Data("urn:xxx".utf8))
            let other = try ImageHeader.read(without).gainMap
            #expect(other?.form == .adobe && other?.metadata?.channels.count == 1)
            let gain = try #require(other?.metadata?.channels[0].minimum)
            #expect(abs(gain + 1 / 3) < 1e-8)
        }
    }

    @Test("a packet of the original keeps its properties beside the directory")
    func addsToXMP() throws {
        var file = try MarkedPictures.file()
        file.hasDirectory = false
        let packet = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <r:Description r:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:rights>mine</dc:rights>\
            </r:Description></r:RDF></x:xmpmeta>
            """
        let segment = UltraHDRFile.segment(0xE1, "http://ns.adobe.com/xap/1.0/\0", Array(packet.utf8))
        file.base = file.base.prefix(2) + segment + file.base.dropFirst(2)
        for policy in [MetadataPolicy.keep, .copyright] {
            let written = try WrittenGainMap(file.data, keeping: policy)
            #expect(places("mine</dc:rights>", in: written.file).count == 1)
            #expect(places("Container:Directory", in: written.file).count == 2)
            #expect(places("http://ns.adobe.com/xap/1.0/\0", in: written.file).count == 2)
            let kept = ImageMetadata(
                of: written.file,
                written.header,
                keeping: .copyright,
                size: written.header.size
            )
            let xmp = try #require(kept?.xmp)
            #expect(places("mine", in: xmp).count == 1 && places("Container", in: xmp).isEmpty)
            // Written again, there is one directory.
            let again = try WrittenGainMap(written.file, keeping: policy)
            #expect(places("Container:Directory", in: again.file).count == 2)
        }
    }

    @Test("bytes of the map count as the file's")
    func countsTheMapsBytes() throws {
        var made = try MarkedPictures.file(mapDividedBy: 2)
        made.base = try Photographs.jpeg()
        let file = made.data
        let header = try ImageHeader.read(file)
        let (image, map) = (try ImageDecoder.decode(file), try GainMap(of: file, header))
        let alone = try ImageEncoder.encoded(image, as: .jpeg(JPEGOptions(quality: 90)))
        let limit = alone.data.count + 500
        let bounded = try ImageEncoder.encoded(
            image,
            as: .jpeg(JPEGOptions(quality: 90, maxBytes: limit)),
            gainMap: map
        )
        #expect(bounded.data.count <= limit)
        #expect(try ImageHeader.read(bounded.data).gainMap?.isReadable == true)
        #expect(try #require(bounded.quality) < 90)
        let floor = try ImageEncoder.encoded(
            image,
            as: .jpeg(JPEGOptions(minimumSSIMULACRA2: 70)),
            gainMap: map
        )
        #expect(try ImageHeader.read(floor.data).gainMap?.isReadable == true)
    }

    @Test func otherFormatsHaveNone() throws {
        let file = try MarkedPictures.file().data
        let header = try ImageHeader.read(file)
        let (image, map) = (try ImageDecoder.decode(file), try GainMap(of: file, header))
        for format in [EncodingFormat.png(), .webp()] {
            let written = try ImageEncoder.encoded(image, as: format, gainMap: map).data
            #expect(try written == ImageEncoder.encode(image, as: format) && !format.keepsGainMaps)
        }
        let plain = try ImageEncoder.encode(image, as: .jpeg())
        #expect(try ImageHeader.read(plain).gainMap == nil)
    }

    @Test("gains of three colours are about the colours of the original, whose profile goes with the map")
    func keepsTheColorsOfTheMap() throws {
        for isColored in [false, true] {
            var file = try MarkedPictures.file(isColored: isColored)
            let profile = MetadataWriter.srgb
            let segment = UltraHDRFile.segment(0xE2, "ICC_PROFILE\0\u{1}\u{1}", [UInt8](profile))
            file.base = file.base.prefix(2) + segment + file.base.dropFirst(2)
            let written = try WrittenGainMap(file.data)
            #expect(written.header.gainMap?.metadata?.usesBaseColors == !isColored)
            #expect(places("ICC_PROFILE", in: written.file).count == (isColored ? 1 : 0))
            // And again, from a file that has it so.
            let again = try WrittenGainMap(written.file)
            #expect(again.header.gainMap?.metadata == written.header.gainMap?.metadata)
            #expect(places("ICC_PROFILE", in: again.file).count == (isColored ? 1 : 0))
        }
    }

    @Test("ExifTool finds the map, and reads the same numbers")
    func exifToolReadsIt() throws {
        let tool = "/usr/bin/exiftool"
        guard FileManager.default.isExecutableFile(atPath: tool) else { return }
        let folder = try TemporaryFolder()
        let path = try folder.write(WrittenGainMap(MarkedPictures.file().data).file, to: "written.jpg")
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: tool)
        process.arguments = ["-a", "-s", "-G1", "-MPF:all", "-XMP:all", "-warning", path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text.contains("NumberOfImages") && text.contains("MPImage2"), "\(text)")
        #expect(text.contains("GainMap") && !text.contains("Warning"), "\(text)")
    }
}
