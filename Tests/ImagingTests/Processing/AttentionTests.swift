import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct AttentionTests {
    /// A wall of faint noise with a disc in the colour of a face.
    private func disc(centerX: Int, centerY: Int, width: Int, height: Int) throws -> Image {
        var generator = SeededGenerator(seed: 11)
        return try Photographs.pattern(width, height) { x, y in
            let (dx, dy) = (x - centerX, y - centerY)
            guard dx * dx + dy * dy > 60 * 60 else { return [224, 172, 140, 255] }
            let gray = UInt8(120 + Int.random(in: -6...6, using: &generator))
            return [gray, gray, gray, 255]
        }
    }

    /// The mean position and the number of the disc's pixels in a crop.
    private func found(_ image: Image) throws -> (x: Double, y: Double, count: Int) {
        let bytes = [UInt8](try image.rgba())
        var (sumX, sumY, count) = (0, 0, 0)
        for index in 0..<bytes.count / 4 where Int(bytes[4 * index]) - Int(bytes[4 * index + 2]) > 50 {
            sumX += index % image.size.width
            sumY += index / image.size.width
            count += 1
        }
        return (Double(sumX) / Double(count), Double(sumY) / Double(count), count)
    }

    @Test(arguments: [(80, 200), (720, 200), (400, 70), (400, 330), (650, 320)])
    func keepsAFace(_ x: Int, _ y: Int) throws {
        let image = try disc(centerX: x, centerY: y, width: 800, height: 400)
        let all = try found(image).count
        for (width, height) in [(400, 400), (300, 200), (200, 400)] {
            let part = try Crop.smart(width: width, height: height).apply(to: image)
            #expect(part.size == PixelSize(width: width, height: height))
            let face = try found(part)
            #expect(Double(face.count) > 0.97 * Double(all), "\(width)×\(height): \(face)")
        }
    }

    @Test(arguments: [40, 300, 640])
    func keepsTexture(_ left: Int) throws {
        let image = try Photographs.pattern(800, 300) { x, y in
            let isPatch = (left..<left + 120).contains(x) && (90..<210).contains(y)
            return isPatch && (x / 6 + y / 6) % 2 == 0 ? [30, 30, 30, 255] : [128, 128, 128, 255]
        }
        let part = try Crop.smart(width: 300, height: 300).apply(to: image)
        let dark = [UInt8](try part.rgba()).enumerated().count { $0 % 4 == 0 && $1 == 30 }
        #expect(Double(dark) > 0.98 * 7200)
    }

    @Test func whatIsTheSameEverywhereIsCutInTheMiddle() throws {
        let image = try Photographs.pattern(200, 100) { x, y in [UInt8(x), UInt8(y), 0, 0] }
        let middle = try Crop(width: 100, height: 50).apply(to: image)
        #expect(try Crop.smart(width: 100, height: 50).apply(to: image).rgba() == middle.rgba())
        #expect(try Crop.smart(width: 999, height: 999).apply(to: image).size == image.size)
        for kind in SampleKind.allCases {
            let small = try kind.image(1, 3)
            #expect(try Crop.smart(width: 1, height: 1).apply(to: small).size.area == 1)
        }
    }

    @Test("what transparent pixels hide is not found", arguments: [(80, 200), (650, 320)])
    func ignoresHiddenColors(_ x: Int, _ y: Int) throws {
        let shown = [UInt8](try disc(centerX: x, centerY: y, width: 800, height: 400).rgba())
        var generator = SeededGenerator(seed: 12)
        // Black, skin, and noise, each around the disc.
        let hidden: [() -> [UInt8]] = [
            { [0, 0, 0] }, { [224, 172, 140] },
            { (0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) } },
        ]
        var places: [Data] = []
        for color in hidden {
            let image = try Photographs.pattern(800, 400) { column, row in
                let pixel = shown[4 * (row * 800 + column)..<4 * (row * 800 + column) + 4]
                return pixel.first == 224 ? Array(pixel) : color() + [0]
            }
            let part = try Crop.smart(width: 200, height: 200).apply(to: image)
            places.append(
                Data([UInt8](try part.rgba()).enumerated().filter { $0.offset % 4 == 3 }.map(\.element))
            )
        }
        #expect(places[0].contains(255))
        #expect(places[1] == places[0] && places[2] == places[0])
    }

    /// Full and scaled-down decodes give the same window, each time.
    ///
    /// A sky full of stars has no salient window.
    @Test(arguments: Photographs.names.filter { !$0.hasPrefix("hubble") })
    func theDecodeDoesNotMoveIt(_ name: String) throws {
        let jpeg = try ImageEncoder.encode(
            try Photographs.image(name),
            as: .jpeg(JPEGOptions(quality: 92))
        )
        let size = try ImageHeader.read(jpeg).size
        let side = min(size.width, size.height) / 2
        let chain = OperationChain([Crop.smart(width: side, height: side), Resize(width: 24)])
        let covering = try #require(try chain.coveringSize(for: size))
        #expect(max(covering.width, covering.height) >= 256)
        let full = try chain.apply(to: try ImageDecoder.decode(jpeg), originalSize: size)
        let small = try chain.apply(to: try ImageDecoder.decode(jpeg, covering: covering), originalSize: size)
        let quality = try psnr(full, small)
        print("smart crop of \(name) from \(covering): \(quality) dB")
        #expect(quality > 40)
        #expect(try chain.apply(to: try ImageDecoder.decode(jpeg), originalSize: size).rgba() == full.rgba())
    }

    /// The astronaut's face is above and left of the middle.
    @Test func keepsTheAstronautsFace() throws {
        let image = try Photographs.image("astronaut.png")
        let part = try Crop.smart(width: 200, height: 200).apply(to: image)
        let face = try Crop(x: 190, y: 70, width: 70, height: 80).apply(to: image)
        let (whole, wanted) = ([UInt8](try part.rgba()), [UInt8](try face.rgba()))
        let isThere = (0..<120).contains { y in
            (0..<130).contains { x in
                (0..<80).allSatisfy { row in
                    let start = ((y + row) * 200 + x) * 4
                    return whole[start..<start + 280].elementsEqual(wanted[row * 280..<row * 280 + 280])
                }
            }
        }
        #expect(isThere)
    }
}
