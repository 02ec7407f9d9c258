import Foundation
import Imaging
import TestSupport
import Testing

/// The brightest light that files state, which tone mapping uses for PQ.
@Suite struct BrightestLightTests {
    /// The light that a file states of its content and of its maker's screen, and the one that becomes white, in cd/m².
    struct Told: Sendable, CustomStringConvertible {
        var content: Int?
        var screen: Int?
        let peak: Double

        var description: String { "\(content ?? -1), \(screen ?? -1)" }
    }

    private static let told = [
        Told(peak: 1000), Told(content: 4000, peak: 4000), Told(screen: 4000, peak: 4000),
        Told(content: 400, screen: 4000, peak: 400), Told(content: 10_000, peak: 10_000),
        // Nothing needs to be compressed: what is brighter than white is white.
        Told(content: 203, peak: 203), Told(content: 100, peak: 203), Told(content: 150, peak: 203),
        // What cannot be true is passed over.
        Told(content: 99, peak: 1000), Told(content: 10_001, peak: 1000), Told(content: 0, peak: 1000),
        Told(content: 0, screen: 600, peak: 600), Told(content: 60_000, screen: 600, peak: 600),
        Told(content: 0, screen: 20_000, peak: 1000),
    ]

    /// Greys from black to the brightest signal, and those around white, 16 bits each.
    private static let greys: [Int] =
        (0...255).map { $0 * 257 } + (-2...2).map { Int(HDRModel.signal(pq: 203) * 65_535) + $0 }

    private static func chunks(_ told: Told) -> [(String, [UInt8])] {
        var chunks: [(String, [UInt8])] = []
        if let light = told.content { chunks.append(("cLLI", bytes32(light * 10_000) + bytes32(0))) }
        if let light = told.screen {
            chunks.append(("mDCV", [UInt8](repeating: 1, count: 16) + bytes32(light * 10_000) + bytes32(0)))
        }
        return chunks
    }

    private static func file(_ chunks: [(String, [UInt8])], transfer: UInt8 = 16) -> Data {
        CraftedPNG(
            width: greys.count,
            height: 1,
            depth: 16,
            colorType: 0,
            extra: [("cICP", [9, transfer, 0, 1])] + chunks,
            raw: [0] + greys.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        ).data
    }

    private static func shown(_ file: Data) throws -> (greys: [Int], warnings: Set<ImageWarning>) {
        let image = try ImageDecoder.decode(file, bitDepth: 16, hdr: .tonemap)
        let greys = image.planes[0].withUnsafeBytes { bytes in
            (0..<image.size.width).map { Int(bytes.load(fromByteOffset: 2 * $0, as: UInt16.self)) }
        }
        return (greys, image.warnings)
    }

    /// The greatest difference from the model with a peak, in steps of 16 bits.
    private static func difference(_ found: [Int], peak: Double) -> Double {
        var model = HDRModel()
        model.peak = peak
        return zip(found, greys).map { found, grey in
            let signal = Double(grey) / 65_535
            return abs(Double(found) - 65_535 * model.shown([signal, signal, signal])[0])
        }.max() ?? .infinity
    }

    @Test("a PNG is mapped for the light that it tells", arguments: told)
    func mapsPNG(_ told: Told) throws {
        for chunks in [Self.chunks(told), Self.chunks(told).reversed()] {
            let (found, warnings) = try Self.shown(Self.file(chunks))
            #expect(warnings == [.toneMapped])
            #expect(Self.difference(found, peak: told.peak) <= 4, "\(told)")
            // Control: another peak is far away.
            #expect(Self.difference(found, peak: told.peak == 1000 ? 1500 : 1000) > 80, "\(told)")
        }
    }

    @Test("HLG is made for a screen of its own, whatever a file tells")
    func leavesHLG() throws {
        let told = Self.chunks(Told(content: 4000, screen: 4000, peak: 1000))
        let plain = try Self.shown(Self.file([], transfer: 18)).greys
        #expect(try Self.shown(Self.file(told, transfer: 18)).greys == plain)
        #expect(try Self.shown(Self.file(told)).greys != Self.shown(Self.file([])).greys, "control")
    }

