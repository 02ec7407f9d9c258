import Files
import Foundation
import Testing

@Suite struct DeflateTests {
    @Test("bytes come back as they were", arguments: [2, 100, 70_000, 1_000_000])
    func roundTrip(count: Int) throws {
        let data = Data((0..<count).map { UInt8($0 / 300 % 7) })
        let compressed = try #require(count < 10 ? data : Deflate.compress(data))
        if count >= 10 {
            #expect(compressed.count < count / 2)
            #expect(Deflate.decompress(compressed, count: count) == data)
            #expect(Deflate.decompress(compressed, count: count - 1) == nil)
            #expect(Deflate.decompress(compressed, count: count + 1) == nil)
            #expect(Deflate.decompress(compressed.dropLast(), count: count) == nil)
        } else {
            #expect(Deflate.compress(data) == nil)
        }
    }

    @Test("what cannot become smaller is not made larger", arguments: [Data(), Data([7]), Data(0...255)])
    func incompressible(data: Data) {
        #expect(Deflate.compress(data) == nil)
    }

    @Test("a length that the bytes cannot have takes no memory", arguments: [-1, 5_000, .max])
    func wrongLength(count: Int) {
        #expect(Deflate.decompress(Data([3, 0]), count: count) == nil)
    }

    /// RFC 1951, section 3.2.4: a stored block, as it stands there.
    @Test func readsTheFormat() {
        let stored = Data([1, 3, 0, 0xFC, 0xFF, 10, 11, 12])
        #expect(Deflate.decompress(stored, count: 3) == Data([10, 11, 12]))
    }
}
