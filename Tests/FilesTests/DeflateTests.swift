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

    @Test("the largest expansion of the format is accepted, more is refused before it is allocated")
    func largestExpansion() throws {
        let zeros = Data(count: 10_000_000)
        let compressed = try #require(Deflate.compress(zeros))
        #expect(zeros.count / compressed.count > 900)
        #expect(Deflate.decompress(compressed, count: zeros.count) == zeros)
        #expect(Deflate.decompress(compressed, count: 1032 * (compressed.count + 1)) == nil)
        #expect(Deflate.decompress(compressed, count: 1 << 60) == nil)
    }

    @Test("damage is found, and so is an empty input")
    func damage() throws {
        let data = Data((0..<5000).map { UInt8($0 / 100) })
        var compressed = try #require(Deflate.compress(data))
        #expect(Deflate.decompress(Data(), count: 0) == nil)
        #expect(Deflate.decompress(Data([3, 0]), count: 0) == Data())
        compressed[0] = 7
        #expect(Deflate.decompress(compressed, count: data.count) == nil)
    }

    @Test("a slice is compressed by its own bytes")
    func slice() throws {
        let data = Data(repeating: 7, count: 1000) + Data(repeating: 8, count: 1000)
        let compressed = try #require(Deflate.compress(data[1000...]))
        #expect(Deflate.decompress(compressed, count: 1000) == Data(repeating: 8, count: 1000))
    }

    /// RFC 1951, section 3.2.4: a stored block, as it stands there.
    @Test func readsTheFormat() {
        let stored = Data([1, 3, 0, 0xFC, 0xFF, 10, 11, 12])
        #expect(Deflate.decompress(stored, count: 3) == Data([10, 11, 12]))
    }
}
