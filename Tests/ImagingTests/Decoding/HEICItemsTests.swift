#if HEIC
import Foundation
import Testing

@testable import Imaging

@Suite struct HEICItemsTests {
    private typealias Item = (id: UInt8, type: String, flags: UInt8)

    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        [0, 0, UInt8((content.count + 8) >> 8), UInt8((content.count + 8) & 255)] + Array(type.utf8) + content
    }

    /// A file of descriptions alone, whose primary item is 9.
    private func file(_ items: [Item], references: [UInt8] = [], rest: [UInt8] = []) -> Data {
        let entries = items.flatMap {
            box("infe", [2, 0, 0, $0.flags, 0, $0.id, 0, 0] + Array($0.type.utf8) + [0])
        }
        let content =
            box("pitm", [0, 0, 0, 0, 0, 9]) + box("iinf", [0, 0, 0, 0, 0, UInt8(items.count)] + entries)
            + (references.isEmpty ? [] : box("iref", [0, 0, 0, 0] + references))
        return Data(box("meta", [0, 0, 0, 0] + content) + rest)
    }

    /// The primary item that a file has after the repair.
    private func primary(_ file: Data) throws -> UInt8 {
        let repaired = HEICItems.repaired(file)
        let tag = try #require(repaired.range(of: Data("pitm".utf8)))
        return repaired[tag.upperBound + 5]
    }

    @Test("only a primary item that does not exist is replaced")
    func existing() throws {
        #expect(try primary(file([(1, "hvc1", 0)])) == 1)
        let unusual: [Item] = [(9, "hvc1", 1), (9, "mime", 0), (9, "tmap", 0)]
        for item in unusual { #expect(try primary(file([(1, "hvc1", 0), item])) == 9) }
    }

    @Test("references end with their box, however many they claim to be")
    func references() throws {
        // What follows would name the image as a part of another one.
        let claim = box("dimg", [0, 2, 0xFF, 0xFF])
        let rest = box("mdat", [UInt8](repeating: 0, count: 8) + [0, 1, 0, 1])
        #expect(try primary(file([(1, "hvc1", 0)], references: claim, rest: rest)) == 1)
        let parts = box("dimg", [0, 2, 0, 1, 0, 1])
        #expect(try primary(file([(1, "hvc1", 0), (2, "grid", 0)], references: parts)) == 2)
    }
}
#endif
