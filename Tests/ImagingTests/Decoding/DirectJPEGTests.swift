import CImageCodecs
import CMadeJPEG
import Foundation
import Imaging
import TestSupport
import Testing

/// The direct decoder gives libjpeg's planes to the bit, or leaves the file to it.
@Suite(.enabled(if: MadeJPEG.isDirect, "this processor has no direct decoder"))
final class DirectJPEGTests {
    private static let scales: [Int32] = [1, 2, 4, 8]
    private static let samplings: [([Int32], [Int32])] = [
        ([1, 1, 1], [1, 1, 1]), ([2, 1, 1], [1, 1, 1]), ([1, 1, 1], [2, 1, 1]), ([2, 1, 1], [2, 1, 1]),
        ([4, 1, 1], [1, 1, 1]), ([1, 1, 1], [4, 1, 1]), ([4, 1, 1], [2, 1, 1]), ([2, 2, 1], [2, 1, 1]),
        ([2, 1, 1], [2, 2, 1]), ([2, 2, 1], [2, 2, 1]),
    ]
    private static let layouts = [
        MADE_ONE_SCAN, MADE_SCAN_EACH, MADE_USUAL_PROGRESSION, MADE_SPECTRAL_SCANS, MADE_MANY_REFINEMENTS,
    ]

    private let context = nb_jpeg_context_make()

    deinit { nb_jpeg_context_free(context) }

    private func layout(
        _ scans: made_scans,
        _ sampling: ([Int32], [Int32]) = ([2, 1, 1], [2, 1, 1]),
        _ size: (Int32, Int32) = (130, 75),
        quality: Int32 = 85
    ) -> made_jpeg {
        var made = made_jpeg()
        (made.width, made.height, made.components) = (size.0, size.1, 3)
        made.horizontal = (sampling.0[0], sampling.0[1], sampling.0[2])
        made.vertical = (sampling.1[0], sampling.1[1], sampling.1[2])
        (made.quality, made.scans, made.seed) = (quality, scans, 5)
        return made
    }

    /// Requires that the direct decoder takes the file at every scale, as libjpeg does.
    private func expectSame(_ made: made_jpeg, _ comment: Comment) throws {
        let file = try #require(MadeJPEG(made, context: context), comment)
        for scale in Self.scales {
            let plan = try #require(file.plan(scale))
            let direct = try #require(file.directly(plan), "left to libjpeg: \(comment)")
            #expect(file.byLibjpeg(plan) == direct, "at \(scale)/8: \(comment)")
        }
    }

    @Test("files of every sampling, layout of scans and size", arguments: samplings, layouts.map(\.rawValue))
    func everyLayout(sampling: ([Int32], [Int32]), scans: UInt32) throws {
        for size in [(1, 1), (7, 9), (16, 16), (33, 17), (130, 75)] as [(Int32, Int32)] {
            try expectSame(layout(made_scans(scans), sampling, size), "\(size)")
        }
    }

    @Test("gray files, whose factors say nothing of the order of blocks", arguments: layouts.map(\.rawValue))
    func gray(scans: UInt32) throws {
        for factor in [1, 2, 4] as [Int32] {
            var made = layout(made_scans(scans), ([factor, 1, 1], [factor, 1, 1]), (99, 41))
            made.components = 1
            try expectSame(made, "factors \(factor)")
        }
    }

    @Test("restarts after any number of MCUs", arguments: layouts.map(\.rawValue))
    func restarts(scans: UInt32) throws {
        for interval in [1, 3, 8, 9, 64] as [Int32] {
            var made = layout(made_scans(scans))
            made.restart_interval = interval
            try expectSame(made, "every \(interval)")
        }
    }

    @Test(
        "every quality, and tables made for the file",
        arguments: [MADE_ONE_SCAN, MADE_USUAL_PROGRESSION].map(\.rawValue)
    )
    func qualities(scans: UInt32) throws {
        for quality in stride(from: 1, through: 100, by: 9) as StrideThrough<Int32> {
            for optimize in 0...1 as ClosedRange<Int32> {
                var made = layout(made_scans(scans), quality: quality)
                (made.optimize, made.is_rgb) = (optimize, 1 - optimize)
                if made.is_rgb != 0 { (made.horizontal, made.vertical) = ((1, 1, 1), (1, 1, 1)) }
                try expectSame(made, "quality \(quality), optimized \(optimize)")
            }
        }
    }

    @Test("more tables than a context keeps, again and again")
    func manyTables() throws {
        for round in 0..<6 as Range<Int32> {
            for size in [(40, 30), (400, 300)] as [(Int32, Int32)] {
                var made = layout(MADE_ONE_SCAN, ([2, 1, 1], [2, 1, 1]), size, quality: 40 + round * 9)
                made.optimize = round & 1
                try expectSame(made, "round \(round)")
            }
        }
    }