    @Test(
        "chunks of another length, and those behind another one or the pixels, are passed over with a warning"
    )
    func passesOverWrongChunks() throws {
        let light = Self.chunks(Told(content: 4000, peak: 4000))
        let plain = try Self.shown(Self.file([])).greys
        for length in [0, 7, 9] {
            let wrong = [("cLLI", Array((light[0].1 + [0]).prefix(length)))]
            let (found, warnings) = try Self.shown(Self.file(wrong))
            #expect(found == plain && warnings == [.toneMapped, .colors])
        }
        let short = try Self.shown(Self.file([("mDCV", [UInt8](repeating: 9, count: 23))]))
        #expect(short.greys == plain && short.warnings == [.toneMapped, .colors])
        let twice = try Self.shown(Self.file(light + Self.chunks(Told(content: 400, peak: 400))))
        #expect(Self.difference(twice.greys, peak: 4000) <= 4)
        #expect(twice.warnings == [.toneMapped, .partPlace])
        var late = Self.file([])
        late.insert(contentsOf: CraftedPNG.chunk(light[0].0, light[0].1), at: late.count - 12)
        let behind = try Self.shown(late)
        #expect(behind.greys == plain && behind.warnings == [.toneMapped, .partPlace])
    }

    @Test("the frames of an animated PNG are mapped alike")
    func mapsAnimations() throws {
        func frame(_ chunks: [(String, [UInt8])]) throws -> [UInt8] {
            var file = CraftedPNGAnimation(
                width: 1,
                height: 1,
                frames: [150, 10].map { .init(width: 1, height: 1, rgba: [$0, 120, 90, 255]) }
            ).data
            let colors = CraftedPNG.chunk("cICP", [9, 16, 0, 1])
            file.insert(contentsOf: colors + chunks.flatMap { CraftedPNG.chunk($0.0, $0.1) }, at: 33)
            var reader = try AnimationReader(file, header: ImageHeader.read(file), hdr: .tonemap)
            return [UInt8](try #require(try reader.next()).image.rgba())
        }
        var model = HDRModel()
        for told in [Told(peak: 1000), Told(content: 4000, peak: 4000), Told(screen: 400, peak: 400)] {
            model.peak = told.peak
            let found = try frame(Self.chunks(told))
            let expected = model.shown([150, 120, 90].map { $0 / 255 })
            #expect(zip(found, expected).allSatisfy { abs(Double($0) - 255 * $1) <= 1 }, "\(told): \(found)")
        }
    }

    /// Checks a picture that tells its light by boxes against the same pixels as sRGB.
    private func check(_ media: CraftedMedia) throws {
        var media = media
        media.properties = [CraftedMedia.colors(primaries: 1, transfer: 13)]
        let stored = [UInt8](try ImageDecoder.decode(media.data).rgba())
        for told in Self.told {
            media.properties = [CraftedMedia.colors(primaries: 9, transfer: 16)]
            if let light = told.screen { media.properties.append(CraftedMedia.screenLight(light)) }
            if let light = told.content { media.properties.append(CraftedMedia.contentLight(light)) }
            let shown = [UInt8](try ImageDecoder.decode(media.data, hdr: .tonemap).rgba())
            func worst(_ peak: Double) -> Double {
                var model = HDRModel()
                model.peak = peak
                var worst = 0.0
                for start in stride(from: 0, to: stored.count, by: 4 * 7) {
                    let expected = model.shown((0..<3).map { Double(stored[start + $0]) / 255 })
                    for (index, value) in expected.enumerated() {
                        worst = max(worst, abs(Double(shown[start + index]) - 255 * value))
                    }
                }
                return worst
            }
            #expect(worst(told.peak) <= 1, "\(told)")
        }
        // What another image of the file tells is not about this one.
        media.properties = [CraftedMedia.colors(primaries: 9, transfer: 16)]
        let plain = try ImageDecoder.decode(media.data, hdr: .tonemap).rgba()
        media.thumbnail = [CraftedMedia.contentLight(4000)]
        #expect(try ImageDecoder.decode(media.data, hdr: .tonemap).rgba() == plain)
        media.thumbnail = nil
        media.properties.append(CraftedMedia.contentLight(4000))
        #expect(try ImageDecoder.decode(media.data, hdr: .tonemap).rgba() != plain, "control")
    }

    #if AVIF
    @Test("an AVIF is mapped for the light that its properties tell")
    func mapsAVIF() throws {
        let photo = try Resize(width: 48, height: 32, contentMode: .aspectFill, crop: true)
            .apply(to: try Photographs.image("chelsea.png"))
        let avif = try ImageEncoder.encode(photo, as: .avif(AVIFOptions(quality: 95)))
        try check(CraftedMedia(avif, width: 48, height: 32))
    }
    #endif

    #if HEIC
    @Test("a HEIC is mapped for the light that its properties tell")
    func mapsHEIC() throws {
        try check(CraftedMedia(try HEICFiles.plain(), width: 64, height: 64))
    }
    #endif
}
