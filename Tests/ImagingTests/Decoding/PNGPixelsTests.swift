import Foundation
import TestSupport
import Testing

/// The direct decoder of a PNG's pixels against libpng, to the bit.
@Suite struct PNGPixelsTests {
    @Test(
        "every colour type and depth, with all filters, keys, factors and sizes of IDAT, is what libpng makes of it",
        arguments: PNGShape.kinds.indices
    )
    func equalsLibpng(kind: Int) {
        let (colorType, depth) = PNGShape.kinds[kind]
        var random = SeededGenerator(seed: UInt64(kind))
        for _ in 0..<60 {
            var shape = PNGShape(
                colorType: colorType,
                depth: depth,
                width: .random(in: 1...67, using: &random),
                height: .random(in: 1...40, using: &random)
            )
            if colorType == 3 {
                // Sometimes with fewer colours than indices.
                let colors = Int.random(in: 1...(1 << depth), using: &random)
                shape.chunks.append(("PLTE", bytes(3 * colors, below: 256, &random)))
                if Bool.random(using: &random) {
                    shape.chunks.append(("tRNS", bytes(colors, below: 256, &random)))
                }
            } else if colorType & 4 == 0, Bool.random(using: &random) {
                shape.chunks.append(("tRNS", bytes(2 * shape.samples, below: 3, &random)))
            }
            shape.split = [Int.max, 1, 13, 1000].randomElement(using: &random)!
            // Few values, so that keys match, and all, so that arithmetic overflows.
            let below = [3, 256].randomElement(using: &random)!
            let raw = (0..<shape.height).flatMap { _ in
                bytes(1, below: 5, &random) + bytes(shape.rowBytes, below: below, &random)
            }
            let level = Int.random(in: 0...9, using: &random)
            let file = shape.file(
                PNGShape.deflated(raw, level: level, strategy: .random(in: 0...4, using: &random))
            )
            let factor = Int.random(in: 1...5, using: &random)
            for sampleBytes in 1...2 {
                let direct = pixels(file, shape, sampleBytes, factor, by: .direct)
                guard case .samples = direct else {
                    Issue.record("\(shape) is left to libpng")
                    continue
                }
                let expected = pixels(file, shape, sampleBytes, factor, by: .libpng)
                #expect(direct == expected, "\(shape), 1/\(factor)")
            }
        }
    }

    @Test("every choice of Paeth's is libpng's", arguments: [1, 3, 4])
    func choosesAsPaeth(samples: Int) {
        // For each value above and to the left of it, rows in which every value is to the left of some pixel.
        let colorType = [1: 0, 3: 2, 4: 6][samples]!
        var random = SeededGenerator(seed: 7)
        let shape = PNGShape(colorType: colorType, depth: 8, width: 2000, height: 500)
        let raw = (0..<shape.height).flatMap { row -> [UInt8] in
            [row % 2 == 0 ? 0 : 4] + bytes(shape.rowBytes, below: 256, &random)
        }
        let file = shape.file(PNGShape.deflated(raw, level: 1))
        #expect(pixels(file, shape, 1, 1, by: .direct) == pixels(file, shape, 1, 1, by: .libpng))
    }

    @Test("all values of 16 bits are rounded to 8 as libpng rounds them")
    func roundsAsLibpng() {
        let shape = PNGShape(colorType: 0, depth: 16, width: 65_536, height: 1)
        let raw = (0..<65_536).reduce(into: [UInt8(0)]) { $0 += [UInt8($1 >> 8), UInt8($1 & 255)] }
        let file = shape.file(PNGShape.deflated(raw, level: 6))
        #expect(pixels(file, shape, 1, 1, by: .direct) == pixels(file, shape, 1, 1, by: .libpng))
    }

    @Test("what is odd is left to libpng")
    func leavesWhatIsOdd() {
        var shape = PNGShape(colorType: 0, depth: 8, width: 3, height: 2)
        let raw: [UInt8] = [0, 1, 2, 3, 0, 4, 5, 6]
        let stream = PNGShape.deflated(raw, level: 6)
        let file = shape.file(stream)
        #expect(pixels(file, shape, 1, 1, by: .direct) == .samples([1, 2, 3, 4, 5, 6]))
        var odd: [String: Data] = [
            "a row too few": shape.file(PNGShape.deflated(Array(raw.prefix(4)), level: 6)),
            "a byte too many": shape.file(PNGShape.deflated(raw + [0], level: 6)),
            "an unknown filter": shape.file(PNGShape.deflated([5] + raw.dropFirst(), level: 6)),
            "bytes behind the stream": shape.file(stream + [0]),
            "a wrong Adler-32": shape.file(stream.dropLast() + [stream.last! ^ 1]),
            "no checksum of the stream": shape.file(stream.dropLast(4)),
            "no IEND": file.dropLast(12),
            "another chunk at the end": file.dropLast(12) + file.suffix(12).map { $0 == 0x49 ? 0x4A : $0 },
            "a wrong checksum": file.dropLast(13) + [file[file.count - 13] ^ 1] + file.suffix(12),
            // A fixed block: a literal, then a match of the reserved length code 286.
            "a reserved code": shape.file(PNGShape.stream(of: [0x63, 0x60, 0x1C, 0x03], window: 7)),
        ]
        shape.isInterlaced = true
        odd["interlacing"] = shape.file(stream)
        for (reason, file) in odd {
            #expect(pixels(file, shape, 1, 1, by: .direct) == .left, "\(reason)")
        }
    }

    private func pixels(
        _ file: Data,
        _ shape: PNGShape,
        _ sampleBytes: Int,
        _ factor: Int,
        by decoder: PNGPixels.Decoder
    ) -> PNGPixels {
        PNGPixels(
            of: file,
            width: shape.width,
            height: shape.height,
            planes: shape.planes,
            sampleBytes: sampleBytes,
            factor: factor,
            by: decoder
        )
    }

    private func bytes(_ count: Int, below limit: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8(Int.random(in: 0..<limit, using: &random)) }
    }
}
