import CImageCodecs
import Testing

/// The direct resampler gives zimg's samples to the bit.
@Suite struct DirectResamplerTests {
    /// A resampling in both ways.
    private struct Trial {
        var what: nb_resampling
        var seed: UInt64

        private func resampler(byLibrary: Bool) throws -> OpaquePointer {
            var what = what
            what.by_library = byLibrary ? 1 : 0
            var error = nb_error()
            var made: OpaquePointer?
            #expect(nb_resampler_make(&what, &made, &error) == NB_OK)
            return try #require(made)
        }

        /// Rows of whole 64 bytes.
        private func plane(_ width: Int32, _ height: Int32) throws -> nb_plane {
            let stride = (Int(width * what.sample_bytes) + 63) / 64 * 64
            let memory = try #require(nb_allocate(stride * Int(height)))
            memory.initializeMemory(as: UInt8.self, repeating: 0, count: stride * Int(height))
            return nb_plane(
                data: memory.assumingMemoryBound(to: UInt8.self),
                stride: stride,
                width: width,
                height: height,
                sample_bytes: what.sample_bytes
            )
        }

        private func samples(_ resampler: OpaquePointer, _ source: nb_plane) throws -> [UInt8] {
            let result = try plane(what.width, what.height)
            defer { nb_free(result.data) }
            var error = nb_error()
            #expect(nb_resampler_run(resampler, [source], [result], &error) == NB_OK)
            return (0..<Int(what.height)).flatMap { y in
                UnsafeBufferPointer(
                    start: result.data + y * result.stride,
                    count: Int(what.width * what.sample_bytes)
                )
            }
        }

        /// Whether the direct resampler takes it; if so, requires what zimg gives.
        func isDirect() throws -> Bool {
            let (direct, library) = (try resampler(byLibrary: false), try resampler(byLibrary: true))
            defer {
                nb_resampler_free(direct)
                nb_resampler_free(library)
            }
            guard nb_resampler_is_direct(direct) != 0 else { return false }
            let source = try plane(what.source_width, what.source_height)
            defer { nb_free(source.data) }
            var random = seed
            for index in 0..<source.stride * Int(source.height) {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                // Noise, hard edges, where lobes exceed the range, and slopes.
                let byte = UInt8(truncatingIfNeeded: random >> 56)
                source.data[index] =
                    seed % 3 == 0 ? byte : seed % 3 == 1 ? (byte & 1) * 255 : UInt8(index / 3 % 256)
            }
            #expect(try samples(direct, source) == (try samples(library, source)), "\(what)")
            return true
        }
    }

    private static var isAvailable: Bool {
        var what = resampling((64, 64), (32, 32), NB_LANCZOS3, 1)
        var made: OpaquePointer?
        var error = nb_error()
        defer { nb_resampler_free(made) }
        return nb_resampler_make(&what, &made, &error) == NB_OK && nb_resampler_is_direct(made) != 0
    }

    private static func resampling(
        _ source: (Int32, Int32),
        _ result: (Int32, Int32),
        _ filter: nb_filter,
        _ sampleBytes: Int32
    ) -> nb_resampling {
        nb_resampling(
            source_width: source.0,
            source_height: source.1,
            width: result.0,
            height: result.1,
            x: 0,
            y: 0,
            region_width: Double(source.0),
            region_height: Double(source.1),
            filter: filter,
            sample_bytes: sampleBytes,
            by_library: 0
        )
    }

    private static let filters = [NB_LANCZOS3, NB_MITCHELL, NB_BICUBIC, NB_BILINEAR]
    /// Smaller and larger, one axis alone, either first, few and many weights, halves, whose weights repeat, and
    /// extremes.
    private static let sizes: [((Int32, Int32), (Int32, Int32))] = [
        ((640, 427), (256, 171)), ((100, 75), (99, 74)), ((101, 67), (33, 67)), ((101, 67), (101, 33)),
        ((33, 21), (150, 90)), ((33, 21), (150, 4)), ((40, 200), (90, 30)), ((200, 40), (31, 90)),
        ((256, 128), (128, 64)), ((130, 75), (17, 10)), ((1000, 3), (7, 3)), ((7, 9), (3, 2)),
        ((1, 1), (40, 30)),
        ((50, 40), (1, 1)), ((2, 500), (1, 3)), ((65, 31), (64, 33)),
    ]

    @Test(
        "sizes, filters and depths",
        .enabled(if: isAvailable),
        arguments: filters.map(\.rawValue),
        [1, 2] as [Int32]
    )
    func sizes(filter: UInt32, sampleBytes: Int32) throws {
        for (index, (source, result)) in Self.sizes.enumerated() {
            for seed in 0..<3 {
                let what = Self.resampling(source, result, nb_filter(filter), sampleBytes)
                #expect(try Trial(what: what, seed: UInt64(3 * index + seed)).isDirect())
            }
        }
    }

    private static let insets = [
        (0, 0, -0.5, -0.25), (0.3, 0.7, -0.9, -0.8), (-0.4, -1.7, 1, 2.5), (3.5, 2, -9, -5),
    ]

    @Test("regions that end within samples, and go past the edges", .enabled(if: isAvailable))
    func regions() throws {
        for (index, (source, result)) in Self.sizes.enumerated() where source.0 > 32 && source.1 > 16 {
            for (x, y, width, height) in Self.insets {
                for filter in Self.filters {
                    var what = Self.resampling(source, result, filter, 1 + Int32(index % 2))
                    (what.x, what.y) = (x, y)
                    what.region_width += width
                    what.region_height += height
                    #expect(try Trial(what: what, seed: UInt64(index)).isDirect())
                }
            }
        }
    }

    @Test("what zimg is left with") func others() throws {
        var same = Self.resampling((64, 48), (64, 48), NB_LANCZOS3, 1)
        #expect(try !Trial(what: same, seed: 1).isDirect())
        same.filter = NB_BOX
        #expect(try !Trial(what: same, seed: 1).isDirect())
        var odd = Self.resampling((64, 48), (32, 24), NB_LANCZOS3, 1)
        odd.x = 1e10
        odd.region_width = .infinity
        var made: OpaquePointer?
        var error = nb_error()
        #expect(nb_resampler_make(&odd, &made, &error) != NB_OK)
    }
}
