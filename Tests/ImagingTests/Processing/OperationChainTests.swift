import Foundation
import Imaging
import Testing

@Suite struct OperationChainTests {
    private func thumbnails(_ jpeg: Data, _ chain: OperationChain) throws -> (
        scaled: Image, full: Image, decoded: PixelSize
    ) {
        let size = try ImageHeader.read(jpeg).size
        let decoded = try ImageDecoder.decode(jpeg, covering: try chain.coveringSize(for: size))
        return (
            try chain.apply(to: decoded, originalSize: size, for: .jpeg()),
            try chain.apply(to: try ImageDecoder.decode(jpeg), originalSize: size),
            decoded.size
        )
    }

    /// A scaled-down decode must look like a full one.
    @Test(arguments: Photographs.names, [40, 64, 100, 150, 256])
    func aScaledDecodeLooksLikeAFullOne(_ name: String, _ side: Int) throws {
        let image = try Photographs.image(name)
        let jpeg = try ImageEncoder.encode(image, as: .jpeg(JPEGOptions(quality: 92)))
        let results = try thumbnails(jpeg, OperationChain([Resize(width: side, height: side)]))
        #expect(max(results.scaled.size.width, results.scaled.size.height) == side)
        let quality = try psnr(results.scaled, results.full)
        print("\(name) to \(side) from \(results.decoded): \(quality) dB")
        #expect(quality > 30)
    }

    @Test func anEnlargementAsksForMorePixelsThanAnImageHas() throws {
        let chain = OperationChain([Resize(width: 900, upscale: true)])
        let photo = try ImageDecoder.decode(try Photographs.jpeg())
        for format in [EncodingFormat.jpeg(), .png(), .webp()] {
            let file = try ImageEncoder.encode(photo, as: format)
            let covering = try chain.coveringSize(for: photo.size)
            #expect(covering == PixelSize(width: 900, height: 599))
            let decoded = try ImageDecoder.decode(file, covering: covering)
            #expect(decoded.size == photo.size)
            #expect(try ImageHeader.read(file).decodedSize(covering: covering) == photo.size)
            #expect(try chain.apply(to: decoded, originalSize: photo.size).size == covering)
        }
    }

    @Test func sizesNeverDependOnTheDecode() throws {
        for (width, height) in [(451, 300), (333, 299), (97, 61), (450, 7)] {
            let jpeg = try Photographs.jpeg(width: width, height: height)
            for operations in Self.chains {
                let chain = OperationChain(operations)
                let results = try thumbnails(jpeg, chain)
                let size = try chain.outputSize(for: PixelSize(width: width, height: height))
                #expect(results.scaled.size == size)
                #expect(results.full.size == size)
            }
        }
    }

    /// The sizes announced before the work cover the actual ones.
    @Test(arguments: [nil, PixelSize(width: 60, height: 60)])
    func sizesAtHandAreAnnounced(_ covering: PixelSize?) throws {
        let jpeg = try Photographs.jpeg(width: 451, height: 300)
        let header = try ImageHeader.read(jpeg)
        let decoded = try ImageDecoder.decode(jpeg, covering: covering)
        #expect(header.decodedSize(covering: covering) == decoded.size)
        for operations in Self.chains {
            var (image, nominal) = (decoded, header.size)
            for operation in operations where image.size == nominal || !operation.isSizedByPixels {
                let announced = try operation.resultSize(for: image.size, nominalSize: nominal)
                image = try operation.apply(to: image, nominalSize: nominal, chroma: nil)
                #expect(announced.covers(image.size), "\(operation): \(announced), not \(image.size)")
                if !operation.isSizedByPixels {
                    #expect(announced.width <= image.size.width + 2, "\(operation)")
                    #expect(announced.height <= image.size.height + 2, "\(operation)")
                }
                nominal = try operation.outputSize(for: nominal)
            }
        }
    }

    @Test func theCostFollowsWhatIsAtHand() throws {
        let (large, small) = (PixelSize(width: 4000, height: 3000), PixelSize(width: 500, height: 375))
        func cost(_ chain: OperationChain, _ image: PixelSize, depth: Int = 8) throws -> Int {
            try chain.memoryCost(of: image, originalSize: large, bitDepth: depth, for: .jpeg())
        }
        let blur = OperationChain([GaussianBlur(), Resize(width: 100)])
        #expect(try cost(blur, large) >= 4 * large.area)
        #expect(try cost(blur, small) < 20 * small.area)
        #expect(try cost(blur, small, depth: 16) == 2 * cost(blur, small))
        #expect(try cost(OperationChain([Resize(width: 100)]), small) < cost(blur, small))
    }