    @Test("photographs")
    func photographs() throws {
        for name in ["rocket.jpg", "hubble_deep_field.jpg"] {
            let file = MadeJPEG(try Photographs.data(name), context: context)
            for scale in Self.scales {
                let plan = try #require(file.plan(scale))
                let direct = try #require(file.directly(plan), "\(name) at \(scale)/8")
                #expect(file.byLibjpeg(plan) == direct, "\(name) at \(scale)/8")
            }
        }
    }

    @Test("what is cut short is left to libjpeg, as are more scans than allowed")
    func left() throws {
        for scans in Self.layouts {
            let whole = try #require(MadeJPEG(layout(scans), context: context))
            let plan = try #require(whole.plan(8))
            for count in stride(from: whole.data.count - 1, to: 700, by: -97) {
                #expect(MadeJPEG(whole.data.prefix(count), context: context).directly(plan) == nil)
            }
        }
        let progressive = try #require(MadeJPEG(layout(MADE_USUAL_PROGRESSION), context: context))
        let plan = try #require(progressive.plan(4))
        #expect(progressive.directly(plan, scans: 10) != nil && progressive.directly(plan, scans: 9) == nil)
    }

    /// A file with a fill byte before each two bytes that are `wanted`, in and after its first scan.
    private func filled(_ file: MadeJPEG, before wanted: (UInt8, UInt8) -> Bool) throws -> MadeJPEG {
        var (bytes, filled) = (Array(file.data), 0)
        let scan = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
        for at in (scan + 2..<bytes.count - 1).reversed() where wanted(bytes[at], bytes[at + 1]) {
            bytes.insert(0xFF, at: at)
            filled += 1
        }
        #expect(filled > 3)
        return MadeJPEG(Data(bytes), context: context)
    }

    @Test("fill bytes before a marker are passed over, before a stuffed byte they are left to libjpeg")
    func fillBytes() throws {
        for scans in Self.layouts {
            var made = layout(scans, quality: 97)
            made.restart_interval = 7
            let file = try #require(MadeJPEG(made, context: context))
            let stuffed = try filled(file) { $0 == 0xFF && $1 == 0 }
            let marked = try filled(file) { $0 == 0xFF && (0xD0...0xD7).contains($1) }
            for scale in Self.scales {
                let plan = try #require(file.plan(scale))
                #expect(stuffed.directly(plan) == nil && stuffed.byLibjpeg(plan) != nil, "at \(scale)/8")
                let direct = try #require(marked.directly(plan), "at \(scale)/8")
                #expect(marked.byLibjpeg(plan) == direct && file.directly(plan) == direct, "at \(scale)/8")
            }
        }
    }

    @Test("a plan of another file is not decoded into")
    func otherPlan() throws {
        let small = layout(MADE_ONE_SCAN, ([2, 1, 1], [2, 1, 1]), (40, 40))
        let other = try #require(MadeJPEG(small, context: context))
        let plan = try #require(other.plan(8))
        let large = try #require(MadeJPEG(layout(MADE_ONE_SCAN), context: context))
        #expect(large.directly(plan) == nil)
    }

    @Test("mutants give the same planes, or are left to libjpeg", arguments: layouts.map(\.rawValue))
    func mutants(scans: UInt32) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("mutants of layout \(scans): seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let whole = try #require(MadeJPEG(layout(made_scans(scans)), context: context)).data
        var taken = 0
        for round in 0..<500 {
            var bytes = whole
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                let at = Int.random(in: 200..<bytes.count, using: &generator)
                bytes[at] = UInt8.random(in: 0...255, using: &generator)
            }
            let mutant = MadeJPEG(bytes, context: context)
            guard let plan = mutant.plan(Self.scales[round % 4]), plan.planar != 0, plan.width <= 130,
                let direct = mutant.directly(plan)
            else { continue }
            taken += 1
            #expect(mutant.byLibjpeg(plan) == direct, "round \(round), seed \(seed)")
        }
        #expect(taken > 20)
    }

    @Test("a damaged file of several scans needs more memory than is told for a sound one, and says so")
    func damagedMemory() throws {
        let options = JPEGOptions(quality: 90, progressive: true)
        let large = try ImageEncoder.encode(try Photographs.gradient(1600, 1000), as: .jpeg(options))
        let (small, header) = (PixelSize(width: 200, height: 100), try ImageHeader.read(large))
        let (sound, most) = (header.decodeCost(covering: small), header.largestDecodeCost(covering: small))
        #expect(sound < most)
        var limits = ImageLimits()
        limits.maxMemory = sound
        #expect(try ImageDecoder.decode(large, covering: small, limits: limits).size.width >= 200)

        let damaged = large.prefix(large.count - 10)
        let refused = #expect(throws: ImagingError.self) {
            try ImageDecoder.decode(damaged, covering: small, limits: limits)
        }
        #expect(refused?.reason == .limits && refused?.message.contains("maxMemory") == true)
        limits.maxMemory = most
        let error = #expect(throws: ImagingError.self) {
            try ImageDecoder.decode(damaged, covering: small, limits: limits)
        }
        #expect(error?.reason == .truncated)
    }
}
