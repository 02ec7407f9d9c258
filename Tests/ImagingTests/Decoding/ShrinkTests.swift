import Foundation
import Imaging
import Testing

/// Large images are averaged by integer factors while they are decoded.
@Suite struct ShrinkTests {
    /// The expected result of a shrunk decode: each pixel is the mean of a block, with colours weighted by alpha.
    private func average(_ image: Image, by factor: Int) throws -> [[Double]] {
        let bytes = [UInt8](try image.rgba())
        let (width, height) = (image.size.width, image.size.height)
        var result: [[Double]] = []
        for top in stride(from: 0, to: height, by: factor) {
            for left in stride(from: 0, to: width, by: factor) {
                var (sums, count) = ([0.0, 0, 0, 0], 0.0)
                for y in top..<min(top + factor, height) {
                    for x in left..<min(left + factor, width) {
                        let pixel = bytes[((y * width + x) * 4)..<((y * width + x) * 4 + 4)].map(Double.init)
                        for channel in 0..<3 { sums[channel] += pixel[channel] * pixel[3] }
                        sums[3] += pixel[3]
                        count += 1
                    }
                }
                let colors = sums[..<3].map { sums[3] == 0 ? 0 : $0 / sums[3] }
                result.append(colors + [sums[3] / count])
            }
        }
        return result
    }

    @Test("a PNG is averaged by the factor that leaves twice what is asked for", arguments: [false, true])
    func averages(alpha: Bool) throws {
        let image = try Photographs.gradient(101, 67, alpha: alpha)
        let file = try ImageEncoder.encode(image, as: .png())
        // 101 / (2 · 12) = 4.2
        let decoded = try ImageDecoder.decode(file, covering: PixelSize(width: 12, height: 8))
        #expect(decoded.size == PixelSize(width: 26, height: 17))
        let expected = try average(image, by: 4)
        let found = [UInt8](try decoded.rgba())
        for (index, pixel) in expected.enumerated() {
            for channel in 0..<4 {
                #expect(abs(Double(found[index * 4 + channel]) - pixel[channel]) <= 0.51)
            }
        }
    }

    @Test("a resize of an averaged decode looks like one of a full decode")
    func resizesAsAFullDecodeDoes() throws {
        let photo = try Photographs.data("coffee.png")
        let header = try ImageHeader.read(photo)
        let chain = OperationChain([Resize(width: 60, height: 60)])
        let covering = try chain.coveringSize(for: header.size)
        let shrunk = try ImageDecoder.decode(photo, covering: covering)
        #expect(shrunk.size.width < header.size.width / 3)
        let small = try chain.apply(to: shrunk, originalSize: header.size)
        let reference = try chain.apply(to: try ImageDecoder.decode(photo), originalSize: header.size)
        #expect(small.size == reference.size)
        #expect(try psnr(small, reference) > 38)
        let crop = OperationChain([Crop(x: 100, y: 50, width: 300, height: 200), Resize(width: 30)])
        let part = try ImageDecoder.decode(photo, covering: try crop.coveringSize(for: header.size))
        #expect(part.size.width < header.size.width)
        let found = try crop.apply(to: part, originalSize: header.size)
        let wanted = try crop.apply(to: try ImageDecoder.decode(photo), originalSize: header.size)
        #expect(try psnr(found, wanted) > 34)
    }

    @Test("what is asked for bounds what is held")
    func costs() throws {
        let wide = CraftedPNG(width: 30_000, height: 20_000, depth: 8, colorType: 2, raw: [])
        let header = try ImageHeader.read(wide.data)
        #expect(header.decodeCost(covering: nil) > 1_800_000_000)
        #expect(header.decodeCost(covering: PixelSize(width: 256, height: 171)) < 5_000_000)
    }
}
