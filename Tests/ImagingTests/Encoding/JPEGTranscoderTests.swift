#if JXL
import Foundation
@testable import Imaging
import TestSupport
import Testing

@Suite struct JPEGTranscoderTests {
    private static func seed(_ name: String) throws -> Data {
        try Data(contentsOf: Repository.root.appendingPathComponent("Tests/Fuzzing/seeds/\(name)"))
    }

    @Test(
        "photographs get smaller, and every byte comes back",
        arguments: ["hubble_deep_field.jpg", "rocket.jpg"]
    )
    func photographs(_ name: String) throws {
        let jpeg = try Repository.photo(name)
        let file = try #require(JPEGTranscoder.compress(jpeg))
        #expect(Double(file.count) < 0.87 * Double(jpeg.count))
        #expect(JPEGTranscoder.decompress(file, count: jpeg.count) == jpeg)
        #expect(JPEGTranscoder.cost(of: jpeg) == JPEGTranscoder.cost(ofGivingBack: file))
        #expect(try ImageHeader.read(file).size == ImageHeader.read(jpeg).size)
    }

    @Test(
        "every kind of JPEG comes back, or stays as it is",
        arguments: [
            "baseline.jpg", "full-chroma.jpg", "gray.jpg", "progressive.jpg", "restart.jpg", "described.jpg",
        ]
    )
    func kinds(_ name: String) throws {
        let jpeg = try Self.seed(name)
        #expect(try #require(JPEGTranscoder.cost(of: jpeg)) > 0)
        // What is behind the image comes back too.
        for jpeg in [jpeg, jpeg + Data("<?php more data".utf8)] {
            guard let file = JPEGTranscoder.compress(jpeg) else { continue }
            #expect(file.count < jpeg.count)
            #expect(JPEGTranscoder.decompress(file, count: jpeg.count) == jpeg)
        }
    }

    @Test("what is no JPEG, or of four inks, is not transcoded")
    func others() throws {
        for data in [Data(), Data([0xFF, 0xD8, 0xFF]), try Self.seed("ink.jpg"), try Self.seed("rgb.png")] {
            #expect(JPEGTranscoder.cost(of: data) == nil)
            #expect(JPEGTranscoder.compress(data) == nil)
        }
        #expect(JPEGTranscoder.cost(ofGivingBack: try Self.seed("rgb.png")) == nil)
    }

    @Test("a JPEG that ends too early stays as it is, or comes back as it was")
    func truncated() throws {
        let jpeg = try Repository.photo("rocket.jpg")
        for count in [20, 500, 5000, jpeg.count / 2, jpeg.count - 2] {
            let part = jpeg.prefix(count)
            guard let file = JPEGTranscoder.compress(part) else { continue }
            #expect(JPEGTranscoder.decompress(file, count: count) == part)
        }
    }

    @Test("a damaged file, and one of another length, give nothing, or other bytes that their digest tells")
    func damaged() throws {
        let jpeg = try Repository.photo("rocket.jpg")
        let file = try #require(JPEGTranscoder.compress(jpeg))
        for count in [0, -1, jpeg.count - 1, jpeg.count + 1] {
            #expect(JPEGTranscoder.decompress(file, count: count) == nil, "\(count) bytes")
        }
        #expect(JPEGTranscoder.decompress(file.prefix(file.count / 2), count: jpeg.count) == nil)
        var random = SeededGenerator(seed: 5)
        for _ in 0..<50 {
            var other = file
            other[Int.random(in: 0..<other.count, using: &random)] ^= UInt8.random(
                in: 1...255,
                using: &random
            )
            guard let found = JPEGTranscoder.decompress(other, count: jpeg.count) else { continue }
            #expect(found.count == jpeg.count)
        }
        // A JPEG XL without a JPEG in it.
        #expect(JPEGTranscoder.decompress(try Self.seed("lossless.jxl"), count: 1000) == nil)
    }
}
#endif
