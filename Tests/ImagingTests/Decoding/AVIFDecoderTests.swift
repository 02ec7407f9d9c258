#if AVIF
import Foundation
import Imaging
import Testing

@Suite struct AVIFDecoderTests {
    /// Four flat corners: red top left, green top right, blue bottom left, white bottom right.
    static let corners: [[UInt8]] = [
        [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255],
    ]

    /// The colour of each corner, as an index of `corners`.
    static func found(in image: Image) throws -> [Int?] {
        let right = image.size.width - 2
        let bottom = image.size.height - 2
        return try [(1, 1), (right, 1), (1, bottom), (right, bottom)].map { corner in
            let color = try pixel(image, x: corner.0, y: corner.1)
            return corners.firstIndex { zip($0, color).allSatisfy { abs(Int($0) - $1) < 60 } }
        }
    }

    private func crafted(_ properties: [[UInt8]] = [], width: Int = 48, height: Int = 32) throws
        -> CraftedMedia
    {
        let original = try Photographs.pattern(width, height) { x, y in
            Self.corners[(y < height / 2 ? 0 : 2) + (x < width / 2 ? 0 : 1)]
        }
        let avif = try ImageEncoder.encode(original, as: .avif(AVIFOptions(quality: 95)))
        var media = CraftedMedia(avif, width: width, height: height)
        media.properties = properties
        return media
    }

    @Test(arguments: 0..<4, [nil, 0, 1])
    func turnsThenMirrors(_ quarters: Int, _ mode: Int?) throws {
        let mirror = mode.map { [CraftedMedia.mirror($0)] } ?? []
        let file = try crafted([CraftedMedia.rotation(quarters)] + mirror).data
        // A counter-clockwise rotation moves the right side to the top: [1, 3, 0, 2] of [top left, top right, bottom left, …].
        var expected = [0, 1, 2, 3]
        for _ in 0..<quarters { expected = [expected[1], expected[3], expected[0], expected[2]] }
        if mode == 0 { expected = [expected[2], expected[3], expected[0], expected[1]] }
        if mode == 1 { expected = [expected[1], expected[0], expected[3], expected[2]] }
        let header = try ImageHeader.read(file)
        #expect(header.size.width == (quarters % 2 == 0 ? 48 : 32))
        for covering in [nil, PixelSize(width: 8, height: 8)] {
            let image = try ImageDecoder.decode(file, covering: covering)
            #expect(covering != nil || image.size == header.size)
            #expect(try Self.found(in: image) == expected)
        }
    }

    @Test func crops() throws {
        let properties = [
            CraftedMedia.aperture(width: 24, height: 16, x: 12, y: -8), CraftedMedia.rotation(1),
        ]
        let file = try crafted(properties).data
        #expect(try ImageHeader.read(file).size == PixelSize(width: 16, height: 24))
        #expect(try Self.found(in: try ImageDecoder.decode(file)) == [1, 1, 1, 1])
        var limits = ImageLimits()
        limits.maxPixels = 48 * 32 - 1
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(file, limits: limits) }
        #expect(error?.reason == .limits)

