#if AVIF
import Foundation
import TestSupport
import Testing

@testable import Imaging

/// Gain maps in AVIF: written where libavif is 1.2 or later, and left out where it is older.
@Suite struct AVIFGainMapWritingTests {
    private let areKept = EncodingFormat.avif().keepsGainMaps
    private let avif = EncodingFormat.avif(AVIFOptions(quality: 95, speed: 8))

    /// Each way between JPEG and AVIF where there is a map to be written.
    private static let ways: [(from: ImageFormat, to: ImageFormat)] = [
        (.jpeg, .avif), (.avif, .jpeg), (.avif, .avif),
    ]

    private func source(_ format: ImageFormat, isColored: Bool) throws -> Data {
        let numbers = [(0, 1), (3, 1), (-1, 3), (11, 4), (3, 2), (1, 64), (1, 100)]
        if format == .avif {
            var file = try ToneMappedAVIF(isColored: isColored)
            file.iso = UltraHDRFile.iso(numbers)
            return file.data
        }
        var file = try MarkedPictures.file(isColored: isColored)
        file.iso = UltraHDRFile.iso(numbers)
        return file.data
    }

    @Test("a map goes from JPEG to AVIF, back, and from AVIF to AVIF", arguments: ways, [false, true])
    func keepsMaps(_ way: (from: ImageFormat, to: ImageFormat), _ isColored: Bool) throws {
        let file = try source(way.from, isColored: isColored)
        let header = try ImageHeader.read(file)
        guard areKept || way.from == .jpeg else { return #expect(header.gainMap == nil) }
        let before = try GainMap(of: file, header)
        for operations in [[], [Resize(width: 200)], [Rotate(degrees: 90)]] as [[any ImageOperation]] {
            let format = way.to == .avif ? avif : .jpeg(JPEGOptions(quality: 95, subsampling: .s444))
            let written = try WrittenGainMap(file, through: operations, as: format)
            #expect(written.header.format == way.to && (written.map != nil) == areKept)
            guard let map = written.map else { continue }
            #expect(map.metadata == before.metadata && written.header.gainMap?.form == .iso)
            #expect(map.image.colorModel == .gray || isColored)
            let found = try MarkedPictures.center(map.image)
            for (here, there) in zip(try MarkedPictures.center(written.image), found) {
                #expect(abs(here - there) * Double(map.image.size.width) < 1)
            }
            guard operations.isEmpty else { continue }
            #expect(try psnr(map.image, before.image) > 30)
        }
    }

    @Test("without a map, and with an older libavif, the file is the same as ever")
    func changesNothingElse() throws {
        let file = try source(.jpeg, isColored: false)
        let (image, map) = (try ImageDecoder.decode(file), try GainMap(of: file, ImageHeader.read(file)))
        let plain = try ImageEncoder.encode(image, as: avif)
        #expect(try ImageHeader.read(plain).gainMap == nil)
        #expect(try ImageEncoder.encoded(image, as: avif, gainMap: nil).data == plain)
        let kept = try ImageEncoder.encoded(image, as: avif, gainMap: map).data
        #expect((kept != plain) == areKept)
        #expect(try ImageEncoder.encoded(image, as: avif, gainMap: map).data == kept)
        #expect(try ImageDecoder.decode(kept).rgba() == ImageDecoder.decode(plain).rgba())
    }

    @Test("bytes of the map count as the file's, and a score is the picture's")
    func countsTheMapsBytes() throws {
        let marks = try source(.jpeg, isColored: false)
        let map = try GainMap(of: marks, ImageHeader.read(marks))
        let image = try Resize(width: 200).apply(to: try Photographs.image("coffee.png"))
        let options = AVIFOptions(quality: 80, speed: 9)
        let limit = try ImageEncoder.encode(image, as: .avif(options)).count
        var bounded = options
        bounded.maxBytes = limit
        let file = try ImageEncoder.encoded(image, as: .avif(bounded), gainMap: map)
        #expect(file.data.count <= limit)
        #expect(areKept ? file.quality.map { $0 < 80 } == true : file.quality == 80)
        var floor = options
        floor.minimumSSIMULACRA2 = 60
        let scored = try ImageEncoder.encoded(image, as: .avif(floor), gainMap: map)
        let alone = try ImageEncoder.encoded(image, as: .avif(floor))
        #expect(scored.quality == alone.quality && scored.score?.ssimulacra2 == alone.score?.ssimulacra2)
        for data in [file.data, scored.data] {
            #expect((try ImageHeader.read(data).gainMap?.isReadable == true) == areKept)
        }
    }

    @Test("a map lies beside a picture of 10 bits, of gray, and with transparency")
    func liesBesideAnyPicture() throws {
        let marks = try source(.jpeg, isColored: true)
        let map = try GainMap(of: marks, ImageHeader.read(marks))
        let image = try Photographs.gradient(64, 48, alpha: true)
        for picture in [image, try image.converted(toBitDepth: 16), try Grayscale().apply(to: image)] {
            let file = try ImageEncoder.encoded(picture, as: avif, gainMap: map).data
            let header = try ImageHeader.read(file)
            #expect(header.hasAlpha && header.bitDepth == (picture.bitDepth == 16 ? 10 : 8))
            #expect((header.gainMap?.isReadable == true) == areKept)
            guard areKept else { continue }
            #expect(try psnr(GainMap(of: file, header).image, map.image) > 30)
        }
    }

    @Test("the profile of gains of three colours goes with the map, to AVIF and back")
    func keepsTheColorsOfTheMap() throws {
        var file = try ToneMappedAVIF(isColored: true)
        file.primaries = 12
        file.iso[4] = 0x40
        let header = try ImageHeader.read(file.data)
        guard areKept else { return #expect(header.gainMap == nil) }
        let profile = try #require(try GainMap(of: file.data, header).profile)
        let first = try WrittenGainMap(file.data, as: avif)
        let second = try WrittenGainMap(first.file)
        let third = try WrittenGainMap(second.file, as: avif)
        for written in [first, second, third] {
            #expect(written.header.profile.isPresent == false)
            #expect(written.map?.profile == profile && written.map?.metadata.usesBaseColors == false)
        }
    }
}
#endif