    @Test func cropsAndTurnsLeaveTheDecodeSmall() throws {
        let chain = OperationChain([
            Crop(width: 400, height: 200, gravity: .northWest), Rotate(degrees: 90), Resize(height: 50),
            Grayscale(),
        ])
        let original = PixelSize(width: 800, height: 600)
        #expect(try chain.outputSize(for: original) == PixelSize(width: 25, height: 50))
        #expect(try chain.coveringSize(for: original) == PixelSize(width: 100, height: 75))
        #expect(try OperationChain([Crop(width: 5, height: 5)]).coveringSize(for: original) == nil)
        #expect(try OperationChain([]).coveringSize(for: original) == nil)
        #expect(try OperationChain([Resize(width: 50, linear: true)]).coveringSize(for: original) == nil)
    }

    @Test func aCropOfAScaledDecodeShowsTheSamePart() throws {
        let jpeg = try Photographs.jpeg("astronaut.png", width: 511, height: 509)
        let chain = OperationChain([
            Crop(x: 101, y: 51, width: 301, height: 203), Rotate(degrees: 270, flip: .horizontal),
            Resize(width: 40),
        ])
        let results = try thumbnails(jpeg, chain)
        #expect(results.decoded.width < 150)
        #expect(try psnr(results.scaled, results.full) > 30)
    }

    @Test func resultsInBetweenAreLimited() {
        var limits = ImageLimits()
        limits.maxPixels = 1000
        let chain = OperationChain([Resize(width: 100, upscale: true), Resize(width: 5)], limits: limits)
        let error = #expect(throws: ImagingError.self) {
            try chain.outputSize(for: PixelSize(width: 20, height: 20))
        }
        #expect(error?.reason == .limits)
    }

    static let chains: [[any ImageOperation]] = [
        [], [Resize(width: 33)], [Resize(width: 50, height: 50, contentMode: .aspectFill, crop: true)],
        [Resize(width: 900, height: 900, contentMode: .aspectFill, crop: true)],
        [Resize(width: 900), Resize(height: 6)], [Rotate(degrees: 90), Resize(width: 21)],
        [Crop(width: 64, height: 5, gravity: .southEast), Resize(width: 16)],
        [Crop(x: 3, y: 1, width: 31, height: 5)],
        [Grayscale(), Resize(width: 20, height: 3, contentMode: .fill)],
        [Resize(width: 20), Crop(width: 11, height: 1)],
        [Resize(width: 30, linear: true)],
        [GaussianBlur(radius: 3), Resize(width: 33)], [Sharpen(), Resize(width: 33)],
        [Pad(width: 601, height: 400, gravity: .southEast), Resize(width: 33)],
        [Pad(width: 455), Crop(x: 1, y: 1, width: 90, height: 6), Resize(width: 20)],
        [Circle(border: Border(color: .black, width: 9)), Resize(width: 5)],
        [RoundedCorners(radius: 30), Resize(width: 33)], [Flatten(), Trim(tolerance: 0)],
        [Adjust(contrast: 1.5), Resize(width: 33)],
        [Crop.smart(width: 90, height: 7), Resize(width: 20)], [Crop.smart(width: 64, height: 5)],
    ]

    /// Operations on a scaled-down decode must look like those on a full one.
    @Test(arguments: operations)
    func anOperationOnAScaledDecodeLooksLikeOneOnAFullOne(_ operation: any ImageOperation) throws {
        for (name, side) in [("rocket.jpg", 150), ("chelsea.png", 101)] {
            let image = try Photographs.image(name)
            let jpeg = try ImageEncoder.encode(image, as: .jpeg(JPEGOptions(quality: 92)))
            let results = try thumbnails(jpeg, OperationChain([operation, Resize(width: side)]))
            #expect(results.decoded.width < image.size.width)
            let flatten = Flatten(background: .black)
            let quality = try psnr(
                try flatten.apply(to: results.scaled),
                try flatten.apply(to: results.full)
            )
            print("\(type(of: operation)) on \(results.decoded) of \(name): \(quality) dB")
            #expect(quality > 30)
        }
    }

    static let operations: [any ImageOperation] = [
        GaussianBlur(radius: 1), GaussianBlur(), GaussianBlur(radius: 30), Sharpen(),
        Sharpen(sigma: 4, amount: 1), Adjust(brightness: 0.1, contrast: 1.3, saturation: 0.5),
        Adjust(gamma: 2),
        Pad(width: 701, height: 555, background: Color(red: 250, green: 10, blue: 90)),
        Pad(width: 701, height: 555, gravity: .southEast, background: .clear),
        Circle(border: Border(color: .white, width: 11)),
        RoundedCorners(radius: 77, border: Border(color: .black, width: 13)),
        watermark(gravity: .southEast), watermark(gravity: .center),
    ]

    private static func watermark(gravity: Gravity) -> Watermark {
        let rgba = Data(
            (0..<90 * 70).flatMap { index -> [UInt8] in
                let (x, y) = (index % 90, index / 90)
                return [UInt8(2 * x), 255, UInt8(3 * y), (x / 15 + y / 15) % 2 == 0 ? 255 : 90]
            }
        )
        guard let image = try? Image(width: 90, height: 70, rgba: rgba) else { fatalError("90 × 70 pixels") }
        return Watermark(image: image, .init(gravity: gravity, scale: 0.4, opacity: 0.8, margin: 17))
    }
}
