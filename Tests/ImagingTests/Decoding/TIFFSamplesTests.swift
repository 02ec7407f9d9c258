#if TIFF
import Foundation
import Imaging
import Testing

/// Sample formats and encodings of TIFF from instruments, scanners and archives rather than cameras.
@Suite struct TIFFSamplesTests {
    private func pixels(_ file: CraftedTIFF) throws -> [[Int]] {
        let rgba = [UInt8](try ImageDecoder.decode(file.data).rgba())
        return stride(from: 0, to: rgba.count, by: 4).map { rgba[$0..<$0 + 4].map(Int.init) }
    }

    private func grays(_ file: CraftedTIFF) throws -> [Int] { try pixels(file).map { $0[0] } }

    private func file(_ values: [Int], bits: Int, format: Int, samples: Int = 1, photometric: Int = 1)
        -> CraftedTIFF
    {
        var file = CraftedTIFF(
            values.count / samples,
            1,
            bits: bits,
            samples: samples,
            photometric: photometric,
            pixels: []
        )
        file.isBigEndian = true
        file.strips = [values.flatMap { file.number($0, bits / 8) }]
        file.tags[339] = [Int](repeating: format, count: samples)
        return file
    }

    private func reason(_ file: CraftedTIFF) -> ImagingError.Reason? {
        do throws(ImagingError) {
            _ = try ImageDecoder.decode(file.data)
            return nil
        } catch { return error.reason }
    }

    // MARK: Samples

    @Test func reads32Bits() throws {
        let gray = file([0, 0x8000_0000, 0xFFFF_FFFF, 0x1414_1414], bits: 32, format: 1)
        #expect(try grays(gray) == [0, 128, 255, 20])
        #expect(try ImageHeader.read(gray.data).bitDepth == 16)
        let inverted = file([0, 0xFFFF_FFFF], bits: 32, format: 1, photometric: 0)
        #expect(try grays(inverted) == [255, 0])
    }

    @Test("signed samples are the same numbers, and black below black", arguments: [8, 16, 32])
    func readsSigned(_ bits: Int) throws {
        let half = 1 << (bits - 1)
        // A fourth of the numbers without a sign, the most of those with one, -1, the least.
        let gray = file([half / 2, half - 1, 2 * half - 1, half, 0], bits: bits, format: 2)
        #expect(try grays(gray) == [64, 127, 0, 0, 0])
        #expect(reason(file([0], bits: bits, format: 2, photometric: 0)) == .unsupported)
    }

    @Test("floating point is linear light, where it is RGB")
    func readsFloats() throws {
        let values: [Float] = [0, 1, 0.5, -1, 7, .nan, 0.0031308, .infinity, -.infinity]
        let expected = [[0, 255, 188, 255], [0, 255, 0, 255], [10, 255, 0, 255]]
        let singles = file(values.map { Int($0.bitPattern) }, bits: 32, format: 3, samples: 3, photometric: 2)
        let halves = file(
            [0, 0x3C00, 0x3800, 0xBC00, 0x4700, 0x7E00, 0x1A69, 0x7C00, 0xFC00],
            bits: 16,
            format: 3,
            samples: 3,
            photometric: 2
        )
        for crafted in [singles, halves] { #expect(try pixels(crafted) == expected) }
        var described = singles
        described.profile = matrixProfile(
            red: [0.4361, 0.2225, 0.0139],
            green: [0.3851, 0.7169, 0.0971],
            blue: [0.1431, 0.0606, 0.7141],
            gamma: 1
        )
        for (found, right) in zip(try pixels(described).joined(), expected.joined()) {
            #expect(abs(found - right) <= 2)
        }
        #expect(reason(file([0], bits: 32, format: 3)) == .unsupported)
        #expect(reason(file([0], bits: 16, format: 3)) == .unsupported)
    }

    @Test("light that alpha has multiplied is divided before it becomes sRGB", arguments: [32, 16])
    func readsAssociatedFloats(_ bits: Int) throws {
        let (color, alphas): ([Float], [Float]) = ([0.5, 0.25, 0.0625], [1, 0.5, 0.125, 0])
        func found(_ kind: Int, _ pixels: [[Float]]) throws -> [[Int]] {
            let values = pixels.joined().map {
                bits == 32 ? Int($0.bitPattern) : Int(Float16($0).bitPattern)
            }
            var crafted = file(values, bits: bits, format: 3, samples: 4, photometric: 2)
            crafted.tags[338] = [kind]
            return try self.pixels(crafted)
        }
        let straight = try found(2, alphas.map { color + [$0] })
        #expect(straight == [255, 128, 32, 0].map { [188, 137, 71, $0] })
        let associated = try found(1, alphas.map { alpha in color.map { $0 * alpha } + [alpha] })
        #expect(associated == Array(straight.dropLast()) + [[0, 0, 0, 0]])
        // More light than white's share is white.
        #expect(try found(1, [[0.5, 0.75, 0.125, 0.5]]) == [[255, 255, 137, 128]])
    }

    @Test("dark colours of 16 bits in linear light keep their steps in 8 bits")
    func keepsDarkSteps() throws {
        let values = (0..<96).map { 37 * $0 }
        var crafted = file(values, bits: 16, format: 1, samples: 3, photometric: 2)
        crafted.profile = matrixProfile(
            red: [0.4361, 0.2225, 0.0139],
            green: [0.3851, 0.7169, 0.0971],
            blue: [0.1431, 0.0606, 0.7141],
            gamma: 1
        )
        for (found, value) in zip(try pixels(crafted).flatMap { $0.prefix(3) }, values) {
            let light = Double(value) / 65_535
            let right = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
            #expect(abs(Double(found) - 255 * right) <= 2, "\(value)")
        }
    }

    @Test func refusesWhatHasNoMeaning() {
        #expect(reason(file([0], bits: 64, format: 1)) == .unsupported)
        #expect(reason(file([0, 0, 0], bits: 64, format: 3, samples: 3, photometric: 2)) == .unsupported)
        #expect(reason(file([0], bits: 32, format: 5)) == .unsupported)
        #expect(reason(file([0], bits: 24, format: 1)) == .unsupported)
        #expect(reason(file([0, 0, 0], bits: 32, format: 1, samples: 3, photometric: 8)) == .unsupported)
        #expect(reason(CraftedTIFF(1, 1, samples: 3, photometric: 10, pixels: [0, 0, 0])) == .unsupported)
    }

    @Test("a fourth sample of which nothing is said is alpha")
    func takesAFourthSampleForAlpha() throws {
        let file = CraftedTIFF(1, 1, samples: 4, photometric: 2, pixels: [50, 100, 0, 128])
        #expect(try ImageHeader.read(file.data).hasAlpha)
        #expect(try pixels(file) == [[50, 100, 0, 128]])
        #expect(
            try !ImageHeader.read(
                CraftedTIFF(1, 1, samples: 5, photometric: 2, pixels: [1, 2, 3, 4, 5]).data
            )
            .hasAlpha
        )
    }

