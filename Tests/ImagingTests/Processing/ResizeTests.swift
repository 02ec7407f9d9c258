import Foundation
import Imaging
import Testing

@Suite struct ResizeTests {
    private let input = PixelSize(width: 640, height: 480)

    @Test func sizesFollowNuke() throws {
        let fill = Resize(width: 400, height: 400, contentMode: .aspectFill)
        #expect(try fill.outputSize(for: input) == PixelSize(width: 533, height: 400))
        #expect(
            try Resize(width: 480, height: 480).outputSize(for: input) == PixelSize(width: 480, height: 360)
        )
        #expect(try Resize(width: 320).outputSize(for: input) == PixelSize(width: 320, height: 240))
        #expect(try Resize(height: 120).outputSize(for: input) == PixelSize(width: 160, height: 120))
        #expect(try Resize(width: 800).outputSize(for: input) == input)
        #expect(
            try Resize(width: 800, upscale: true).outputSize(for: input) == PixelSize(width: 800, height: 600)
        )
        let stretch = Resize(width: 100, height: 900, contentMode: .fill)
        #expect(try stretch.outputSize(for: input) == PixelSize(width: 100, height: 480))
        #expect(
            try Resize(width: 10, height: 10).outputSize(for: PixelSize(width: 5000, height: 1))
                == PixelSize(width: 10, height: 1)
        )
    }

    @Test func cropsToTheTargetOrItsAspectRatio() throws {
        func size(_ width: Int, _ height: Int, upscale: Bool = false) throws -> PixelSize {
            try Resize(width: width, height: height, contentMode: .aspectFill, crop: true, upscale: upscale)
                .outputSize(for: input)
        }
        #expect(try size(400, 400) == PixelSize(width: 400, height: 400))
        #expect(try size(1000, 1000) == PixelSize(width: 480, height: 480))
        #expect(try size(1000, 1000, upscale: true) == PixelSize(width: 1000, height: 1000))
        #expect(try size(1600, 400) == PixelSize(width: 640, height: 160))
    }

    @Test("an image that has the target's width is only cut, at whole pixels, enlarging or not")
    func cutsWholePixels() throws {
        let image = try Photographs.gradient(9, 6)
        let cut = try Crop(width: 9, height: 3).apply(to: image)
        for upscale in [false, true] {
            let resize = Resize(width: 9, height: 3, contentMode: .aspectFill, crop: true, upscale: upscale)
            let result = try resize.apply(to: image)
            #expect(result.size == PixelSize(width: 9, height: 3))
            #expect(try result.rgba() == cut.rgba())
        }
    }

    @Test func refusesMeaninglessTargets() throws {
        for resize in [Resize(), Resize(width: 0), Resize(width: 5, height: -1)] {
            let error = #expect(throws: ImagingError.self) { try resize.outputSize(for: input) }
            #expect(error?.reason == .processing)
        }
        let huge = Resize(width: .max, contentMode: .aspectFill, upscale: true)
        #expect(throws: ImagingError.self) { try OperationChain([huge]).outputSize(for: input) }
        let wide = Resize(width: .max, height: .max, contentMode: .fill, upscale: true)
        #expect(throws: ImagingError.self) { try OperationChain([wide]).outputSize(for: input) }
        let dot = try Photographs.gradient(1, 1)
        for side in [Int.max, Int(Int32.max), 2_000_000_000] {
            let resize = Resize(width: side, height: side, contentMode: .fill, upscale: true)
            #expect(throws: ImagingError.self) { try resize.apply(to: dot) }
        }
    }

    @Test(arguments: ResampleFilter.allCases, [false, true])
    func everyFilterKeepsAFlatColour(_ filter: ResampleFilter, _ linear: Bool) throws {
        let image = try Photographs.pattern(50, 40) { _, _ in [200, 100, 50, 255] }
        for width in [1, 7, 25, 80] {
            let resized = try Resize(width: width, upscale: true, filter: filter, linear: linear).apply(
                to: image
            )
            #expect(resized.size.width == width)
            let colors = [UInt8](try resized.rgba())
            #expect(
                stride(from: 0, to: colors.count, by: 4).allSatisfy {
                    Array(colors[$0..<$0 + 4]) == [200, 100, 50, 255]
                }
            )
        }
    }

    @Test func theBoxIsTheAverage() throws {
        let values: [UInt8] = [0, 100, 40, 60, 10, 30, 200, 100]
        let image = try Photographs.pattern(4, 2) { x, y in
            let value = values[y * 4 + x]
            return [value, value, value, 255]
        }
        let half = try Resize(width: 2, height: 1, contentMode: .fill, filter: .box).apply(to: image)
        #expect(try pixel(half, x: 0, y: 0)[0] == 35)
        #expect(try pixel(half, x: 1, y: 0)[0] == 100)
    }

    @Test func lanczosMatchesADirectSum() throws {
        let source = try Photographs.gradient(97, 61)
        let resized = try Resize(width: 40, height: 23, contentMode: .fill).apply(to: source)
        #expect(try psnr(resized, try directLanczos(source, to: resized.size)) > 50)
    }

    @Test func linearLightIsBrighterOnFinePatterns() throws {
        let board = try Photographs.pattern(64, 64) { x, y in
            (x + y) % 2 == 0 ? [255, 255, 255, 255] : [0, 0, 0, 255]
        }
        let gamma = try pixel(try Resize(width: 16, filter: .box).apply(to: board), x: 8, y: 8)[0]
        let linear = try pixel(
            try Resize(width: 16, filter: .box, linear: true).apply(to: board),
            x: 8,
            y: 8
        )[0]
        #expect(gamma == 128)
        #expect(linear == 188)
    }

    @Test func hiddenColoursDoNotBleed() throws {
        // Opaque red beside transparent green: every visible pixel stays red.
        let image = try Photographs.pattern(32, 8) { x, _ in x < 16 ? [255, 0, 0, 255] : [0, 255, 0, 0] }
        let resized = try Resize(width: 11).apply(to: image)
        #expect(resized.hasAlpha)
        for x in 0..<11 {
            let color = try pixel(resized, x: x, y: 1)
            if color[3] > 8 { #expect(color[0] >= 250 && color[1] <= 5, "\(color)") }
        }
    }

    /// Lanczos 3 as its definition has it, in floating point.
    private func directLanczos(_ image: Image, to size: PixelSize) throws -> Image {
        func weights(_ from: Int, _ to: Int) -> [[(Int, Double)]] {
            let scale = max(1, Double(from) / Double(to))
            return (0..<to).map { index in
                let center = (Double(index) + 0.5) * Double(from) / Double(to) - 0.5
                let taps = Int((center - 3 * scale).rounded(.down))...Int((center + 3 * scale).rounded(.up))
                let values = taps.map { tap -> (Int, Double) in
                    let x = (Double(tap) - center) / scale
                    let sinc = x == 0 ? 1 : 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
                    let mirrored = tap < 0 ? -tap - 1 : tap >= from ? 2 * from - 1 - tap : tap
                    return (mirrored, abs(x) < 3 ? sinc : 0)
                }
                let sum = values.reduce(0) { $0 + $1.1 }
                return values.map { ($0.0, $0.1 / sum) }
            }
        }
        let source = [UInt8](try image.rgba())
        let columns = weights(image.size.width, size.width)
        let rows = weights(image.size.height, size.height)
        var result = Data()
        for row in rows {
            for column in columns {
                for channel in 0..<4 {
                    var sum = 0.0
                    for (y, down) in row {
                        for (x, across) in column {
                            sum += down * across * Double(source[(y * image.size.width + x) * 4 + channel])
                        }
                    }
                    result.append(UInt8(min(max(sum.rounded(), 0), 255)))
                }
            }
        }
        return try Image(width: size.width, height: size.height, rgba: result)
    }
}
