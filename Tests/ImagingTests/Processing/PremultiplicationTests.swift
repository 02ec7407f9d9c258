import CImageCodecs
import Testing

/// The kernels for 8 bits, written for vectors, against their definition.
@Suite struct PremultiplicationTests {
    /// A row of samples as a plane.
    private func withPlane<Sample: FixedWidthInteger>(
        _ samples: inout [Sample],
        _ body: (nb_plane) -> Void
    ) {
        let count = samples.count
        samples.withUnsafeMutableBytes { bytes in
            let plane = nb_plane(
                data: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                stride: bytes.count,
                width: Int32(count),
                height: 1,
                sample_bytes: Int32(MemoryLayout<Sample>.size)
            )
            body(plane)
        }
    }

    @Test("every colour times every alpha") func widens() {
        for alpha in UInt8.min...UInt8.max {
            var colors = [UInt8](0...255)
            var alphas = [UInt8](repeating: alpha, count: 256)
            var wide = [UInt16](repeating: 0, count: 256)
            withPlane(&colors) { from in
                withPlane(&alphas) { opacity in withPlane(&wide) { nb_widen([from], [opacity], 0, [$0]) } }
            }
            let opacity = Int(alpha) * 257
            let expected = (0...255).map { (color: Int) -> UInt16 in
                UInt16((color * 257 * opacity + 32_767) / 65_535)
            }
            #expect(wide == expected)
        }
    }

    @Test("colours by alphas, and beyond them") func narrows() {
        let alphas =
            Array(0...600) + Array(stride(from: 601, through: 65_000, by: 997)) + Array(65_000...65_535)
        for alpha in alphas {
            var colors = stride(from: 0, through: 65_535, by: 61).map { UInt16($0) } + [65_535]
            colors += (max(0, alpha - 40)...min(65_535, alpha + 3)).map { UInt16($0) }
            var opacities = [UInt16](repeating: UInt16(alpha), count: colors.count)
            var narrow = [UInt8](repeating: 1, count: colors.count)
            let expected = colors.map { color -> UInt8 in
                guard alpha > 0 else { return 0 }
                return UInt8((min(65_535, (Int(color) * 65_535 + alpha / 2) / alpha) + 128) / 257)
            }
            withPlane(&colors) { from in
                withPlane(&opacities) { opacity in
                    withPlane(&narrow) { nb_narrow([from], [opacity], 0, [$0]) }
                }
            }
            #expect(narrow == expected, "alpha \(alpha)")
        }
    }

    @Test("every depth's sample without alpha") func plain() {
        var words = [UInt16](0...65_535)
        var bytes = [UInt8](repeating: 0, count: words.count)
        withPlane(&words) { from in withPlane(&bytes) { nb_narrow([from], nil, 0, [$0]) } }
        let expected = (0...65_535).map { (word: Int) -> UInt8 in UInt8((word + 128) / 257) }
        #expect(bytes == expected)
        var back = [UInt16](repeating: 0, count: bytes.count)
        withPlane(&bytes) { from in withPlane(&back) { nb_widen([from], nil, 0, [$0]) } }
        let widened = bytes.map { (byte: UInt8) -> UInt16 in UInt16(byte) * 257 }
        #expect(back == widened)
    }
}
