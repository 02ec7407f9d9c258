import Foundation
import Imaging
import TestSupport
import Testing

/// Hostile files with gain maps never crash, take long, or change the picture.
@Suite struct HostileGainMapTests {
    /// Reads the map as a run would, and writes it again.
    private func attempt(_ file: Data) {
        guard let header = try? ImageHeader.read(file), header.gainMap != nil,
            let map = try? GainMap(of: file, header, covering: PixelSize(width: 100, height: 60))
        else { return }
        #expect(map.image.size.area <= 1_000_000)
        guard let image = try? Photographs.gradient(100, 60) else { return }
        let written = try? ImageEncoder.encoded(image, as: .jpeg(), gainMap: map).data
        #expect(written.flatMap { try? ImageHeader.read($0) }?.gainMap?.isReadable == true)
    }

    private func file(_ order: UltraHDRFile.ByteOrder? = .big) throws -> UltraHDRFile {
        var file = try MarkedPictures.file(mapDividedBy: 16)
        file.base = try MarkedPictures.jpeg(try MarkedPictures.image(dividedBy: 8))
        file.index = order
        file.iso = UltraHDRFile.iso([(0, 1), (2, 1), (0, 1), (2, 1), (1, 1), (0, 1), (0, 1)])
        return file
    }

    @Test func survivesDamage() throws {
        let seed = SeededGenerator.seed(of: "HostileGainMapTests")
        var random = SeededGenerator(seed: seed)
        for order in [UltraHDRFile.ByteOrder.big, .little, nil] {
            let whole = try file(order).data
            let heads = whole.indices.filter { $0 < 900 } + whole.indices.suffix(1_500)
            for _ in 0..<400 {
                var mutant = whole
                for _ in 0..<Int.random(in: 1...5, using: &random) {
                    guard let place = heads.randomElement(using: &random) else { continue }
                    mutant[place] =
                        [0, 0xFF, 0x80, .random(in: 0...255, using: &random)]
                        .randomElement(using: &random) ?? 0
                }
                if Bool.random(using: &random) {
                    mutant = mutant.prefix(Int.random(in: 0...mutant.count, using: &random))
                }
                attempt(mutant)
            }
        }
    }

    /// A file whose index has these numbers at an offset.
    private func file(_ numbers: [Int], at offset: Int, of whole: Data) throws -> Data {
        var data = whole
        let index = try #require(data.range(of: Data("MPF\0".utf8))).upperBound + offset
        let bytes = numbers.flatMap { UltraHDRFile.bytes($0, 4, .big) }
        data.replaceSubrange(index..<index + bytes.count, with: bytes)
        return data
    }

    @Test("offsets and sizes of any number")
    func survivesPlaces() throws {
        let whole = try file().data
        let numbers = [0, 1, 2, 3, 8, 49, 50, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
        for first in numbers {
            // The first directory, the number of entries, their place, and the second picture's size and offset.
            for offset in [4, 26, 38, 42, 70, 74] { attempt(try file([first], at: offset, of: whole)) }
            for second in numbers { attempt(try file([first, second], at: 70, of: whole)) }
        }
    }

    @Test("a map that is its own picture, and pictures without end")
    func survivesLoops() throws {
        // The second picture begins where the file does: a negative offset, or one within the index.
        let data = try file().data
        let place = try #require(data.range(of: Data("MPF\0".utf8))).upperBound
        attempt(try file([data.count, 0x1_0000_0000 - place], at: 70, of: data))
        // A map that has an index and a map of its own.
        var nested = try file()
        for _ in 0..<6 { nested.map = nested.data }
        attempt(nested.data)
        var long = try file()
        let stuffing = Data((0..<60_000).flatMap { _ in [0xFF, 0xE5, 0, 2] as [UInt8] })
        long.map = long.map.prefix(2) + stuffing + long.map.dropFirst(2)
        attempt(long.data)
    }

    @Test("lengths in the directory that lead nowhere")
    func survivesLengths() throws {
        for length in ["0", "-1", "1", "2", "999999999999999999999", "9223372036854775807", "x", ""] {
            var file = try file(nil)
            file.hasDirectory = false
            let item = "<c:Item i:Semantic=\"GainMap\" i:Length=\"\(length)\" i:Padding=\"\(length)\"/>"
            let packet = """
                <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" \
                xmlns:c="http://ns.google.com/photos/1.0/container/" \
                xmlns:i="http://ns.google.com/photos/1.0/container/item/">\(item)\(item)</rdf:RDF>
                """
            let segment = UltraHDRFile.segment(0xE1, "http://ns.adobe.com/xap/1.0/\0", Array(packet.utf8))
            file.base = file.base.prefix(2) + segment + file.base.dropFirst(2)
            let found = try ImageHeader.read(file.data).gainMap
            #expect(found?.isReadable != true && found?.size == nil, "\(length)")
        }
    }
}
