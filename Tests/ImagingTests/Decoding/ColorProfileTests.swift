import Foundation
import Imaging
import Testing

@Suite struct ColorProfileTests {
    private let red = [0.4361, 0.2225, 0.0139]
    private let green = [0.3851, 0.7169, 0.0971]
    private let blue = [0.1431, 0.0606, 0.7141]

    private func file(_ profile: [UInt8], pieces: Int = 1) throws -> Data {
        let image = try Photographs.pattern(16, 16) { _, _ in [230, 20, 20, 255] }
        var jpeg = try ImageEncoder.encode(image, as: .jpeg())
        let size = (profile.count + pieces - 1) / pieces
        // Inserted at the front, so the last piece first; the decoder orders them by number.
        for piece in 0..<pieces {
            let part = profile.dropFirst(piece * size).prefix(size)
            let content = Array("ICC_PROFILE\0".utf8) + [UInt8(piece + 1), UInt8(pieces)] + part
            jpeg = inserting(marker: 0xE2, content, into: jpeg)
        }
        return jpeg
    }

    @Test(arguments: [1, 3])
    func convertsByTheProfile(_ pieces: Int) throws {
        // Red and green exchanged: what is stored as red must come out green.
        let profile = matrixProfile(red: green, green: red, blue: blue, gamma: 2.2)
        let color = try pixel(try ImageDecoder.decode(try file(profile, pieces: pieces)), x: 8, y: 8)
        #expect(color[1] > 200 && color[0] < 60, "\(color)")
    }

    @Test func aBrokenProfileIsIgnored() throws {
        var profile = matrixProfile(red: green, green: red, blue: blue, gamma: 2.2)
        for broken in [Array(profile.prefix(100)), [], [UInt8](repeating: 7, count: 3000)] {
            let image = try ImageDecoder.decode(try file(broken))
            #expect(try pixel(image, x: 8, y: 8)[0] > 200)
        }
        profile[16..<20] = ArraySlice("GRAY".utf8)
        #expect(try pixel(try ImageDecoder.decode(try file(profile)), x: 8, y: 8)[0] > 200)
    }

    @Test func convertsPNG() throws {
        let profile = matrixProfile(red: green, green: red, blue: blue, gamma: 2.2)
        let chunk = Array("x\0\0".utf8) + CraftedPNG.stored(profile)
        let file = CraftedPNG(width: 1, height: 1, extra: [("iCCP", chunk)], raw: [0, 230, 20, 20]).data
        let color = try pixel(try ImageDecoder.decode(file), x: 0, y: 0)
        #expect(color[1] > 200 && color[0] < 60, "\(color)")
    }

    @Test func aWideGamutGrowsMoreVivid() throws {
        // Display P3's primaries: its 230, 20, 20 lies outside of sRGB and is cut to it.
        let profile = matrixProfile(
            red: [0.5151, 0.2412, -0.0011],
            green: [0.2920, 0.6922, 0.0419],
            blue: [0.1571, 0.0666, 0.7841],
            gamma: 2.2
        )
        let image = try ImageDecoder.decode(try file(profile))
        #expect(image.colorModel == .rgb)
        let color = try pixel(image, x: 8, y: 8)
        #expect(color[0] > 245 && color[1] < 20, "\(color)")
    }
}
