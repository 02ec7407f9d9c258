import Foundation
import Imaging
import Testing

/// Both placeholders beside implementations of others.
///
/// The hashes come from the Python packages blurhash 1.1.5 and thumbhash-python 1.0.1, which were given the very pixels of
/// the miniatures (for BlurHash laid over white).
@Suite struct PlaceholderTests {
    @Test(
        "photographs have the hashes that others give them",
        arguments: [
            ("astronaut.png", "LOJ7Bz:*IptR.m9[RlxaOqkWRjIo", "3EgKFwhpaIVPh2aHVnh5WIdp+SVif0IG"),
            ("chelsea.png", "L8HT,6#QyZxW9Zx]RQ?HkY%2xYR.", "XEkGFYL2V2ix5qmreEWIhQx31HBm"),
            ("coffee.png", "LOJ$KdNcv}xF~AE257IpOrSgbaS2", "GIoKDYSlqIdPUXd3eEeHh9J/YIkI"),
            (
                "hubble_deep_field.jpg", "L03R]-ogE1Rjxb%2RiE0IpxHIUIo",
                "BfgBBoAHZWupFZi1UqljiZbUtq5ggBw="
            ),
            ("rocket.jpg", "L96[OAyF9Zad0gRj-TfR+=ngNekC", "D9cFHYQsd2ZweZd1h4iIdnZwbQfX"),
        ]
    )
    func photographs(name: String, blurHash: String, thumbHash: String) throws {
        let miniature = try Miniature(try Photographs.image(name))
        #expect(try BlurHash(miniature).text == blurHash)
        #expect(ThumbHash(miniature).text == thumbHash)
    }

    @Test(
        "so have images of odd shapes, and with alpha",
        arguments: [
            (64, 40, true, "LjN1P:1u.6%Nu^$l%NRhozt9X9V;", "X+iFE44XkpaQiaixcBj2eQqjVsN4eXc="),
            (100, 2, true, "L~N^r9Kj$k-t~EO?xHx^hnkTkBgc", "HymKKZZ3tEuQqIeCkEf6hnaFd4eHiAg="),
            (3, 100, false, "L~Jj;sCP6g}@h-Z.a}ihgKf%fPf*", "3wcOSSSAgoh3h3h4gHIH2Hg="),
            (1, 1, false, "L.001ifZfZfZfZfZfZfZfZfZfZfZ", "CgQW/wAI9wiIh4hwj3CI+AiIcH/4AAAA"),
        ]
    )
    func shapes(width: Int, height: Int, alpha: Bool, blurHash: String, thumbHash: String) throws {
        let miniature = try Miniature(try Photographs.gradient(width, height, alpha: alpha))
        #expect(miniature.size == PixelSize(width: width, height: height))
        #expect(try BlurHash(miniature).text == blurHash)
        #expect(ThumbHash(miniature).text == thumbHash)
    }

    @Test("a scaled-down decode gives nearly the same miniature as a full one")
    func smallDecode() throws {
        let file = try Photographs.data("rocket.jpg")
        let header = try ImageHeader.read(file)
        let chain = OperationChain([Miniature.resize])
        let covering = try #require(try chain.coveringSize(for: header.size))
        #expect(covering == PixelSize(width: 100, height: 67))
        let image = try ImageDecoder.decode(file, covering: covering)
        #expect(image.size.width < header.size.width / 2)
        let small = try Miniature(image, of: header.size)
        let full = try Miniature(try ImageDecoder.decode(file))
        #expect(small.size == full.size)
        let difference = zip(small.pixels, full.pixels).reduce(0) { sum, pair in
            sum + abs(Int(pair.0.y) - Int(pair.1.y))
        }
        #expect(difference < 3 * full.pixels.count, "\(difference) in \(full.pixels.count) pixels")
    }

    @Test(
        "every kind of image has a miniature, also one of one pixel's width",
        arguments: SampleKind.allCases
    )
    func kinds(_ kind: SampleKind) throws {
        for (size, expected) in [((1, 1), (1, 1)), ((1, 5000), (1, 100)), ((5000, 3), (100, 1))] {
            let miniature = try Miniature(try kind.image(size.0, size.1))
            #expect(miniature.size == PixelSize(width: expected.0, height: expected.1))
            #expect(miniature.pixels.count == expected.0 * expected.1)
            #expect(try BlurHash(miniature).text.count == 28)
            let bytes = ThumbHash(miniature).bytes
            // Means, range and whether there is alpha: the 24th bit.
            #expect((5...25).contains(bytes.count))
            #expect((bytes[2] & 0x80 != 0) == miniature.pixels.contains { $0.w < 255 })
        }
    }

    @Test("16 bits give the placeholder that their upper 8 give")
    func depth() throws {
        var png = CraftedPNG(width: 2, height: 1, depth: 16, colorType: 2)
        png.raw = [0] + [200, 200, 10, 10, 90, 90] + [20, 20, 250, 250, 40, 40]
        let deep = try Miniature(try ImageDecoder.decode(png.data, bitDepth: 16))
        let flat = try Miniature(
            try Photographs.pattern(2, 1) { x, _ in x == 0 ? [200, 10, 90, 255] : [20, 250, 40, 255] }
        )
        #expect(try BlurHash(deep) == BlurHash(flat))
        #expect(ThumbHash(deep) == ThumbHash(flat))
    }

    @Test("a BlurHash has from 1 by 1 to 9 by 9 components")
    func components() throws {
        let miniature = try Miniature(try Photographs.image("coffee.png"))
        let most = try BlurHash(miniature, columns: 9, rows: 9).text
        #expect(most.count == 4 + 2 * 81 && most.hasPrefix("|"))
        // The mean alone: its four digits are those of every other number of components.
        let least = try BlurHash(miniature, columns: 1, rows: 1).text
        #expect(least.count == 6 && least.hasPrefix("00"))
        #expect(least.dropFirst(2) == most.dropFirst(2).prefix(4))
        for (columns, rows) in [(0, 3), (4, 10)] {
            #expect { try BlurHash(miniature, columns: columns, rows: rows) } throws: { error in
                (error as? ImagingError)?.reason == .processing
            }
        }
    }
}
