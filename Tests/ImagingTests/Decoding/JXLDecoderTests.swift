#if JXL
import Foundation
@testable import Imaging
import TestSupport
import Testing

@Suite struct JXLDecoderTests {
    /// Four flat corners: red, green, blue, white.
    private func corners() throws -> Image {
        let colors: [[UInt8]] = [
            [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255],
        ]
        return try Photographs.pattern(42, 22) { x, y in colors[(y < 11 ? 0 : 2) + (x < 21 ? 0 : 1)] }
    }

    private func seed(_ name: String) throws -> Data {
        try Data(contentsOf: Repository.root.appendingPathComponent("Tests/Fuzzing/seeds/\(name)"))
    }

    private func refusal(_ file: Data) -> ImagingError? {
        #expect(throws: ImagingError.self) { try ImageHeader.read(file) }
    }

    @Test("the file's orientation is applied", arguments: 1...8)
    func orients(_ orientation: Int) throws {
        let image = try corners()
        var file = try CraftedJXL(image)
        file.orientation = orientation
        for data in [file.data, CraftedJXL.container(file.data, boxes: [])] {
            let header = try ImageHeader.read(data)
            #expect(header.format == .jxl && header.orientation.rawValue == orientation)
            #expect(header.size.width == (orientation < 5 ? 42 : 22))
            let shown = try ImageDecoder.decode(data)
            let expected = try image.oriented(try #require(Orientation(rawValue: orientation)))
            #expect(try shown.rgba() == expected.rgba())
        }
    }

    /// Display P3's 200, 100, 50 is 214.9, 92.6, 31.0 in sRGB, calculated from both sets of primaries and sRGB's curve.
    @Test func convertsDisplayP3Rightly() throws {
        var file = try CraftedJXL(try Photographs.pattern(34, 30) { _, _ in [200, 100, 50, 255] })
        #expect(try pixel(try ImageDecoder.decode(file.data), x: 9, y: 9) == [200, 100, 50, 255])
        file.primaries = 11
        let color = try pixel(try ImageDecoder.decode(file.data), x: 9, y: 9)
        #expect(zip(color, [215, 93, 31, 255]).allSatisfy { abs($0 - $1) <= 2 }, "\(color)")
    }

    /// 128 of 255 of the light of 200, 100, 50 is that of 147, 72, 34, calculated from sRGB's curve.
    @Test("alpha that has multiplied light divides light, also where libjxl converts the colours")
    func dividesLight() throws {
        var file = try CraftedJXL(
            try Photographs.pattern(34, 30) { _, _ in [147, 72, 34, 128] },
            isXYB: true
        )
        let sides: [(isAssociated: Bool, transfer: Int, color: [Int])] = [
            (false, 13, [147, 72, 34, 128]), (false, 8, [147, 72, 34, 128]), (true, 13, [255, 143, 68, 128]),
            (true, 8, [200, 100, 50, 128]),
        ]
        for side in sides {
            (file.isAssociated, file.transfer) = (side.isAssociated, side.transfer)
            let color = try pixel(try ImageDecoder.decode(file.data), x: 9, y: 9)
            #expect(zip(color, side.color).allSatisfy { abs($0 - $1) <= 4 }, "\(side): \(color)")
        }
    }

    @Test("HDR curves are refused by name", arguments: [16, 18])
    func refusesHDR(_ transfer: Int) throws {
        var file = try CraftedJXL(try corners())
        file.transfer = transfer
        let data = file.data
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(data) }
        #expect(error?.reason == .unsupported && error?.message.contains("HDR") == true)
        #expect(throws: ImagingError.self) { try ImageDecoder.preview(of: data) }
        #expect(try ImageDecoder.preview(of: data, hdr: .tonemap).warnings == [.toneMapped])
    }

    /// Black, and a colour filter array.
    @Test(
        "channels that change the meaning of colours are refused by name",
        arguments: [(4, "CMYK"), (5, "colour filter array")]
    )
    func refusesChannels(_ type: Int, _ words: String) throws {
        var file = try CraftedJXL(try corners())
        file.channels = [type]
        let error = refusal(file.data)
        #expect(error?.reason == .unsupported && error?.message.contains(words) == true, "\(error as Any)")
        // A depth map beside them changes nothing, but takes memory.
        file.channels = [1]
        let header = try ImageHeader.read(file.data)
        let plain = try ImageHeader.read(try CraftedJXL(try corners()).data)
        #expect(!header.hasAlpha && header.decodeCost(covering: nil) > plain.decodeCost(covering: nil))
    }

