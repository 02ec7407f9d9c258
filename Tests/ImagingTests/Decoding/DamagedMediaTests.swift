#if AVIF && HEIC
import Foundation
import Imaging
import TestSupport
import Testing

/// AVIF and HEIC with structures that only other writers produce: any input gives an image or an error.
@Suite struct DamagedMediaTests {
    static let names = [
        "heic", "heic of 10 bits", "heic with alpha", "heic grid", "avif with alpha", "avif grid",
    ]

    private func file(_ name: String) throws -> Data {
        switch name {
        case "heic": return try HEICFiles.plain()
        case "heic of 10 bits": return try HEICFiles.tenBits()
        case "heic with alpha": return try HEICFiles.alpha()
        case "avif with alpha":
            return try ImageEncoder.encode(try Photographs.gradient(64, 64, alpha: true), as: .avif())
        default:
            let tile =
                name == "heic grid"
                ? try HEICFiles.plain()
                : try ImageEncoder.encode(try Photographs.gradient(64, 64), as: .avif())
            var media = CraftedMedia(tile, width: 64, height: 64)
            media.properties = [CraftedMedia.colors(primaries: 12, transfer: 13), CraftedMedia.rotation(1)]
            media.grid = (columns: 2, rows: 2, width: 120, height: 100)
            return media.data
        }
    }

    @Test(arguments: names)
    func aFileCutShortIsAnError(_ name: String) throws {
        let whole = try file(name)
        #expect(try ImageDecoder.decode(whole).size.width >= 64)
        for count in stride(from: 28, to: whole.count, by: 7) {
            let error = #expect(throws: ImagingError.self, "\(count) of \(whole.count) bytes") {
                try ImageDecoder.decode(whole.prefix(count))
            }
            #expect(
                error?.reason == .truncated,
                "\(count) of \(whole.count) bytes: \(error?.message ?? "")"
            )
        }
    }

    @Test(arguments: names)
    func mutantsNeverCrash(_ name: String) throws {
        let whole = try file(name)
        let seed = UInt64.random(in: 0...UInt64.max)
        print("mutants of \(name): seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var limits = ImageLimits()
        limits.maxPixels = 1_000_000
        for _ in 0..<300 {
            var mutant = whole
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let position = Int.random(in: 0..<whole.count, using: &generator)
                mutant[position] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let header = try? ImageHeader.read(mutant),
                let image = try? ImageDecoder.decode(mutant, header: header, limits: limits)
            else { continue }
            #expect(image.size == header.size)
            #expect(image.byteCount <= header.decodeCost(covering: nil))
        }
    }
}
#endif
