import Foundation
import Imaging
import Testing

/// Which chunk of a PNG describes its colours (PNG, third edition, 4.3): cICP before iCCP before sRGB before gAMA and cHRM.
@Suite struct PNGColorTests {
    private func shown(
        _ chunks: [(String, [UInt8])],
        _ pixel: [UInt8] = [200, 100, 50],
        depth: Int = 8
    ) throws -> Image {
        let row = pixel.flatMap { depth == 16 ? [$0, $0] : [$0] }
        let type = [1: 0, 2: 4, 3: 2, 4: 6][pixel.count] ?? 2
        return try ImageDecoder.decode(
            CraftedPNG(width: 1, height: 1, depth: depth, colorType: type, extra: chunks, raw: [0] + row).data
        )
    }

    private func rgb(_ image: Image) throws -> [Int] { try image.rgba().prefix(3).map(Int.init) }

    private let gamma = ("gAMA", bytes32(100_000))

    /// Display P3's (200, 100, 50) in sRGB, by the matrices of SMPTE EG 432-1 and IEC 61966-2-1: (215, 93, 31).
    private let p3 = [215, 93, 31]

    private func isNear(_ one: [Int], _ other: [Int], by most: Int = 2) -> Bool {
        zip(one, other).allSatisfy { abs($0 - $1) <= most }
    }

    @Test(
        "Display P3 is converted, in RGB with and without alpha, of 8 and 16 bits",
        arguments: [8, 16],
        [3, 4]
    )
    func convertsP3(_ depth: Int, _ channels: Int) throws {
        let pixel: [UInt8] = channels == 4 ? [200, 100, 50, 128] : [200, 100, 50]
        let image = try shown([("cICP", [12, 13, 0, 1])], pixel, depth: depth)
        let found = try rgb(image)
        #expect(image.warnings.isEmpty && isNear(found, p3), "\(found)")
    }

    @Test(
        "sRGB, BT.709 and camera curves keep their numbers, whatever gAMA says",
        arguments: [13, 1, 6, 14, 15]
    )
    func keepsSRGB(_ transfer: UInt8) throws {
        #expect(try rgb(shown([gamma, ("cICP", [1, transfer, 0, 1])])) == [200, 100, 50])
        #expect(try rgb(shown([("cICP", [1, transfer, 0, 1]), gamma])) == [200, 100, 50])
    }

    @Test("BT.2020 with a curve for SDR is converted")
    func convertsBT2020() throws {
        let found = try rgb(shown([("cICP", [9, 14, 0, 1])]))
        #expect(isNear(found, [241, 76, 29]), "\(found)")
    }

    @Test("linear light, in colour and gray")
    func convertsLinear() throws {
        #expect(isNear(try rgb(shown([("cICP", [1, 8, 0, 1])], [55, 55, 55])), [128, 128, 128]))
        #expect(isNear(try rgb(shown([("cICP", [1, 8, 0, 1])], [55])), [128, 128, 128]))
    }

    /// Of 16 bits that were first made 8, the dark grays of linear light would be off by 6 of 255 and more.
    @Test(
        "each gray of a steep curve is converted exactly, also to fewer bits",
        arguments: [(8, 8), (16, 16), (16, 8)],
        [1.0, 0.5, 1.8]
    )
    func convertsEachGray(_ depths: (of: Int, to: Int), _ exponent: Double) throws {
        let depth = depths.of
        let grays = depth == 8 ? Array(0...255) : stride(from: 0, through: 65_535, by: 51).map { $0 }
        let most = depth == 8 ? 255.0 : 65_535
        let image = try ImageDecoder.decode(
            CraftedPNG(
                width: grays.count,
                height: 1,
                depth: depth,
                colorType: 0,
                extra: [("gAMA", bytes32(Int((100_000 / exponent).rounded())))],
                raw: [0] + grays.flatMap { depth == 8 ? [UInt8($0)] : [UInt8($0 >> 8), UInt8($0 & 255)] }
            ).data,
            bitDepth: depths.to
        )
        let found = image.planes[0].withUnsafeBytes { bytes in
            grays.indices.map { index in
                depths.to == 8
                    ? Int(bytes[index]) : Int(bytes.load(fromByteOffset: 2 * index, as: UInt16.self))
            }
        }
        let furthest = zip(grays, found).map { gray, found in
            let light = pow(Double(gray) / most, exponent)
            // IEC 61966-2-1.
            let right = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
            return abs(Double(found) / (depths.to == 8 ? 255 : 65_535) - right) * 255
        }.max()
        #expect(try #require(furthest) <= (depths.to == 8 ? 0.6 : 0.1))
    }

