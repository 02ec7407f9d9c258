import Foundation
import Imaging
import Testing

/// The finding of the gain map of a JPEG.
@Suite struct GainMapHeaderTests {
    private func found(_ change: (inout UltraHDRFile) throws -> Void) throws -> GainMapHeader? {
        var file = try MarkedPictures.file()
        try change(&file)
        let header = try ImageHeader.read(file.data)
        // What is behind a picture has no effect on it.
        #expect(header.size == MarkedPictures.size)
        let (alone, together) = (try ImageDecoder.decode(file.base), try ImageDecoder.decode(file.data))
        #expect(try alone.rgba() == together.rgba() && together.warnings.isEmpty)
        return header.gainMap
    }

    private let size = PixelSize(width: 120, height: 80)

    @Test(arguments: UltraHDRFile.ByteOrder.allCases) func findsMapsByTheIndex(
        _ order: UltraHDRFile.ByteOrder
    ) throws {
        let map = try found {
            $0.index = order
            $0.hasDirectory = false
        }
        #expect(map?.size == size && map?.form == .adobe && map?.isReadable == true)
    }

    @Test func findsMapsByTheDirectory() throws {
        let map = try found { $0.index = nil }
        #expect(map?.size == size && map?.form == .adobe && map?.isReadable == true)
    }

    @Test("behind another picture, and before bytes that belong to nothing")
    func findsMapsAmongOthers() throws {
        let map = try found {
            $0.preview = $0.base
            $0.trailer = Data("SEFT".utf8)
        }
        #expect(map?.size == size)
        #expect(try found { ($0.preview, $0.hasDirectory) = ($0.base, false) }?.size == size)
    }

    @Test func takesNoOtherPictureForAMap() throws {
        // The control is each test above.
        #expect(try found { ($0.xmp, $0.hasDirectory) = (nil, false) } == nil)
        #expect(try found { ($0.index, $0.hasDirectory) = (nil, false) } == nil)
        #expect(try ImageHeader.read(try MarkedPictures.file().base).gainMap == nil)
    }

    @Test func tellsTheFormOfMaps() throws {
        #expect(try found { $0.iso = UltraHDRFile.iso(Array(repeating: (1, 1), count: 7)) }?.form == .adobe)
        let iso = UltraHDRFile.iso([(0, 1), (2, 1), (0, 1), (2, 1), (1, 1), (0, 1), (0, 1)])
        #expect(try found { ($0.iso, $0.xmp) = (iso, nil) }?.form == .iso)
        let apples = try found {
            $0.hasDirectory = false
            $0.xmp = """
                <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description \
                xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" \
                apdi:AuxiliaryImageType="urn:com:apple:photo:2020:aux:hdrgainmap"/></rdf:RDF>
                """
        }
        #expect(apples?.form == .apple && apples?.size == size && apples?.isReadable == false)
    }

    @Test("a map that is cut short or no picture is there, but cannot be read")
    func seesDamagedMaps() throws {
        let cut = try MarkedPictures.file().data.dropLast(700)
        let lost = try found { $0.map = Data([0xFF, 0xD8, 0xFF, 0xD9]) }
        #expect(lost?.isReadable == false && lost?.size == nil)
        // The index leads beyond the end, and the directory to other bytes.
        let missing = try #require(try ImageHeader.read(Data(cut)).gainMap)
        #expect(missing.form == .adobe && missing.size == nil && !missing.isReadable)
        var written = try MarkedPictures.file()
        written.base = try ImageEncoder.encoded(
            try MarkedPictures.image(dividedBy: 1),
            as: .jpeg(),
            gainMap: try GainMap(of: written.data, try ImageHeader.read(written.data))
        ).data
        let whole = try #require(try ImageHeader.read(written.base).gainMap)
        #expect(whole.isReadable)
        let short = try #require(try ImageHeader.read(written.base.dropLast(100)).gainMap)
        #expect(short.form == .iso && !short.isReadable)
        var file = try MarkedPictures.file()
        file.map = file.map.prefix(file.map.count / 2)
        let header = try ImageHeader.read(file.data)
        #expect(header.gainMap?.isReadable == true)
        #expect(throws: ImagingError.self) { try GainMap(of: file.data, header) }
    }

    @Test func refusesMapsBeyondTheLimits() throws {
        let file = try MarkedPictures.file().data
        let header = try ImageHeader.read(file)
        var limits = ImageLimits()
        limits.maxPixels = MarkedPictures.size.area + size.area
        #expect(try GainMap(of: file, header, limits: limits).image.size == size)
        limits.maxPixels -= 1
        let error = #expect(throws: ImagingError.self) { try GainMap(of: file, header, limits: limits) }
        #expect(error?.reason == .limits)
    }
}
