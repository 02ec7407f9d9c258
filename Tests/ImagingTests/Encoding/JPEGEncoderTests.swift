import Foundation
@testable import Imaging
import TestSupport
import Testing

/// `effort: smallest` of JPEG.
@Suite struct JPEGEncoderTests {
    private func file(
        _ image: Image,
        _ quality: Int = 75,
        subsampling: ChromaSubsampling = .s420,
        progressive: Bool = false
    ) throws -> Data {
        try ImageEncoder.encode(
            image,
            as: .jpeg(
                JPEGOptions(
                    quality: quality,
                    progressive: progressive,
                    subsampling: subsampling,
                    effort: .smallest
                )
            )
        )
    }

    private func plain(_ image: Image, _ quality: Int, _ subsampling: ChromaSubsampling) throws -> Data {
        try ImageEncoder.encode(
            image,
            as: .jpeg(
                JPEGOptions(quality: quality, subsampling: subsampling, optimizesTables: true)
            )
        )
    }

    /// Photographs, and rings whose waves have all lengths.
    private func pictures() throws -> [(name: String, image: Image)] {
        let resize = Resize(width: 240)
        var pictures: [(name: String, image: Image)] = []
        for name in Photographs.names {
            pictures.append((name, try resize.apply(to: Photographs.image(name))))
        }
        pictures.append(("gradient", try Photographs.gradient(200, 150)))
        let rings = try Photographs.pattern(200, 150) { x, y in
            let distance = Double(x * x + y * y)
            return [
                UInt8(127 + 120 * sin(distance / 300)), UInt8(127 + 100 * sin(distance.squareRoot() / 4)),
                UInt8(127 + 90 * cos(Double(x) / 3)), 255,
            ]
        }
        pictures.append(("rings", rings))
        return pictures
    }

    @Test(
        "a file is smaller than libjpeg's of the same quality, and looks much the same",
        arguments: [ChromaSubsampling.s420, .s444],
        [75, 90]
    )
    func smaller(subsampling: ChromaSubsampling, quality: Int) throws {
        for (name, image) in try pictures() {
            let small = try file(image, quality, subsampling: subsampling)
            let other = try plain(image, quality, subsampling)
            #expect(small.count < other.count, "\(name): \(small.count), libjpeg \(other.count)")
            let score = try image.ssimulacra2(of: ImageDecoder.decode(small))
            let usual = try image.ssimulacra2(of: ImageDecoder.decode(other))
            #expect(abs(score - usual) < 6, "\(name): \(score), libjpeg \(usual)")
        }
    }

    @Test("with a floor, photographs take fewer bytes", arguments: [60.0, 70, 80])
    func floors(floor: Double) throws {
        var (bytes, usual) = (0, 0)
        for name in Photographs.names {
            let image = try Resize(width: 240).apply(to: Photographs.image(name))
            let options = JPEGOptions(optimizesTables: true, minimumSSIMULACRA2: floor)
            var smallest = options
            smallest.effort = .smallest
            let small = try ImageEncoder.encoded(image, as: .jpeg(smallest))
            let score = try #require(small.score)
            #expect(score.shortfall == nil && score.ssimulacra2 >= floor && score.ssimulacra2 < floor + 5)
            bytes += small.data.count
            usual += try ImageEncoder.encode(image, as: .jpeg(options)).count
        }
        // A search ends up to two points above the floor, which is worth some per cent.
        #expect(Double(bytes) < 0.96 * Double(usual), "\(bytes), libjpeg \(usual)")
    }

    @Test("every size and subsampling can be read")
    func sizes() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var random = SeededGenerator(seed: seed)
        let noise = (0..<40 * 40 * 4).map { _ in UInt8.random(in: 0...255, using: &random) }
        for width in 1...40 {
            for height in 1...40 {
                let pixels = Data(noise.prefix(width * height * 4))
                let image = try Image(width: width, height: height, rgba: pixels).flattened(over: .white)
                let subsampling = ChromaSubsampling.allCases[(width + height) % 3]
                let quality = Int.random(in: 1...100, using: &random)
                let file = try file(image, quality, subsampling: subsampling)
                let decoded = try ImageDecoder.decode(file)
                #expect(
                    decoded.size == image.size,
                    "\(width) × \(height), \(subsampling), \(quality), seed \(seed)"
                )
            }
        }
    }

    @Test("the longest sides are written, longer ones refused", arguments: [true, false])
    func longest(isWide: Bool) throws {
        func image(_ side: Int) throws -> Image {
            try Photographs.gradient(isWide ? side : 1, isWide ? 1 : side)
        }
        let longest = try image(65_500)
        #expect(try ImageHeader.read(file(longest)).size == longest.size)
        let error = #expect(throws: ImagingError.self) { try file(image(65_501)) }
        #expect(error?.reason == .limits)
    }

    @Test("qualities out of range are refused", arguments: [0, 101, -7, Int.max])
    func refused(quality: Int) throws {
        let image = try Photographs.gradient(9, 9)
        let error = #expect(throws: ImagingError.self) { try file(image, quality) }
        #expect(error?.reason == .processing)
    }

    @Test("equal images give equal bytes, and another quality others")
    func equal() throws {
        let image = try Photographs.image("chelsea.png")
        let first = try file(image)
        #expect(try file(image) == first)
        #expect(try file(image, 76) != first)
    }

    @Test("better qualities are larger and look better")
    func order() throws {
        let image = try Resize(width: 160).apply(to: Photographs.image("coffee.png"))
        var last = (bytes: 0, score: -Double.infinity)
        for quality in stride(from: 5, through: 100, by: 5) {
            let file = try file(image, quality)
            let score = try image.ssimulacra2(of: ImageDecoder.decode(file))
            #expect(file.count > last.bytes && score > last.score - 0.5, "\(quality): \(score), \(last)")
            last = (file.count, score)
        }
    }

    @Test("a file that is asked to be progressive is, at any size; gray stays gray")
    func kinds() throws {
        let small = try Photographs.gradient(8, 8)
        #expect(try file(small, progressive: true).range(of: Data([0xFF, 0xC2])) != nil)
        #expect(try file(small).range(of: Data([0xFF, 0xC0])) != nil)
        let gray = try Grayscale().apply(to: Photographs.image("coffee.png"))
        let small8 = try file(gray)
        #expect(try ImageHeader.read(small8).colorModel == .gray)
        #expect(try psnr(ImageDecoder.decode(small8), gray) > 30)
    }

    @Test("maxBytes is kept")
    func limit() throws {
        let image = try Resize(width: 160).apply(to: Photographs.image("coffee.png"))
        let own = try file(image, 80).count
        let options = JPEGOptions(quality: 80, maxBytes: own / 2, effort: .smallest)
        let encoded = try ImageEncoder.encoded(image, as: .jpeg(options))
        let quality = try #require(encoded.quality)
        #expect(encoded.data.count <= own / 2 && quality < 80)
        #expect(try file(image, quality) == encoded.data)
    }
}
