import CImageCodecs
import TestSupport
import Testing

/// Rows that are filtered with vectors have the bytes of those that are filtered plainly.
@Suite struct PNGFilterTests {
    private func filtered(_ rows: [[UInt8]], step: Int, plainly: Bool) -> [UInt8] {
        let count = rows[0].count
        var result = [UInt8](repeating: 0xAA, count: count + 1)
        let padded = rows.map { [UInt8](repeating: 0, count: step) + $0 }
        padded[0].withUnsafeBufferPointer { row in
            padded[1].withUnsafeBufferPointer { above in
                guard let row = row.baseAddress, let above = above.baseAddress else { return }
                nb_png_filter(row + step, above + step, count, step, plainly ? 1 : 0, &result)
            }
        }
        return result
    }

    @Test("every step, length and kind of row", arguments: [1, 2, 3, 4, 6, 8])
    func vectors(step: Int) {
        let seed = UInt64.random(in: .min ... .max)
        print("rows of \(step) bytes a pixel: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var chosen: Set<UInt8> = []
        for count in [1, 2, 7, 31, 32, 33, 63, 64, 65, 200, 1000] {
            let makers: [(Int) -> UInt8] = [
                { _ in .random(in: 0...255, using: &random) },
                { _ in .random(in: 0...3, using: &random) },
                { _ in Bool.random(using: &random) ? 255 : 0 },
                { UInt8(truncatingIfNeeded: 7 * ($0 / step)) },
                { UInt8(truncatingIfNeeded: $0 * $0 / 50) },
                { _ in 0 },
            ]
            for make in makers {
                for makeAbove in makers {
                    let above = (0..<count).map(makeAbove)
                    let rows = [(0..<count).map(make), (0..<count).map { above[$0] &+ make($0) / 8 }]
                    for pair in [rows, [rows[1], above], [above, above]] {
                        let plain = filtered(pair, step: step, plainly: true)
                        #expect(filtered(pair, step: step, plainly: false) == plain, "\(pair)")
                        chosen.insert(plain[0])
                    }
                }
            }
        }
        #expect(chosen == [0, 1, 2, 3, 4])
    }
}
