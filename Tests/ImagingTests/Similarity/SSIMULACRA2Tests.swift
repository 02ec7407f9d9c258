import Foundation
@testable import Imaging
import TestSupport
import Testing

/// The metric against the published formula, and what images with alpha, depth or other colour models have of it.
@Suite struct SSIMULACRA2Tests {
    /// A change of a photograph's bytes, without an encoder that could change.
    enum Change: CaseIterable, Sendable {
        case coarse, swapped, shifted, lowestBit

        func applied(to image: Image) throws -> Image {
            let source = try image.rgba()
            var bytes = source
            let width = image.size.width
            for index in source.indices where index % 4 < 3 {
                switch self {
                case .coarse: bytes[index] = source[index] & 0xF0 | 8
                case .swapped: bytes[index] = source[[0, 2, 1][index % 4] + index - index % 4]
                case .shifted:
                    bytes[index] = source[index / 4 % width == 0 ? index + (width - 1) * 4 : index - 4]
                case .lowestBit: bytes[index] = source[index] & 0xFE
                }
            }
            return try Image(width: width, height: image.size.height, rgba: bytes)
        }
    }

    @Test(
        "scores of changed photographs are those of the formula in double precision",
        arguments: [
            // By a program in Python that computes the published formula in double precision with NumPy.
            ("chelsea.png", [64.27279, -15.28600, 25.53301, 97.04219]),
            ("coffee.png", [65.07798, -35.74287, -12.02354, 96.87041]),
            ("astronaut.png", [52.42599, -52.11756, 16.37361, 96.88075]),
        ]
    )
    func photographs(name: String, expected: [Double]) throws {
        let photo = try Photographs.image(name)
        for (change, score) in zip(Change.allCases, expected) {
            let measured = try photo.ssimulacra2(of: try change.applied(to: photo))
            #expect(abs(measured - score) < 0.002, "\(change): \(measured)")
        }
    }

    @Test("the model of these tests has the same scores, at every size")
    func model() throws {
        let model = try SSIMULACRA2Model()
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SeededGenerator(seed: seed)
        let sizes = [(1, 1), (7, 9), (8, 8), (9, 31), (16, 17), (40, 24), (65, 64), (129, 70)]
        for (width, height) in sizes {
            let reference = try Photographs.gradient(width, height)
            let strength = Int.random(in: 1...60, using: &generator)
            var bytes = try reference.rgba()
            for index in bytes.indices where index % 4 < 3 {
                let moved = Int(bytes[index]) + Int.random(in: -strength...strength, using: &generator)
                bytes[index] = UInt8(max(0, min(255, moved)))
            }
            let noisy = try Image(width: width, height: height, rgba: bytes)
            let (measured, expected) = (
                try reference.ssimulacra2(of: noisy), try model.score(reference, noisy)
            )
            #expect(
                abs(measured - expected) < 0.02,
                "\(width) x \(height), seed \(seed): \(measured), \(expected)"
            )
        }
    }

    @Test("equal images have 100, at every size")
    func equal() throws {
        for (width, height) in [(1, 1), (3, 200), (8, 7), (133, 65), (256, 256)] {
            let image = try Photographs.gradient(width, height)
            #expect(try image.ssimulacra2(of: image) == 100)
        }
    }

    @Test("the score does not depend on the processor's vectors", arguments: Change.allCases)
    func portable(change: Change) throws {
        for name in Photographs.names {
            let photo = try Crop(width: 333, height: 201).apply(to: try Photographs.image(name))
            let changed = try change.applied(to: photo)
            let score = try photo.ssimulacra2(of: changed)
            #expect(score == (try photo.ssimulacra2(of: changed, isPortable: true)))
        }
    }

    @Test("a JPEG of lower quality has a lower score")
    func quality() throws {
        let photo = try Photographs.image("coffee.png")
        var last = 100.0
        for quality in [98, 90, 75, 50, 25, 5] {
            let file = try ImageEncoder.encode(photo, as: .jpeg(JPEGOptions(quality: quality)))
            let score = try photo.ssimulacra2(of: try ImageDecoder.decode(file))
            #expect(score < last - 2, "\(quality): \(score)")
            last = score
        }
    }

    @Test("with alpha, the worse of a grey and a white background counts")
    func alpha() throws {
        func square(_ colour: [UInt8]) throws -> Image {
            try Photographs.pattern(64, 64) { x, y in
                (16..<48).contains(x) && (16..<48).contains(y) ? colour : [0, 0, 0, 255]
            }
        }
        // What cannot be seen does not count.
        #expect(try square([9, 8, 7, 0]).ssimulacra2(of: try square([200, 100, 50, 0])) == 100)
        // White is not seen over white, grey not over grey: the other background tells.
        let hole = try square([0, 0, 0, 0])
        let (white, gray) = (try square([255, 255, 255, 255]), try square([128, 128, 128, 255]))
        #expect(try hole.ssimulacra2(of: white) < 50)
        #expect(try hole.ssimulacra2(of: gray) < 50)
        #expect(try white.ssimulacra2(of: hole) < 50)
    }

    @Test("grey, YCbCr and 16-bit images are compared as what they look like")
    func models() throws {
        let photo = try Photographs.image("chelsea.png")
        let gray = try photo.converted(to: .gray)
        let changed = try Change.coarse.applied(to: photo)
        #expect(try gray.ssimulacra2(of: try gray.converted(to: .rgb)) == 100)
        let score = try photo.ssimulacra2(of: changed)
        #expect(score == (try photo.converted(toBitDepth: 16).ssimulacra2(of: changed)))
        #expect(score == (try photo.ssimulacra2(of: try changed.converted(toBitDepth: 16))))
        #expect(try photo.ssimulacra2(of: try photo.converted(to: .ycbcr)) > 90)
    }

    @Test("images of two sizes are an error that names both")
    func sizes() throws {
        let error = #expect(throws: ImagingError.self) {
            try Photographs.gradient(20, 10).ssimulacra2(of: try Photographs.gradient(10, 20))
        }
        #expect(error?.reason == .processing)
        #expect(error?.message.contains("20×10") == true && error?.message.contains("10×20") == true)
    }
}
