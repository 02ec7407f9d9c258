import Foundation
import Imaging
import Testing

@Suite struct RoundedCornersTests {
    /// The fraction of a pixel within a rounded rectangle, from 40 × 40 points.
    private func coverage(x: Int, y: Int, size: PixelSize, inset: Double, radius: Double) -> Double {
        let count = 40
        var inside = 0
        for row in 0..<count {
            for column in 0..<count {
                let px = Double(x) + (Double(column) + 0.5) / Double(count)
                let py = Double(y) + (Double(row) + 0.5) / Double(count)
                let (width, height) = (Double(size.width) - inset, Double(size.height) - inset)
                guard px > inset, px < width, py > inset, py < height else { continue }
                let dx = max(inset + radius - px, px - (width - radius), 0)
                let dy = max(inset + radius - py, py - (height - radius), 0)
                if dx * dx + dy * dy <= radius * radius { inside += 1 }
            }
        }
        return Double(inside) / Double(count * count)
    }

    @Test(arguments: SampleKind.allCases, [0.0, 3.5, 100])
    func coversWhatTheShapeCovers(_ kind: SampleKind, _ radius: Double) throws {
        for (width, height) in [(1, 1), (9, 14), (21, 12)] {
            let image = try kind.image(width, height)
            let result = try RoundedCorners(radius: radius).apply(to: image)
            #expect(result.hasAlpha && result.size == image.size && result.bitDepth == image.bitDepth)
            #expect(result.colorModel == (image.colorModel == .gray ? .gray : .rgb))
            let actual = min(radius, Double(min(width, height)) / 2)
            for (y, row) in result.opacity.enumerated() {
                for (x, alpha) in row.enumerated() {
                    let expected =
                        coverage(x: x, y: y, size: image.size, inset: 0, radius: actual) * image.opacity[y][x]
                    #expect(abs(alpha - expected) < 0.01, "\(x), \(y) of \(width)×\(height)")
                }
            }
            // Visible pixels keep their colours.
            guard image.colorModel != .ycbcr else { continue }
            for (before, after) in zip(image.colors, result.colors) {
                for (y, row) in after.rows.enumerated() {
                    for (x, value) in row.enumerated() where result.opacity[y][x] > 0.05 {
                        #expect(abs(value - before.rows[y][x]) <= 1)
                    }
                }
            }
        }
    }

    @Test func aBorderLiesWithin() throws {
        let image = try Photographs.pattern(30, 20) { _, _ in [0, 0, 255, 255] }
        let border = Border(color: Color(red: 255, green: 0, blue: 0), width: 3)
        let result = try RoundedCorners(radius: 6, border: border).apply(to: image)
        #expect(try pixel(result, x: 15, y: 0) == [255, 0, 0, 255])
        #expect(try pixel(result, x: 15, y: 2) == [255, 0, 0, 255])
        #expect(try pixel(result, x: 15, y: 3) == [0, 0, 255, 255])
        #expect(try pixel(result, x: 0, y: 0)[3] == 0)
        for y in 0..<20 {
            for x in 0..<30 {
                let outer = coverage(x: x, y: y, size: image.size, inset: 0, radius: 6)
                let inner = coverage(x: x, y: y, size: image.size, inset: 3, radius: 3)
                let color = try pixel(result, x: x, y: y)
                #expect(abs(Double(color[3]) / 255 - outer) < 0.01)
                guard outer > 0.1 else { continue }
                #expect(abs(Double(color[2]) / 255 - inner / outer) < 0.1)
            }
        }
    }

    @Test func aBorderCanLetTheImageThrough() throws {
        let gray = try SampleKind.gray.image(12, 12)
        let faint = Border(color: Color(red: 255, green: 255, blue: 255, alpha: 128), width: 2)
        let result = try RoundedCorners(radius: 0, border: faint).apply(to: gray)
        #expect(result.colorModel == .gray)
        let before = gray.planes[0].rows
        #expect(abs(result.planes[0].rows[5][0] - (before[5][0] * 127 + 255 * 128) / 255) <= 1)
        #expect(result.planes[0].rows[5][5] == before[5][5])
        // On a transparent image, only the border is visible.
        let clear = try Photographs.pattern(9, 9) { _, _ in [1, 2, 3, 0] }
        let line = try RoundedCorners(radius: 0, border: Border(color: .white)).apply(to: clear)
        #expect(try pixel(line, x: 0, y: 4) == [255, 255, 255, 255])
        #expect(try pixel(line, x: 4, y: 4)[3] == 0)
    }

    @Test func intoJPEGTheCornersAreFlattened() throws {
        let rounded = try RoundedCorners(radius: 60).apply(to: try Photographs.image("coffee.png"))
        let file = try ImageEncoder.encode(rounded, as: .jpeg(), background: .black)
        #expect(try pixel(try ImageDecoder.decode(file), x: 2, y: 2)[0...2].max() ?? 255 < 10)
    }

    @Test func refusesWhatIsNoLength() throws {
        let image = try SampleKind.rgb.image(4, 4)
        #expect(throws: ImagingError.self) { try RoundedCorners(radius: -1).apply(to: image) }
        #expect(throws: ImagingError.self) { try RoundedCorners(radius: .nan).apply(to: image) }
        let border = Border(color: .black, width: -2)
        #expect(throws: ImagingError.self) { try Circle(border: border).apply(to: image) }
    }
}

@Suite struct CircleTests {
    @Test(arguments: SampleKind.allCases)
    func isTheMiddleSquaresCircle(_ kind: SampleKind) throws {
        for (width, height) in [(1, 1), (40, 31), (17, 60)] {
            let image = try kind.image(width, height)
            let result = try Circle().apply(to: image)
            let side = min(width, height)
            #expect(result.size == PixelSize(width: side, height: side))
            guard !image.hasAlpha else { continue }
            let area = result.opacity.flatMap { $0 }.reduce(0, +)
            #expect(abs(area - .pi / 4 * Double(side * side)) < 0.05 * Double(side))
        }
    }

    @Test func showsTheMiddle() throws {
        let image = try Photographs.pattern(30, 10) { x, y in [UInt8(x), UInt8(y), 0, 255] }
        let border = Border(color: Color(red: 9, green: 9, blue: 9), width: 1)
        let result = try Circle(border: border).apply(to: image)
        #expect(try pixel(result, x: 5, y: 5) == [15, 5, 0, 255])
        #expect(try pixel(result, x: 0, y: 0)[3] == 0)
        #expect(try pixel(result, x: 5, y: 0)[0...2] == [9, 9, 9])
    }
}