        let outside = try crafted([CraftedMedia.aperture(width: 40, height: 16, x: 12, y: 0)]).data
        let refusal = #expect(throws: ImagingError.self) { try ImageHeader.read(outside) }
        #expect(refusal?.reason == .unsupported)
    }

    @Test("a crop at an odd place shows those pixels of the whole picture", arguments: [0, 1], [0, 1])
    func cropsAtOddPlaces(_ x: Int, _ y: Int) throws {
        let photograph = try Crop(width: 64, height: 64).apply(to: try Photographs.image("chelsea.png"))
        for quality in [80, 95] {  // 4:2:0, 4:4:4
            let file = try ImageEncoder.encode(photograph, as: .avif(AVIFOptions(quality: quality)))
            var media = CraftedMedia(file, width: 64, height: 64)
            for isGrid in [false, true] {
                media.grid = isGrid ? (columns: 2, rows: 1, width: 128, height: 64) : nil
                media.properties = []
                let whole = try ImageDecoder.decode(media.data)
                media.properties = [CraftedMedia.aperture(width: 24, height: 16, x: x, y: y)]
                let crop = try ImageDecoder.decode(media.data)
                #expect(crop.size == PixelSize(width: 24, height: 16))
                let left = (whole.size.width - 24) / 2 + x
                for (column, row) in [(0, 0), (23, 0), (0, 15), (23, 15), (11, 7)] {
                    #expect(
                        try pixel(crop, x: column, y: row) == pixel(whole, x: left + column, y: 24 + y + row),
                        "\(quality) \(isGrid) \(column),\(row)"
                    )
                }
            }
        }
    }

    @Test func joinsTiles() throws {
        var media = try crafted(width: 64, height: 64)
        media.grid = (columns: 2, rows: 2, width: 120, height: 100)
        let image = try ImageDecoder.decode(media.data)
        #expect(image.size == PixelSize(width: 120, height: 100))
        #expect(try pixel(image, x: 66, y: 66)[0] > 200 && pixel(image, x: 66, y: 66)[1] < 60)
        #expect(try pixel(image, x: 62, y: 62)[1] > 200)
    }

    /// The compressed data may have another size than the boxes and is then scaled, but only within a limit.
    @Test func refusesFarMorePixelsThanTheBoxesSay() throws {
        var media = try crafted()
        media.claimedSize = (40, 40)
        #expect(try ImageDecoder.decode(media.data).size == PixelSize(width: 40, height: 40))
        var large = try crafted(width: 600, height: 400)
        large.claimedSize = (16, 16)
        let file = large.data
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(file) }
        #expect(error?.reason == .corrupt)
    }

    @Test func convertsOtherGamuts() throws {
        let gray = try Photographs.pattern(32, 32) { _, _ in [120, 120, 120, 255] }
        let dull = try Photographs.pattern(32, 32) { _, _ in [190, 90, 80, 255] }
        for (original, isGray) in [(gray, true), (dull, false)] {
            let avif = try ImageEncoder.encode(original, as: .avif(AVIFOptions(quality: 100)))
            var media = CraftedMedia(avif, width: 32, height: 32)
            let plain = try pixel(try ImageDecoder.decode(media.data), x: 9, y: 9)
            for primaries in [9, 12] {
                media.properties = [CraftedMedia.colors(primaries: primaries, transfer: 13)]
                let color = try pixel(try ImageDecoder.decode(media.data), x: 9, y: 9)
                // Neutral colours stay neutral; others become more saturated.
                if isGray {
                    #expect(zip(plain, color).allSatisfy { abs($0 - $1) <= 2 }, "\(plain) \(color)")
                } else {
                    #expect(color[0] > plain[0] + 5 && color[1] < plain[1], "\(plain) \(color)")
                }
            }
        }
    }

    /// Display P3's 200, 100, 50 is 214.9, 92.6, 31.0 in sRGB, calculated from both sets of primaries and sRGB's curve.
    @Test func convertsDisplayP3Rightly() throws {
        let original = try Photographs.pattern(32, 32) { _, _ in [200, 100, 50, 255] }
        let avif = try ImageEncoder.encode(original, as: .avif(AVIFOptions(quality: 100)))
        #expect(try !ImageHeader.read(avif).hasAlpha, "alpha that is opaque is not written")
        var media = CraftedMedia(avif, width: 32, height: 32)
        media.properties = [CraftedMedia.colors(primaries: 12, transfer: 13)]
        let color = try pixel(try ImageDecoder.decode(media.data), x: 9, y: 9)
        #expect(zip(color, [215, 93, 31, 255]).allSatisfy { abs($0 - $1) <= 2 }, "\(color)")
    }

    /// libyuv's factors end at 2: of BT.709's blue it would make 243.
    @Test(
        "strong blue and yellow of the limited range",
        arguments: [(1, 0.2126, 0.0722), (9, 0.2627, 0.0593), (6, 0.299, 0.114)]
    )
    func keepsStrongColorsOfTheLimitedRange(_ matrix: Int, _ red: Double, _ blue: Double) throws {
        for target in [[0.0, 0, 1], [1, 1, 0], [0.9, 0.2, 0.1]] {
            // H.273, equations 20 to 25 and 38 to 40, then what the encoder's full range of BT.601 shows of these numbers.
            let luma = red * target[0] + (1 - red - blue) * target[1] + blue * target[2]
            let y = 16 + 219 * luma
            let cb = 112 * (target[2] - luma) / (1 - blue)
            let cr = 112 * (target[0] - luma) / (1 - red)
            let shown = [y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb].map {
                UInt8(min(max($0.rounded(), 0), 255))
            }
            let original = try Photographs.pattern(32, 32) { _, _ in shown + [255] }
            let avif = try ImageEncoder.encode(original, as: .avif(AVIFOptions(quality: 100)))
            var media = CraftedMedia(avif, width: 32, height: 32)
            media.properties = [
                CraftedMedia.colors(primaries: 1, transfer: 13, matrix: matrix, isFullRange: false)
            ]
            let color = try pixel(try ImageDecoder.decode(media.data), x: 9, y: 9)
            for (found, right) in zip(color, target) {
                #expect(abs(Double(found) - 255 * right) <= 5, "\(color), not \(target)")
            }
        }
    }

    @Test(arguments: [16, 18])
    func refusesHDRWithoutAProfile(_ transfer: Int) throws {
        var media = try crafted([CraftedMedia.colors(primaries: 9, transfer: transfer)])
        let file = media.data
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(file) }
        #expect(error?.reason == .unsupported)
        #expect(error?.message.contains("HDR") == true)

        // A profile that exchanges red and green; it takes precedence over the code points.
        let swapped = matrixProfile(
            red: [0.3851, 0.7169, 0.0971],
            green: [0.4361, 0.2225, 0.0139],
            blue: [0.1431, 0.0606, 0.7141],
            gamma: 2.2
        )
        media.properties.insert(CraftedMedia.profile(swapped), at: 0)
        #expect(try Self.found(in: try ImageDecoder.decode(media.data)) == [1, 0, 2, 3])
    }

    @Test func averagesWhatIsNotAskedFor() throws {
        let photo = try Photographs.image("chelsea.png")
        let avif = try ImageEncoder.encode(photo, as: .avif(AVIFOptions(quality: 80, speed: 9)))
        let small = try ImageDecoder.decode(avif, covering: PixelSize(width: 90, height: 60))
        #expect(small.size == PixelSize(width: 226, height: 150))
        let resize = Resize(width: 90)
        let chain = OperationChain([resize])
        let short = try chain.apply(to: small, originalSize: photo.size)
        #expect(try psnr(short, try resize.apply(to: try ImageDecoder.decode(avif))) > 36)
        let header = try ImageHeader.read(avif)
        #expect(
            header.decodeCost(covering: PixelSize(width: 90, height: 60)) < header.decodeCost(covering: nil)
        )
    }
}
#endif
