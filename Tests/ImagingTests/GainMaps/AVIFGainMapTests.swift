#if AVIF
import Foundation
import TestSupport
import Testing

@testable import Imaging

/// The gain maps of AVIF: read where libavif is 1.2 or later, and not seen where it is older.
@Suite struct AVIFGainMapTests {
    /// True if this libavif reads maps; else a file has none, and shows the same.
    private let areRead = EncodingFormat.avif().keepsGainMaps

    private let mapSize = PixelSize(width: 120, height: 80)

    @Test("a map is found with its numbers, and has no effect on the picture")
    func findsMaps() throws {
        var file = try ToneMappedAVIF()
        let header = try ImageHeader.read(file.data)
        #expect(header.size == MarkedPictures.size && (header.gainMap != nil) == areRead)
        let plain = file.base.data
        #expect(try ImageHeader.read(plain).gainMap == nil)
        #expect(try ImageDecoder.decode(file.data).rgba() == ImageDecoder.decode(plain).rgba())
        guard areRead else {
            #expect(throws: ImagingError.self) { try GainMap(of: file.data, header) }
            return
        }
        let found = try #require(header.gainMap)
        #expect(found.form == .iso && found.size == mapSize && found.isReadable)
        #expect(found.metadata == GainMapMetadata(iso: Data(file.iso)))
        let map = try GainMap(of: file.data, header)
        #expect(map.image.colorModel == .gray && map.image.size == mapSize && map.profile == nil)
        #expect(try MarkedPictures.difference(ImageDecoder.decode(file.data), map.image) < 0.01)
        // Three channels, and an image of high range.
        file.iso = UltraHDRFile.iso(
            flags: 0xC0,
            [(3, 1), (0, 1)] + (1...3).flatMap { [(0, 1), ($0, 1), (1, 1), (1, 64), (1, 32)] }
        )
        let other = try #require(try ImageHeader.read(file.data).gainMap?.metadata)
        #expect(other.channels.map(\.maximum) == [1, 2, 3] && other.baseIsHighRange)
        #expect(other == GainMapMetadata(iso: Data(file.iso)))
    }

    /// The shift between the marks of a picture and its map, in pixels of the map.
    private func shift(_ file: Data, covering size: PixelSize? = nil) throws -> Double {
        let header = try ImageHeader.read(file)
        let image = try ImageDecoder.decode(file, header: header)
        let map = try GainMap(of: file, header, covering: size).wholePixels.image
        let (here, there) = (try MarkedPictures.center(image), try MarkedPictures.center(map))
        return max(
            abs(here[0] - there[0]) * Double(map.size.width),
            abs(here[1] - there[1]) * Double(map.size.height)
        )
    }