    @Test("cICP comes before iCCP, iCCP before sRGB, sRGB before gAMA")
    func ordersDescriptions() throws {
        let profile = matrixProfile(
            red: [0.515, 0.241, -0.001],
            green: [0.292, 0.692, 0.042],
            blue: [0.157, 0.067, 0.784],
            gamma: 1
        )
        let icc = ("iCCP", Array("P\0\0".utf8) + CraftedPNG.stored(profile))
        let sRGB = ("sRGB", [UInt8(0)])
        let linear = try rgb(shown([icc]))
        #expect(linear != [200, 100, 50])
        #expect(try rgb(shown([icc, ("cICP", [1, 13, 0, 1])])) == [200, 100, 50])
        #expect(try rgb(shown([icc, gamma])) == linear)
        #expect(try rgb(shown([sRGB, gamma])) == [200, 100, 50])
        #expect(try rgb(shown([gamma])) != [200, 100, 50])
    }

    @Test("brightness for HDR screens is refused by name", arguments: [16, 18, 9, 10, 17])
    func refusesHDR(_ transfer: UInt8) {
        for chunks in [
            [("cICP", [9, transfer, 0, 1])], [("sRGB", [UInt8(0)]), ("cICP", [9, transfer, 0, 1])],
        ] {
            for read in [{ _ = try self.shown(chunks) }, { _ = try self.shown(chunks, [7]) }] {
                let error = #expect(throws: ImagingError.self) { try read() }
                #expect(error?.reason == .unsupported && error?.message.contains("HDR") == true)
            }
        }
    }

    @Test(
        "codes that mean nothing are ignored with a warning",
        arguments: [
            [12, 13, 0], [12, 13, 0, 1, 0], [12, 13, 1, 1], [12, 13, 0, 2], [0, 13, 0, 1], [3, 3, 0, 1],
            [99, 13, 0, 1],
        ]
    )
    func ignoresNonsense(_ codes: [UInt8]) throws {
        let image = try shown([("cICP", codes)])
        #expect(try image.warnings == [.colors] && rgb(image) == [200, 100, 50])
    }

    @Test("unspecified codes leave it to the other chunks; a misplaced cICP does not count")
    func leavesToOthers() throws {
        #expect(try rgb(shown([gamma, ("cICP", [2, 2, 0, 1])])) == rgb(shown([gamma])))
        let palette = ("PLTE", [UInt8](repeating: 0, count: 3))
        let late = try shown([palette, ("cICP", [12, 13, 0, 1])])
        #expect(try late.warnings == [.partPlace] && rgb(late) == [200, 100, 50])
        let twice = try shown([("cICP", [12, 13, 0, 1]), ("cICP", [1, 13, 0, 1])])
        #expect(try twice.warnings == [.partPlace] && isNear(rgb(twice), p3))
    }

    @Test("a narrow range is widened, but not that of alpha", arguments: [8, 16])
    func widens(_ depth: Int) throws {
        let image = try shown([("cICP", [1, 13, 0, 0])], [16, 235, 126, 16], depth: depth)
        let found = try image.rgba().map(Int.init)
        #expect(isNear(found, [0, 255, 128, 16], by: depth == 8 ? 0 : 1), "\(found)")
        #expect(try rgb(shown([("cICP", [1, 13, 0, 0])], [235])) == [255, 255, 255])
    }

    @Test("a broken profile is ignored with a warning")
    func ignoresBrokenProfiles() throws {
        let image = try shown([("iCCP", Array("P\0\0".utf8) + [1, 2, 3])])
        #expect(try image.warnings == [.colors] && rgb(image) == [200, 100, 50])
    }
}
