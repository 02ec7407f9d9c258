import Foundation
import TestSupport
import Testing

@testable import Imaging

/// The numbers of gain maps, as they are read and written again.
@Suite struct GainMapMetadataTests {
    private func header(xmp: String?, iso: [UInt8]? = nil) throws -> GainMapHeader? {
        var file = try MarkedPictures.file()
        (file.xmp, file.iso) = (xmp, iso)
        return try ImageHeader.read(file.data).gainMap
    }

    private func metadata(xmp: String?, iso: [UInt8]? = nil) throws -> GainMapMetadata? {
        try header(xmp: xmp, iso: iso)?.metadata
    }

    private let usual = #"hdrgm:GainMapMax="3" hdrgm:HDRCapacityMax="2.5""#

    @Test func hasTheValuesOfTheSpecificationWhereNoneIsGiven() throws {
        let found = try #require(try metadata(xmp: UltraHDRFile.xmp(usual)))
        let channel = GainMapMetadata.Channel(
            minimum: 0,
            maximum: 3,
            gamma: 1,
            standardOffset: 1 / 64,
            highOffset: 1 / 64
        )
        #expect(found.channels == [channel])
        #expect((found.standardHeadroom, found.highHeadroom) == (0, 2.5))
        #expect(!found.baseIsHighRange && found.usesBaseColors)
    }

    @Test func readsOneNumberOrThree() throws {
        let elements = """
            <hdrgm:GainMapMax><rdf:Seq><rdf:li>1</rdf:li><rdf:li> 2.5 </rdf:li><rdf:li>3</rdf:li></rdf:Seq></hdrgm:GainMapMax>
            <hdrgm:GainMapMin>-0.5</hdrgm:GainMapMin><hdrgm:HDRCapacityMin>0.25</hdrgm:HDRCapacityMin>
            """
        let attributes =
            #"hdrgm:HDRCapacityMax="4" hdrgm:Gamma="2" hdrgm:OffsetSDR="0" hdrgm:BaseRenditionIsHDR="True""#
        let found = try #require(try metadata(xmp: UltraHDRFile.xmp(attributes, elements)))
        #expect(found.channels.map(\.maximum) == [1, 2.5, 3])
        #expect(found.channels.map(\.minimum) == [-0.5, -0.5, -0.5])
        #expect(found.channels.allSatisfy { $0.gamma == 2 && $0.standardOffset == 0 })
        #expect(found.standardHeadroom == 0.25 && found.baseIsHighRange)
    }

    @Test(
        arguments: [
            #"hdrgm:GainMapMax="3""#, #"hdrgm:HDRCapacityMax="3""#,
            #"hdrgm:GainMapMax="nan" hdrgm:HDRCapacityMax="3""#,
            #"hdrgm:GainMapMax="inf" hdrgm:HDRCapacityMax="3""#,
            #"hdrgm:GainMapMax="1e300" hdrgm:HDRCapacityMax="3""#,
            #"hdrgm:GainMapMax="3" hdrgm:HDRCapacityMax="0""#,
            #"hdrgm:GainMapMin="4" hdrgm:GainMapMax="3" hdrgm:HDRCapacityMax="3""#,
            #"hdrgm:GainMapMax="3" hdrgm:HDRCapacityMax="3" hdrgm:Gamma="0""#,
            #"hdrgm:GainMapMax="three" hdrgm:HDRCapacityMax="3""#,
            #"hdrgm:GainMapMax="" hdrgm:HDRCapacityMax="3""#,
        ]
    )
    func takesNoNumbersThatMeanNothing(_ attributes: String) throws {
        let found = try #require(try header(xmp: UltraHDRFile.xmp(attributes)))
        #expect(found.metadata == nil && !found.isReadable)
    }

    /// Base and other headroom; lowest and highest gain, gamma, and the offsets of both.
    private let numbers = [(0, 1), (5, 2), (-1, 3), (11, 4), (3, 2), (1, 64), (1, 100)]

    @Test func isoPrecedesXMP() throws {
        let iso = UltraHDRFile.iso(numbers)
        let found = try #require(try header(xmp: UltraHDRFile.xmp(usual), iso: iso))
        #expect(found.form == .iso)
        let metadata = try #require(found.metadata)
        #expect(metadata.highHeadroom == 2.5)
        let channel = metadata.channels[0]
        #expect((channel.minimum, channel.maximum, channel.gamma) == (-1.0 / 3, 2.75, 1.5))
        #expect((channel.standardOffset, channel.highOffset) == (1.0 / 64, 0.01))
        // Written again, it has the same bytes.
        #expect(metadata.iso == Data(iso))
    }

