import Foundation
import Imaging
import Testing

@Suite struct BoxBlurTests {
    /// Three passes over a row whose ends go on for ever each time.
    private func reference(_ row: [Double], _ width: Int) -> [Double] {
        var row = row
        for _ in 0..<3 {
            let before = row
            for x in row.indices {
                let sum = (x - width / 2...x + width / 2).reduce(0) {
                    $0 + before[min(max($1, 0), row.count - 1)]
                }
                row[x] = sum / Double(width)
            }
        }
        return row
    }

    private func reference(_ rows: [[Double]], _ width: Int) -> [[Double]] {
        func transposed(_ rows: [[Double]]) -> [[Double]] { rows[0].indices.map { x in rows.map { $0[x] } } }
        return transposed(transposed(rows.map { reference($0, width) }).map { reference($0, width) })
    }

    @Test(arguments: [SampleKind.gray, .rgb, .gray16, .rgb16], [3, 15, 101])
    func averagesThreeTimes(_ kind: SampleKind, _ boxWidth: Int) throws {
        for (width, height) in [(1, 1), (7, 5), (37, 1), (45, 34)] {
            let image = try kind.image(width, height)
            let blurred = try BoxBlur(width: boxWidth).apply(to: image)
            #expect(blurred.size == image.size && blurred.colorModel == image.colorModel)
            #expect(blurred.bitDepth == image.bitDepth)
            for (before, after) in zip(image.planes, blurred.planes) {
                for (row, expected) in zip(after.rows, reference(before.rows, boxWidth)) {
                    for (value, mean) in zip(row, expected) {
                        #expect(abs(value - mean) <= (kind.isWide ? 2 : 0.6), "\(width)×\(height)")
                    }
                }
            }
        }
    }

    /// The impulse of three boxes of 5 ends after 3 × 2 pixels; a Gaussian's would not.
    @Test func spreadsNoFurtherThanItsBoxes() throws {
        let image = try Photographs.pattern(41, 1) { x, _ in x == 20 ? [255, 255, 255, 255] : [0, 0, 0, 255] }
        let row = try BoxBlur(width: 5).apply(to: image).colors[0].rows[0]
        #expect(row[13] == 0 && row[14] > 0 && row[26] > 0 && row[27] == 0)
        #expect(abs(row.reduce(0, +) - 255) < 6)
    }

    @Test func hiddenColoursDoNotBleed() throws {
        let image = try Photographs.pattern(20, 20) { x, _ in x < 10 ? [0, 255, 0, 0] : [255, 0, 0, 255] }
        let blurred = try BoxBlur(width: 7).apply(to: image)
        #expect(blurred.opacity[10][9] > 0.3 && blurred.opacity[10][9] < 0.7)
        #expect(blurred.colors[0].rows[10][9] >= 254)
        #expect(blurred.colors[1].rows[10][9] <= 1)
    }

    @Test func subsampledChromaIsBlurredAsFar() throws {
        let image = try SampleKind.ycbcr.image(40, 31)
        let blurred = try BoxBlur(width: 9).apply(to: image)
        #expect(blurred.size == image.size && blurred.colorModel == .rgb)
    }

    @Test func aWidthOfOneChangesNothing() throws {
        let image = try SampleKind.rgba.image(9, 4)
        #expect(try BoxBlur(width: 1).apply(to: image).rgba() == image.rgba())
    }

    @Test(arguments: [-1, 0, 2, 1 << 20, Int.max])
    func refusesOtherWidths(_ width: Int) {
        let error = #expect(throws: ImagingError.self) {
            try BoxBlur(width: width).outputSize(for: PixelSize(width: 1, height: 1))
        }
        #expect(error?.reason == .processing)
    }
}