    // MARK: CIELAB

    /// CIELAB of D50 to sRGB, by the formulas (CIE 15; Bradford's adaptation; IEC 61966-2-1).
    private func rgb(_ lab: [Double]) -> [Double] {
        let y = (lab[0] + 16) / 116
        func light(_ f: Double) -> Double { f > 6.0 / 29 ? f * f * f : 3 * 36 / 841 * (f - 4.0 / 29) }
        let xyz = [0.9642 * light(y + lab[1] / 500), light(y), 0.8249 * light(y - lab[2] / 200)]
        let rows = [[3.1339, -1.6169, -0.4906], [-0.9788, 1.9161, 0.0335], [0.0719, -0.2290, 1.4052]]
        return rows.map { row in
            let linear = min(max(zip(row, xyz).map { $0.0 * $0.1 }.reduce(0, +), 0), 1)
            return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055)
        }
    }

    @Test(arguments: [8, 9], [8, 16])
    func readsLab(_ photometric: Int, _ bits: Int) throws {
        let colors: [[Double]] = [
            [0, 0, 0], [100, 0, 0], [53, 0, 0], [60, 40, -30], [40, -30, 25], [75, 10, 60], [30, 20, 20],
        ]
        let most = Double(1 << bits), step = most / 256
        let isSigned = photometric == 8
        let values = colors.flatMap { color -> [Int] in
            let white = isSigned ? most - 1 : bits == 8 ? 255 : 65_280
            let ab = color.dropFirst().map { Int(($0 + (isSigned ? 0 : 128)) * step) & (Int(most) - 1) }
            return [Int((color[0] / 100 * white).rounded())] + ab
        }
        var crafted = file(values, bits: bits, format: 1, samples: 3, photometric: photometric)
        #expect(try ImageHeader.read(crafted.data).colorModel == .rgb)
        for isSignedByTag in [false, true] {
            crafted.tags[339] = isSignedByTag ? [2, 2, 2] : nil
            for (found, color) in zip(try pixels(crafted), colors) {
                for (one, other) in zip(found, rgb(color)) {
                    #expect(abs(Double(one) - other) <= 1.5, "\(color)")
                }
            }
        }
        // A fourth sample with alpha, and 16 bits of the result.
        let transparent = (0..<colors.count).flatMap {
            Array(values[3 * $0..<3 * $0 + 3]) + [Int(step * 128)]
        }
        var four = file(transparent, bits: bits, format: 1, samples: 4, photometric: photometric)
        four.tags[338] = [2]
        let plain = try pixels(crafted)
        for (found, right) in zip(try pixels(four), plain) {
            #expect(zip(found, right.prefix(3) + [128]).allSatisfy { abs($0 - $1) <= 1 })
        }
        four.tags[338] = [1]
        #expect(reason(four) == .unsupported)
        #expect(try ImageDecoder.decode(crafted.data, bitDepth: 16).bitDepth == bits)
    }
}
#endif