    @Test func readsThreeChannelsAndACommonDenominator() throws {
        let channel = Array(numbers.dropFirst(2))
        let three = UltraHDRFile.iso(flags: 0x80, numbers + channel.map { ($0.0 * 2, $0.1) } + channel)
        let found = try #require(GainMapMetadata(iso: Data(three)))
        #expect(found.channels.map(\.gamma) == [1.5, 3, 1.5] && !found.usesBaseColors)
        #expect(found.iso.count == three.count)
        // The denominator, both headrooms, and the numerators of a channel.
        let parts = [64, 0, 192, -32, 96, 64, 1, 2].map { UltraHDRFile.bytes($0, 4, .big) }
        let common: [UInt8] = [0, 0, 0, 0, 0x48] + parts.joined()
        let shared = try #require(GainMapMetadata(iso: Data(common)))
        #expect(shared.highHeadroom == 3)
        #expect(shared.channels[0].minimum == -0.5 && shared.channels[0].highOffset == 1.0 / 32)
    }

    @Test("a picture of high range has the larger headroom, and its offset comes first")
    func readsPicturesOfHighRange() throws {
        let iso = UltraHDRFile.iso([(3, 1), (0, 1), (0, 1), (3, 1), (1, 1), (1, 64), (1, 32)])
        let found = try #require(GainMapMetadata(iso: Data(iso)))
        #expect(found.baseIsHighRange && found.highHeadroom == 3 && found.standardHeadroom == 0)
        #expect(found.channels[0].highOffset == 1.0 / 64 && found.channels[0].standardOffset == 1.0 / 32)
        #expect(found.iso == Data(iso))
    }

    @Test func takesNoFractionsThatMeanNothing() throws {
        let right = UltraHDRFile.iso(numbers)
        #expect(GainMapMetadata(iso: Data(right)) != nil)
        for index in numbers.indices {
            var wrong = numbers
            wrong[index].1 = 0
            #expect(GainMapMetadata(iso: Data(UltraHDRFile.iso(wrong))) == nil, "\(index)")
        }
        for count in 0..<right.count { #expect(GainMapMetadata(iso: Data(right.prefix(count))) == nil) }
        #expect(GainMapMetadata(iso: Data(UltraHDRFile.iso(version: 1, numbers))) == nil)
        // Numbers that mean nothing leave the word to XMP.
        let found = try metadata(xmp: UltraHDRFile.xmp(usual), iso: UltraHDRFile.iso(version: 1, numbers))
        #expect(found?.highHeadroom == 2.5)
    }

    @Test func writesWhatItReads() throws {
        let elements = """
            <hdrgm:GainMapMax><rdf:Seq><rdf:li>1</rdf:li><rdf:li>2.5</rdf:li><rdf:li>3</rdf:li></rdf:Seq></hdrgm:GainMapMax>
            """
        let attributes = #"hdrgm:GainMapMin="-0.3" hdrgm:HDRCapacityMax="4.1" hdrgm:Gamma="0.7""#
        for packet in [UltraHDRFile.xmp(usual), UltraHDRFile.xmp(attributes, elements)] {
            let before = try #require(try metadata(xmp: packet))
            let written = try #require(GainMapXMP(GainMapXMP.packet(before))?.metadata)
            #expect(written == before)
            #expect(GainMapMetadata(iso: before.iso) == before)
        }
    }

    @Test("numbers that are read can be written and read again, however small they are")
    func writesWhatIsNearNothing() throws {
        let seed = SeededGenerator.seed(of: "GainMapMetadataTests")
        var random = SeededGenerator(seed: seed)
        let parts = [0, 1, 2, 3, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
        var count = 0
        for _ in 0..<20_000 {
            let numbers = (0..<7).map { _ in
                (parts.randomElement(using: &random) ?? 0, parts.randomElement(using: &random) ?? 1)
            }
            guard let found = GainMapMetadata(iso: Data(UltraHDRFile.iso(numbers))) else { continue }
            count += 1
            #expect(GainMapMetadata(iso: found.iso) != nil, "seed \(seed): \(found)")
            #expect(GainMapXMP(GainMapXMP.packet(found))?.metadata != nil, "seed \(seed): \(found)")
        }
        #expect(count > 20)
    }

    @Test func neutralValuesChangeNothing() {
        func neutral(_ minimum: Double, _ maximum: Double, gamma: Double = 1) -> Double {
            GainMapMetadata.Channel(
                minimum: minimum,
                maximum: maximum,
                gamma: gamma,
                standardOffset: 0,
                highOffset: 0
            ).neutral
        }
        #expect(neutral(0, 3) == 0)
        #expect(neutral(-1, 3) == 0.25)
        #expect(neutral(-1, 3, gamma: 0.5) == 0.5)
        #expect(neutral(1, 3) == 0 && neutral(-3, -1) == 1 && neutral(2, 2) == 0)
    }
}