    @Test("of an animation, the first frame is shown")
    func showsTheFirstFrame() throws {
        let image = try ImageDecoder.decode(try seed("animated.jxl"))
        let first = try ImageDecoder.decode(try seed("animated.gif"))
        #expect(try psnr(image, first) > 30)
    }

    @Test("a JPEG that was transcoded is shown as the JPEG")
    func showsJPEGs() throws {
        let file = try seed("described.jxl")
        let image = try ImageDecoder.decode(file)
        #expect(try ImageHeader.read(file).orientation == .right)
        #expect(try psnr(image, try ImageDecoder.decode(try seed("described.jpg"))) > 30)
    }

    @Test func averagesWhatIsNotAskedFor() throws {
        let photo = try Photographs.image("chelsea.png")
        let file = try ImageEncoder.encode(photo, as: .jxl(JPEGXLOptions(effort: 3)))
        let small = try ImageDecoder.decode(file, covering: PixelSize(width: 90, height: 60))
        #expect(small.size == PixelSize(width: 226, height: 150))
        let resize = Resize(width: 90)
        let short = try OperationChain([resize]).apply(to: small, originalSize: photo.size)
        #expect(try psnr(short, try resize.apply(to: try ImageDecoder.decode(file))) > 36)
        let header = try ImageHeader.read(file)
        #expect(
            header.decodeCost(covering: PixelSize(width: 90, height: 60)) < header.decodeCost(covering: nil)
        )
    }

    @Test("limits are those of the header, before anything is decoded")
    func limits() throws {
        var file = try CraftedJXL(try corners())
        file.claimedSize = (1 << 29, 1 << 29)
        let data = file.data
        #expect(try ImageHeader.read(data).size.width == 1 << 29)
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(data) }
        #expect(error?.reason == .limits)
        var limits = ImageLimits()
        limits.maxMemory = 1 << 20
        file.claimedSize = nil
        let small = file.data
        let other = #expect(throws: ImagingError.self) { try ImageDecoder.decode(small, limits: limits) }
        #expect(other?.reason == .limits)
    }

    @Test("a header of another size than the frames is an error")
    func claims() throws {
        var file = try CraftedJXL(try corners())
        for size in [(41, 22), (300, 301), (9, 8)] {
            file.claimedSize = size
            let data = file.data
            if let image = try? ImageDecoder.decode(data) {
                // Fewer groups may follow than there are pixels; then there are as many pixels as the header says.
                #expect(image.size == PixelSize(width: size.0, height: size.1))
            }
        }
    }

    @Test("metadata is read, also what is compressed, up to a megabyte")
    func readsMetadata() throws {
        let codestream = try CraftedJXL(try corners()).data
        let exif = [0, 0, 0, 0] + DescribedFiles.exif()
        let xmp = Array(DescribedFiles.xmp.utf8)
        func kept(_ boxes: [(String, [UInt8])]) throws -> ImageMetadata? {
            let file = CraftedJXL.container(codestream, boxes: boxes)
            let header = try ImageHeader.read(file)
            return ImageMetadata(of: file, header, keeping: .keep, size: header.size)
        }
        let plain = try kept([("Exif", exif), ("xml ", xmp)])
        #expect(plain?.exif != nil && plain?.xmp != nil)
        let brotli = try kept([
            ("brob", CraftedJXL.compressed("xml ", xmp)), ("brob", CraftedJXL.compressed("Exif", exif)),
        ])
        #expect(brotli == plain)
        let long = xmp + [UInt8](repeating: 0x20, count: 1 << 20)
        let most = try kept([("brob", CraftedJXL.compressed("xml ", long)), ("Exif", exif)])
        #expect(most?.xmp == nil && most?.exif == plain?.exif)
        // The first of a kind counts; damage in one is none of the image.
        let damaged = try kept([("Exif", exif), ("brob", Array("xml ".utf8) + [9, 9, 9]), ("Exif", [1])])
        #expect(damaged?.exif == plain?.exif && damaged?.xmp == nil)
    }

    @Test("an orientation in EXIF data does not count")
    func ignoresEXIFOrientation() throws {
        let file = CraftedJXL.container(
            try CraftedJXL(try corners()).data,
            boxes: [("Exif", [0, 0, 0, 0] + DescribedFiles.exif())]
        )
        #expect(try ImageHeader.read(file).orientation == .up)
    }
}
#endif
