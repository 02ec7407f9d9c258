import Foundation
import Imaging
import TestSupport
import Testing

/// Pictures in PQ and HLG, tone mapped or refused.
@Suite struct HDRSignalTests {
    private static let curves: [UInt8] = [16, 18]

    /// Greys, pure and saturated colours, and any, as samples of the depth.
    private static func samples(_ depth: Int) -> [[Int]] {
        let most = depth == 16 ? 65_535 : 255
        let grey = (0...64).map { [Int](repeating: $0 * most / 64, count: 3) }
        let pure = (1...16).flatMap { step in
            (0..<3).map { channel in (0..<3).map { $0 == channel ? step * most / 16 : 0 } }
        }
        let pastel = (1...16).map { [most * 3 / 4, most * $0 / 16, most / 3] }
        // Numbers that look like any others, the same each time.
        let any = (1...100).map { number in
            [7919, 104_729, 1_299_709].map { number * $0 % (most + 1) }
        }
        return grey + pure + pastel + any
    }

    private static func file(_ samples: [[Int]], _ depth: Int, _ codes: [UInt8]) -> Data {
        let bytes = samples.flatMap { $0 }.flatMap {
            depth == 16 ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0)]
        }
        let type = [1: 0, 2: 4, 3: 2, 4: 6][samples[0].count] ?? 2
        return CraftedPNG(
            width: samples.count,
            height: 1,
            depth: depth,
            colorType: type,
            extra: [("cICP", codes)],
            raw: [0] + bytes
        ).data
    }

    /// The samples of each pixel of an image of one row.
    private static func pixels(_ image: Image) -> [[Int]] {
        (0..<image.size.width).map { x in
            image.planes.map { plane in
                plane.withUnsafeBytes {
                    image.bitDepth == 16
                        ? Int($0.load(fromByteOffset: 2 * x, as: UInt16.self)) : Int($0[x])
                }
            }
        }
    }

    private static func expected(_ model: HDRModel, _ samples: [[Int]], from most: Int, to shown: Int)
        -> [[Double]]
    {
        samples.map { sample in
            model.shown(sample.map { Double($0) / Double(most) }).map { $0 * Double(shown) }
        }
    }

    /// The greatest difference of a sample.
    private static func difference(_ found: [[Int]], _ expected: [[Double]]) -> Double {
        zip(found, expected).flatMap { pair in
            zip(pair.0, pair.1).map { abs(Double($0) - $1) }
        }.max() ?? 0
    }

    @Test("the model has the standards' own values")
    func modelIsRight() {
        // BT.2408, table 1: reference white is 58 % of PQ and 75 % of HLG; a grey card (18 %), 26 cd/m², is 38 %.
        #expect(abs(HDRModel.light(pq: 0.58) - 203) < 3)
        #expect(abs(HDRModel.signal(pq: 26) - 0.38) < 0.005)
        #expect(abs(HDRModel.light(pq: HDRModel.signal(pq: 812)) - 812) < 1e-6)
        let hlg = HDRModel(isPQ: false)
        #expect(abs(hlg.light(of: [0.75, 0.75, 0.75])[1] - 203) < 1)
        #expect(abs(hlg.light(of: [1, 1, 1])[1] - 1000) < 1)
        let model = HDRModel()
        #expect(model.toneMapped(50) == 50 && model.toneMapped(150) < 150)
        #expect(abs(model.toneMapped(999.999) - 203) < 0.01)
        #expect(model.shown([1, 1, 1]).allSatisfy { abs($0 - 1) < 1e-3 })
    }

    @Test("PNG of 8 and 16 bits is as the model says", arguments: curves, [8, 16])
    func mapsPNG(_ curve: UInt8, _ depth: Int) throws {
        let samples = Self.samples(depth)
        let most = depth == 16 ? 65_535 : 255
        for primaries in [9, 12] {
            let file = Self.file(samples, depth, [UInt8(primaries), curve, 0, 1])
            let model = HDRModel(isPQ: curve == 16, primaries: primaries)
            for shown in Set([8, depth]) {
                let image = try ImageDecoder.decode(file, bitDepth: shown, hdr: .tonemap)
                #expect(image.bitDepth == shown && image.warnings == [.toneMapped])
                let found = Self.pixels(image)
                let range = shown == 16 ? 65_535 : 255
                func worst(_ model: HDRModel) -> Double {
                    Self.difference(found, Self.expected(model, samples, from: most, to: range))
                }
                // Half a step of rounding, and of 16 bits two more: the documents' matrices have six places.
                let tolerance = shown == 16 ? 4.0 : 0.55
                #expect(worst(model) <= tolerance, "\(primaries), \(shown) bits: \(worst(model))")
                // Controls: each part of the model is of account.
                let far = 20 * tolerance
                var other = model
                other.isToneMapping = false
                #expect(worst(other) > far)
                other = model
                other.primaries = 21 - primaries
                #expect(worst(other) > far)
                other = model
                other.white = 100
                #expect(worst(other) > far)
                other = model
                other.isPQ.toggle()
                #expect(worst(other) > far)
                guard curve == 18 else { continue }
                other = model
                other.systemGamma = 1
                #expect(worst(other) > far)
            }
        }
    }

    @Test("greys stay grey, darker ones darker; white is white, and what is brighter", arguments: curves)
    func keepsGreys(_ curve: UInt8) throws {
        let samples = (0...1023).map { [Int](repeating: $0 * 64, count: 3) } + [[65_535, 65_535, 65_535]]
        let file = Self.file(samples, 16, [9, curve, 0, 1])
        let found = Self.pixels(try ImageDecoder.decode(file, bitDepth: 16, hdr: .tonemap))
        for (index, pixel) in found.enumerated() {
            #expect(pixel.allSatisfy { abs($0 - pixel[0]) <= 1 }, "\(pixel)")
            if index > 0 { #expect(pixel[0] + 1 >= found[index - 1][0]) }
        }
        #expect(found[0] == [0, 0, 0] && found.last == [65_535, 65_535, 65_535])
        #expect(Set(found.map { $0[0] }).count > 600, "dark greys are told apart")
    }

    @Test("one plane of grey is three, and alpha stays", arguments: curves, [8, 16])
    func mapsGrayAndAlpha(_ curve: UInt8, _ depth: Int) throws {
        let most = depth == 16 ? 65_535 : 255
        func shown(_ samples: [[Int]]) throws -> [[Int]] {
            let file = Self.file(samples, depth, [9, curve, 0, 1])
            return Self.pixels(try ImageDecoder.decode(file, bitDepth: depth, hdr: .tonemap))
        }
        let values = (0...50).map { $0 * most / 50 }
        let color = try shown(values.map { [$0, $0, $0] })
        let gray = try shown(values.map { [$0] })
        let both = try shown(values.map { [$0, most - $0] })
        let all = try shown(values.map { [$0, $0, $0, most - $0] })
        for (index, value) in values.enumerated() {
            #expect(abs(gray[index][0] - color[index][2]) <= 1)
            #expect(both[index] == [gray[index][0], most - value])
            #expect(all[index] == color[index] + [most - value])
        }
    }

    @Test("a deep file is mapped before it becomes one of 8 bits")
    func mapsBeforeItRounds() throws {
        // Where PQ tells less apart than sRGB: 10 to 95 cd/m².
        let samples = (0...255).map { [Int](repeating: 19_660 + $0 * 52, count: 3) }
        let file = Self.file(samples, 16, [9, 16, 0, 1])
        let found = Set(Self.pixels(try ImageDecoder.decode(file, hdr: .tonemap)).map { $0[0] })
        let rounded = Self.file(samples.map { $0.map { $0 / 257 } }, 8, [9, 16, 0, 1])
        let control = Set(Self.pixels(try ImageDecoder.decode(rounded, hdr: .tonemap)).map { $0[0] })
        #expect(found.count > 2 * control.count - 9, "\(found.count) and \(control.count) greys")
    }

    @Test("a narrow range is widened first")
    func widensNarrowRange() throws {
        let file = Self.file([[235, 235, 235], [16, 16, 16]], 8, [9, 16, 0, 0])
        #expect(
            Self.pixels(try ImageDecoder.decode(file, hdr: .tonemap)) == [[255, 255, 255], [0, 0, 0]]
        )
    }

    @Test(
        "without tone mapping, the error tells how to get it; headers are read all the same",
        arguments: curves
    )
    func refuses(_ curve: UInt8) throws {
        let file = Self.file([[9, 9, 9]], 8, [9, curve, 0, 1])
        #expect(try ImageHeader.read(file).isHDR)
        for hdr in [HDRHandling.drop, .keep] {
            let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(file, hdr: hdr) }
            #expect(error?.reason == .unsupported)
            #expect(error?.message.contains("Set \"hdr\": \"tonemap\"") == true)
        }
    }

    @Test(
        "other curves, and primaries around another white, are refused even so",
        arguments: [[9, 9], [9, 10], [9, 17], [11, 16], [8, 18]] as [[UInt8]]
    )
    func refusesOthers(_ codes: [UInt8]) throws {
        let file = Self.file([[9, 9, 9]], 8, codes + [0, 1])
        #expect(try ImageHeader.read(file).isHDR)
        for hdr in HDRHandling.allCases {
            let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(file, hdr: hdr) }
            #expect(error?.reason == .unsupported && error?.message.contains("Convert the file") == true)
        }
    }

    @Test("other pictures are the same with every word")
    func leavesOthers() throws {
        let file = Self.file(Self.samples(8), 8, [12, 13, 0, 1])
        #expect(try !ImageHeader.read(file).isHDR)
        let images = try HDRHandling.allCases.map { try ImageDecoder.decode(file, hdr: $0) }
        #expect(images.allSatisfy { $0.warnings.isEmpty })
        #expect(Set(try images.map { try $0.rgba() }).count == 1)
    }

    /// Checks a decode of pixels in a signal against a decode of the same pixels as sRGB.
    private func check(_ signal: Data, _ plain: Data, _ model: HDRModel) throws {
        #expect(throws: ImagingError.self) { try ImageDecoder.decode(signal) }
        let shown = [UInt8](try ImageDecoder.decode(signal, hdr: .tonemap).rgba())
        let stored = [UInt8](try ImageDecoder.decode(plain).rgba())
        #expect(shown != stored && shown.count == stored.count)
        for start in stride(from: 0, to: stored.count, by: 4 * 7) {
            let expected = model.shown((0..<3).map { Double(stored[start + $0]) / 255 })
            let found = (0..<3).map { Double(shown[start + $0]) }
            #expect(zip(found, expected).allSatisfy { abs($0 - 255 * $1) <= 1 }, "\(found): \(expected)")
        }
    }

    private static func photo() throws -> Image {
        try Resize(width: 48, height: 32, contentMode: .aspectFill, crop: true)
            .apply(to: try Photographs.image("chelsea.png"))
    }

    @Test("the frames of an animated PNG", arguments: curves)
    func mapsAnimations(_ curve: UInt8) throws {
        let colors: [[UInt8]] = [[140, 90, 60, 255], [60, 120, 150, 255]]
        let plain = CraftedPNGAnimation(
            width: 1,
            height: 1,
            frames: colors.map { .init(width: 1, height: 1, rgba: $0) }
        ).data
        var file = plain
        file.insert(contentsOf: CraftedPNG.chunk("cICP", [9, curve, 0, 1]), at: 33)
        let header = try ImageHeader.read(file)
        #expect(throws: ImagingError.self) { _ = try AnimationReader(file, header: header) }
        var reader = try AnimationReader(file, header: header, hdr: .tonemap)
        let model = HDRModel(isPQ: curve == 16)
        for color in colors {
            let frame = try #require(try reader.next())
            let expected = model.shown(color.prefix(3).map { Double($0) / 255 })
            let found = try pixel(frame.image, x: 0, y: 0)
            #expect(zip(found, expected).allSatisfy { abs(Double($0) - 255 * $1) <= 1 })
        }
        #expect(reader.warnings.contains(.toneMapped))
    }

    #if AVIF
    @Test("AVIF", arguments: curves)
    func mapsAVIF(_ curve: UInt8) throws {
        let avif = try ImageEncoder.encode(try Self.photo(), as: .avif(AVIFOptions(quality: 95)))
        var media = CraftedMedia(avif, width: 48, height: 32)
        media.properties = [CraftedMedia.colors(primaries: 1, transfer: 13)]
        let plain = media.data
        for primaries in [9, 2] {
            media.properties = [CraftedMedia.colors(primaries: primaries, transfer: Int(curve))]
            try check(media.data, plain, HDRModel(isPQ: curve == 16))
        }
    }
    #endif

    #if HEIC
    @Test("HEIC", arguments: curves)
    func mapsHEIC(_ curve: UInt8) throws {
        var media = CraftedMedia(try HEICFiles.plain(), width: 64, height: 64)
        media.properties = [CraftedMedia.colors(primaries: 1, transfer: 13)]
        let plain = media.data
        media.properties = [CraftedMedia.colors(primaries: 12, transfer: Int(curve))]
        try check(media.data, plain, HDRModel(isPQ: curve == 16, primaries: 12))
    }
    #endif

    #if JXL
    @Test("JPEG XL", arguments: curves)
    func mapsJXL(_ curve: UInt8) throws {
        let plain = try CraftedJXL(
            try Photographs.pattern(34, 30) { x, y in [UInt8(7 * x), UInt8(8 * y), 90, 255] }
        )
        var signal = plain
        (signal.primaries, signal.transfer) = (9, Int(curve))
        try check(signal.data, plain.data, HDRModel(isPQ: curve == 16))
    }
    #endif
}