    @Test("a map turns with its picture", arguments: 0..<4, [nil, 0, 1])
    func turns(_ quarters: Int, _ mode: Int?) throws {
        var file = try ToneMappedAVIF()
        file.properties =
            [CraftedMedia.rotation(quarters)] + (mode.map { [CraftedMedia.mirror($0)] } ?? [])
        let header = try ImageHeader.read(file.data)
        #expect(header.size.width == (quarters % 2 == 0 ? 480 : 320))
        guard areRead else { return #expect(header.gainMap == nil) }
        #expect(try shift(file.data) < 1)
        #expect(try shift(file.data, covering: PixelSize(width: 20, height: 20)) < 1)
        // The control: a map that does not say how it is turned.
        file.mapProperties = []
        let torn = try ImageHeader.read(file.data)
        #expect(torn.size == header.size && torn.gainMap?.isReadable == false)
    }

    @Test("of a cropped picture, the map is cropped too")
    func crops() throws {
        for factor in [1, 4] {
            var file = try ToneMappedAVIF(mapDividedBy: factor)
            let properties = [
                CraftedMedia.aperture(width: 240, height: 160, x: -20, y: 10), CraftedMedia.rotation(1),
            ]
            file.properties = properties
            let header = try ImageHeader.read(file.data)
            #expect(header.size == PixelSize(width: 160, height: 240))
            guard areRead else { return #expect(header.gainMap == nil) }
            let map = try GainMap(of: file.data, header).wholePixels.image
            #expect(map.size == PixelSize(width: 160 / factor, height: 240 / factor))
            #expect(try shift(file.data) < 1)
        }
    }

    @Test("the colours that gains are about go with a map that has colours")
    func keepsColors() throws {
        func profile(_ isColored: Bool, flags: UInt8, _ primaries: Int, _ others: Int) throws -> Data? {
            var file = try ToneMappedAVIF(isColored: isColored)
            file.iso[4] = flags
            (file.primaries, file.alternatePrimaries) = (primaries, others)
            let header = try ImageHeader.read(file.data)
            let map = try GainMap(of: file.data, header)
            #expect(map.metadata.usesBaseColors == (map.profile == nil))
            return map.profile
        }
        let base: UInt8 = 0x40
        guard areRead else {
            #expect(throws: ImagingError.self) { try profile(true, flags: base, 12, 12) }
            return
        }
        let ofBase = try #require(try profile(true, flags: base, 12, 9))
        let ofOther = try #require(try profile(true, flags: 0, 1, 12))
        #expect(ofBase == ofOther)
        #expect(try profile(true, flags: 0, 1, 9) != ofOther)
        #expect(try profile(true, flags: base, 1, 12) == nil)
        #expect(try profile(true, flags: 0, 12, 1) == nil)
        #expect(try profile(false, flags: base, 12, 12) == nil)
    }

    @Test("a map beyond the limits is refused, and the picture is not")
    func refusesMapsBeyondTheLimits() throws {
        let file = try ToneMappedAVIF().data
        let header = try ImageHeader.read(file)
        var limits = ImageLimits()
        limits.maxPixels = MarkedPictures.size.area
        #expect(try ImageDecoder.decode(file, limits: limits).size == MarkedPictures.size)
        guard areRead else { return #expect(header.gainMap == nil) }
        limits.maxPixels += mapSize.area
        #expect(try GainMap(of: file, header, limits: limits).image.size == mapSize)
        limits.maxPixels -= 1
        var error = #expect(throws: ImagingError.self) { try GainMap(of: file, header, limits: limits) }
        #expect(error?.reason == .limits)
        limits = ImageLimits()
        let cost = try #require(header.gainMap?.decodeCost)
        limits.maxMemory = cost
        #expect(try GainMap(of: file, header, limits: limits).image.size == mapSize)
        limits.maxMemory -= 1
        error = #expect(throws: ImagingError.self) { try GainMap(of: file, header, limits: limits) }
        #expect(error?.reason == .limits)
    }

    @Test("a map that is damaged or means nothing is there, and the picture is read")
    func seesDamagedMaps() throws {
        var file = try ToneMappedAVIF()
        let whole = file.data
        let cut = whole.dropLast(file.map.compressed.count / 2)
        let header = try ImageHeader.read(cut)
        #expect(try ImageDecoder.decode(cut).rgba() == ImageDecoder.decode(whole).rgba())
        #expect((header.gainMap?.isReadable == true) == areRead)
        #expect(throws: ImagingError.self) { try GainMap(of: cut, header) }
        // Equal headrooms.
        file.iso = UltraHDRFile.iso([(3, 1), (3, 1), (0, 1), (1, 1), (1, 1), (0, 1), (0, 1)])
        let vain = try ImageHeader.read(file.data)
        #expect((vain.gainMap != nil) == areRead && vain.gainMap?.isReadable != true)
        // A later version of the numbers.
        file.iso[1] = 1
        #expect(try ImageHeader.read(file.data).gainMap == nil)
    }

    @Test func survivesDamage() throws {
        let seed = SeededGenerator.seed(of: "AVIFGainMapTests")
        var random = SeededGenerator(seed: seed)
        for isColored in [false, true] {
            let whole = try ToneMappedAVIF(mapDividedBy: 16, isColored: isColored).data
            let boxes = try #require(whole.range(of: Data("mdat".utf8))).lowerBound
            var found = 0
            for _ in 0..<400 {
                var mutant = whole
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let last = Int.random(in: 0..<4, using: &random) == 0 ? whole.count : boxes
                    mutant[Int.random(in: 0..<last, using: &random)] =
                        [0, 0xFF, 0x80, .random(in: 0...255, using: &random)]
                        .randomElement(using: &random) ?? 0
                }
                if Bool.random(using: &random) {
                    mutant = mutant.prefix(Int.random(in: 0...mutant.count, using: &random))
                }
                guard let header = try? ImageHeader.read(mutant), header.gainMap != nil else { continue }
                found += 1
                var limits = ImageLimits()
                limits.maxPixels = header.size.area.addingClamping(1_000_000)
                guard let map = try? GainMap(of: mutant, header, limits: limits) else { continue }
                #expect(map.image.size.area <= 1_000_000)
            }
            #expect((found > 0) == areRead)
        }
    }
}
#endif
