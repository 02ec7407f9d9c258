import Foundation
import Imaging
import Testing

/// PDQ beside its reference.
///
/// The hashes come from the Python package pdqhash 0.2.8, a build of Meta's C++ code, which was given the very pixels that
/// Pillow 13.0 decodes.
@Suite struct PDQTests {
    private static let photographs = [
        ("astronaut.png", "2d6b1af3a956c529e79ca3d2526fa834d4196c81cedd04de0a26b855fc99b724", 0),
        ("chelsea.png", "5feb5321f01da156898e2bf629a5d3438412cdbd23f48942464526315db33ffd", 8),
        ("coffee.png", "8c629e779a663698b9a33866c026726c21a679f61eb6e1f8c79ba7e23c8299e0", 12),
        ("hubble_deep_field.jpg", "1c6715e46266634f72d42df2324ad397e70e86be9c665c59a42ec19c3369b919", 22),
        ("rocket.jpg", "8792786c87937064bf1bc0e43f1fc0e03f1cc2e33da4c2537cec821b2ce4f376", 16),
    ]

    private func luminance(_ image: Image) throws -> [Float] {
        let pixels = [UInt8](try image.rgba())
        return stride(from: 0, to: pixels.count, by: 4).map {
            0.299 * Float(pixels[$0]) + 0.587 * Float(pixels[$0 + 1]) + 0.114 * Float(pixels[$0 + 2])
        }
    }

    @Test("the same pixels have the reference's hash, bit for bit", arguments: photographs)
    func samePixels(name: String, hash: String, farthest: Int) throws {
        let image = try Photographs.image(name)
        let pdq = PDQ(luminance: try luminance(image), size: image.size)
        // Decoders of JPEG round differently, and bits about the median turn with it; PNG leaves nothing to round.
        let distance = pdq.hash.distance(to: try #require(PerceptualHash(text: hash)))
        #expect(distance <= (name.hasSuffix(".png") ? 0 : 8), "\(pdq.hash.text)")
        #expect(pdq.quality == 100)
    }

    @Test(
        "scaling to 512 pixels moves a hash by less than the distance of near copies",
        arguments: photographs
    )
    func scaled(name: String, hash: String, farthest: Int) throws {
        let pdq = try PDQ(try Photographs.image(name))
        let distance = pdq.hash.distance(to: try #require(PerceptualHash(text: hash)))
        #expect(distance <= farthest, "\(distance)")
    }

    @Test(
        "images of other shapes have the reference's quality",
        arguments: [(64, 40, 29), (129, 300, 61), (512, 511, 100)]
    )
    func quality(width: Int, height: Int, quality: Int) throws {
        let image = try Photographs.gradient(width, height)
        let pdq = PDQ(luminance: try luminance(image), size: image.size)
        // Sums of rounded differences may be off by one.
        #expect(abs(pdq.quality - quality) <= 1, "\(pdq.quality)")
    }

    @Test("an image of one colour has a hash of no quality")
    func plain() throws {
        let image = try Photographs.pattern(80, 60) { _, _ in [120, 130, 140, 255] }
        #expect(try PDQ(image).quality == 0)
    }

    @Test("a copy of another size, or in grey, stays near; another photograph and a mirrored one do not")
    func copies() throws {
        let original = try Photographs.image("coffee.png")
        let hash = try PDQ(original).hash
        for width in [450, 300, 200] {
            let copy = try Resize(width: width).apply(to: original, nominalSize: original.size, chroma: nil)
            let distance = try PDQ(copy).hash.distance(to: hash)
            #expect(distance <= 10, "\(width) pixels: \(distance)")
        }
        let grey = try Grayscale().apply(to: original, nominalSize: original.size, chroma: nil)
        #expect(try PDQ(grey).hash.distance(to: hash) <= 4)
        let other = try PDQ(try Photographs.image("rocket.jpg")).hash
        #expect(other.distance(to: hash) > 80)
        let mirrored = try Photographs.pattern(original.size.width, original.size.height) {
            [pixels = [UInt8](try original.rgba())] x, y in
            let start = (y * original.size.width + original.size.width - 1 - x) * 4
            return Array(pixels[start..<start + 4])
        }
        #expect(try PDQ(mirrored).hash.distance(to: hash) > 80, "PDQ tells mirrored images apart")
    }

    @Test("a scaled-down decode has nearly the hash of a full one")
    func smallDecode() throws {
        let file = try Photographs.data("hubble_deep_field.jpg")
        let header = try ImageHeader.read(file)
        let covering = try #require(try OperationChain([PDQ.resize]).coveringSize(for: header.size))
        let small = try ImageDecoder.decode(file, covering: covering)
        let full = try PDQ(try ImageDecoder.decode(file)).hash
        #expect(try PDQ(small, of: header.size).hash.distance(to: full) <= 6)
    }

    @Test("transparent parts count as white, whatever colour they hide")
    func transparent() throws {
        func image(_ hidden: UInt8, _ alpha: UInt8) throws -> Image {
            try Photographs.pattern(90, 90) { x, y in
                (x / 9 + y / 9 * y / 20) % 3 == 0
                    ? [hidden, hidden, hidden, alpha] : [40, UInt8(x), UInt8(y), 255]
            }
        }
        let white = try PDQ(try image(255, 255)).hash
        #expect(try PDQ(try image(255, 0)).hash.distance(to: white) <= 2)
        #expect(try PDQ(try image(0, 255)).hash.distance(to: white) > 31, "black is not white")
    }
}
