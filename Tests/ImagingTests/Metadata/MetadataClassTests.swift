#if AVIF && JXL && HEIC && TIFF
import Foundation
import FoundationXML
@testable import Imaging
import TestSupport
import Testing

/// Nothing of a class that goes is in an output, whatever choice is made: 127 sets of classes, from 7 formats into 5, and of XMP
/// in 6 spellings.
@Suite struct MetadataClassTests {
    private static let formats: [EncodingFormat] = [
        .jpeg(), .png(PNGOptions(compression: 1)), .webp(WebPOptions(effort: 0)),
        .avif(AVIFOptions(speed: 10)), .jxl(JPEGXLOptions(effort: 1)),
    ]

    /// All sets of classes but the empty one.
    static let choices: [Set<MetadataClass>] = (1..<1 << MetadataClass.allCases.count).map { bits in
        Set(MetadataClass.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
    }

    enum Source: CaseIterable {
        case jpeg, png, webp, avif, jxl, heic, tiff

        func file() throws -> Data {
            let (exif, xmp) = (MarkedMetadata.exif, MarkedMetadata.xmp(.elements))
            switch self {
            case .jpeg:
                let described = try DescribedFiles.jpeg(exif: exif, xmp: xmp, iptc: MarkedMetadata.iptc)
                let extended = "http://ns.adobe.com/xmp/extension/\0" + MarkedMetadata.marker(nil, "extended")
                let comment = inserting(
                    marker: 0xFE,
                    Array(MarkedMetadata.marker(nil, "comment").utf8),
                    into: described
                )
                return inserting(marker: 0xE1, Array(extended.utf8), into: comment)
            case .png:
                let text = Array("Comment\0\(MarkedMetadata.marker(nil, "text"))".utf8)
                return DescribedFiles.png(exif: exif, xmp: xmp, text: [("tEXt", text)])
            case .webp: return try DescribedFiles.webp(exif: exif, xmp: xmp)
            case .avif: return try DescribedFiles.avif(exif: exif, xmp: xmp)
            case .jxl: return try DescribedFiles.jxl(exif: exif, xmp: xmp)
            case .heic: return try DescribedFiles.heic(exif: exif, xmp: xmp)
            case .tiff: return tiff()
            }
        }

        /// True if the format holds EXIF data as such, and with the tags of all directories.
        var hasEXIF: Bool { self != .tiff }

        private func tiff() -> Data {
            let samples = [UInt8](repeating: 7, count: 16 * 12)
            var file = CraftedTIFF(16, 12, photometric: 1, pixels: samples)
            for (tag, field) in EXIFFields.main {
                let text = Array("\(MarkedMetadata.marker(field, "main\(tag)"))\0".utf8)
                file.values[tag] = (2, text.count, text)
            }
            let xmp = Array(MarkedMetadata.xmp(.elements).utf8)
            file.values[700] = (1, xmp.count, xmp)
            file.values[33_723] = (7, MarkedMetadata.iptc.count, MarkedMetadata.iptc)
            return file.data
        }
    }

    private func contains(_ file: Data, _ text: String) -> Bool {
        file.firstRange(of: Data(text.utf8)) != nil
    }

    /// The classes whose markers are in a file; nil stands for fields of none.
    private func found(_ file: Data) -> Set<MetadataClass?> {
        let classes: [MetadataClass?] = MetadataClass.allCases + [nil]
        return Set(classes.filter { contains(file, "zq-\($0?.rawValue ?? "none")-") })
    }

    @Test("each format into each", arguments: Source.allCases, formats)
    func leaksNothing(_ source: Source, _ format: EncodingFormat) throws {
        let file = try source.file()
        // The control: the markers are there, and would be found.
        #expect(found(file) == Set(MetadataClass.allCases + [nil]))
        let header = try ImageHeader.read(file)
        let image = try Resize(width: 16).apply(to: try ImageDecoder.decode(file))
        #expect(Self.choices.count == 127)
        for classes in Self.choices {
            let metadata = ImageMetadata(of: file, header, keeping: .only(classes), size: image.size)
            let output = try ImageEncoder.encode(image, as: format, metadata: metadata)
            #expect(found(output) == Set(classes.map(Optional.some)), "\(classes)")
            #expect(try ImageHeader.read(output).orientation == .up)
            // Each field is kept, not only some of each class.
            let expected = MarkedMetadata.xmpMarkers + (source.hasEXIF ? MarkedMetadata.exifMarkers : [])
            let lost = expected.filter { classes.contains($0.0) && !contains(output, $0.1) }
            #expect(lost.isEmpty, "\(classes): \(lost)")
        }
    }

    @Test("each spelling of XMP", arguments: MarkedMetadata.Spelling.allCases)
    func readsSpellings(_ spelling: MarkedMetadata.Spelling) throws {
        let file = DescribedFiles.png(exif: [], xmp: MarkedMetadata.xmp(spelling))
        #expect(found(file).contains(nil))
        let header = try ImageHeader.read(file)
        for classes in Self.choices {
            let metadata = ImageMetadata(of: file, header, keeping: .only(classes), size: header.size)
            let xmp = try #require(metadata?.xmp, "\(classes)")
            #expect(found(xmp) == Set(classes.map(Optional.some)), "\(classes)")
            let lost = MarkedMetadata.xmpMarkers.filter { classes.contains($0.0) && !contains(xmp, $0.1) }
            #expect(lost.isEmpty, "\(classes): \(lost)")
            #expect(XMLParser(data: xmp).parse(), "\(classes)")
            // What was written has one spelling, which is read as it stands.
            let again = DescribedFiles.png(exif: [], xmp: String(decoding: xmp, as: UTF8.self))
            let other = ImageMetadata(
                of: again,
                try ImageHeader.read(again),
                keeping: .only(classes),
                size: header.size
            )
            #expect(other?.xmp == xmp, "\(classes)")
        }
    }

    @Test("IPTC datasets become XMP where there is none", arguments: formats)
    func mapsDatasets(_ format: EncodingFormat) throws {
        let file = try DescribedFiles.jpeg(exif: nil, xmp: nil, iptc: MarkedMetadata.iptc)
        let header = try ImageHeader.read(file)
        let image = try Resize(width: 16).apply(to: try ImageDecoder.decode(file))
        for classes in Self.choices {
            let metadata = ImageMetadata(of: file, header, keeping: .only(classes), size: image.size)
            let output = try ImageEncoder.encode(image, as: format, metadata: metadata)
            let expected = classes.subtracting([.date, .camera, .people])
            #expect(found(output) == Set(expected.map(Optional.some)), "\(classes)")
            let kept = MarkedMetadata.iptcMarkers.filter { contains(output, $0.1) }
            let all = MarkedMetadata.iptcMarkers.filter { classes.contains($0.0) }
            #expect(kept.map(\.1) == all.map(\.1), "\(classes)")
            #expect(!contains(output, MarkedMetadata.date.dataset) && !contains(output, "8BIM"))
        }
    }

    @Test(
        "a date of IPTC is kept as far as it is known",
        arguments: [
            ("20240506", nil, "2024-05-06"), ("20240506", "070809", "2024-05-06T07:08:09"),
            ("20240506", "070809-0330", "2024-05-06T07:08:09-03:30"), ("20240500", "070809", "2024-05"),
            ("20240000", nil, "2024"), ("20240506", "0708", "2024-05-06"), ("00000000", nil, nil),
            ("2024056", nil, nil), ("2024-5-6", nil, nil), ("20240506", "070809*0330", "2024-05-06"),
        ] as [(String, String?, String?)]
    )
    func readsDates(date: String, time: String?, expected: String?) throws {
        func dataset(_ number: UInt8, _ text: String) -> [UInt8] {
            [0x1C, 2, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
        }
        let iptc = dataset(55, date) + (time.map { dataset(60, $0) } ?? [])
        let file = try DescribedFiles.jpeg(exif: nil, xmp: nil, iptc: iptc)
        let header = try ImageHeader.read(file)
        let found = ImageMetadata(of: file, header, keeping: .only([.date]), size: header.size)?.xmp
        let text = found.map { String(decoding: $0, as: UTF8.self) }
        let element = expected.map { "<photoshop:DateCreated>\($0)</photoshop:DateCreated>" }
        #expect(element.map { text?.contains($0) == true } ?? (text == nil), "\(text ?? "nothing")")
    }

    @Test("classes are kept in either order of bytes, and rights as a word keeps them")
    func keepsNumbers() throws {
        for isLittle in [false, true] {
            var exif = EXIFData.photograph
            exif.isLittle = isLittle
            exif.main[0x8298] = .ascii("(c) Ansel")
            let plain = try DescribedFiles.jpeg(exif: nil, xmp: nil, iptc: nil)
            let file = EXIFData.embed(exif.data, in: plain)
            let header = try ImageHeader.read(file)
            func kept(_ policy: MetadataPolicy) throws -> Data {
                let made = ImageMetadata(of: file, header, keeping: policy, size: header.size)
                return try ImageEncoder.encode(try ImageDecoder.decode(file), as: .jpeg(), metadata: made)
            }
            let camera = try kept(.only([.camera, .date]))
            let summary = try #require(EXIFSummary(of: camera, try ImageHeader.read(camera)))
            let original = try #require(EXIFSummary(of: file, header))
            #expect(summary == original)
            #expect(EXIFLocation(of: camera, try ImageHeader.read(camera)) == nil)
            let place = try kept(.except([.camera]))
            let location = try #require(EXIFLocation(of: place, try ImageHeader.read(place)))
            #expect(location == EXIFLocation(of: file, header))
            #expect(try kept(.only([.rights])) == kept(.copyright))
            #expect(try !contains(kept(.copyright), "Canon"))
        }
    }

    @Test("a packet in UTF-16 or without RDF is left out")
    func leavesOutUnreadablePackets() throws {
        let text = MarkedMetadata.xmp(.elements)
        let packets = [
            Data([0xFE, 0xFF]) + Data(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }),
            Data([0xFF, 0xFE]) + Data(text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }),
            Data(text.replacing("rdf:RDF", with: "rdf:Other").utf8),
        ]
        let plain = try DescribedFiles.jpeg(exif: nil, xmp: nil, iptc: nil)
        for packet in packets {
            let content = Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(packet)
            let file = inserting(marker: 0xE1, content, into: plain)
            let header = try ImageHeader.read(file)
            let all = MetadataPolicy.except([.location])
            #expect(ImageMetadata(of: file, header, keeping: all, size: header.size)?.xmp == nil)
        }
    }
}
#endif
