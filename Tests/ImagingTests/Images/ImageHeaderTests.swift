import Foundation
import Imaging
import Testing

@Suite struct ImageHeaderTests {
    @Test func readsWhatAFileSays() throws {
        let rocket = try ImageHeader.read(try Photographs.data("rocket.jpg"))
        #expect(rocket.format == .jpeg)
        #expect(rocket.size == PixelSize(width: 640, height: 427))
        #expect(rocket.colorModel == .ycbcr)
        #expect(!rocket.isProgressive && !rocket.hasAlpha)

        let progressive = try Photographs.jpeg(options: JPEGOptions(progressive: true))
        #expect(try ImageHeader.read(progressive).isProgressive)
        let gray = try ImageEncoder.encode(
            try Grayscale().apply(to: try Photographs.gradient(9, 9)),
            as: .jpeg()
        )
        #expect(try ImageHeader.read(gray).colorModel == .gray)
        let webp = try ImageEncoder.encode(try Photographs.gradient(20, 10, alpha: true), as: .webp())
        #expect(try ImageHeader.read(webp).hasAlpha)
        #expect(try ImageHeader.read(webp).size == PixelSize(width: 20, height: 10))
    }

    @Test(arguments: [
        ("<html>", ImagingError.Reason.wrongType), ("", .wrongType), ("GIF88a", .wrongType),
        ("\u{89}PNG", .wrongType),
    ])
    func refusesOthers(_ text: String, _ reason: ImagingError.Reason) {
        let error = #expect(throws: ImagingError.self) { try ImageHeader.read(Data(text.utf8)) }
        #expect(error?.reason == reason)
    }

    @Test func limitsAreCheckedBeforePixels() throws {
        let bomb = CraftedPNG(width: 30_000, height: 30_000, raw: [0]).data
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(bomb) }
        #expect(error?.reason == .limits)
        #expect(error?.message.contains("30000×30000") == true)

        let wide = CraftedPNG(width: 70_000, height: 1, raw: [0]).data
        #expect(throws: ImagingError.self) { try ImageHeader.read(wide).check(ImageLimits()) }
        var limits = ImageLimits()
        limits.maxPixels = 640 * 427 - 1
        let rocket = try Photographs.data("rocket.jpg")
        #expect(throws: ImagingError.self) { try ImageDecoder.decode(rocket, limits: limits) }
        limits.maxPixels += 1
        #expect(try ImageDecoder.decode(rocket, limits: limits).size.width == 640)
    }

    @Test func costFollowsTheScaleAndCountsWhatProgressiveFilesHold() throws {
        let baseline = try ImageHeader.read(try Photographs.jpeg())
        let progressive = try ImageHeader.read(try Photographs.jpeg(options: JPEGOptions(progressive: true)))
        let small = PixelSize(width: 50, height: 30)
        #expect(baseline.decodeCost(covering: small) * 4 < baseline.decodeCost(covering: nil))
        #expect(baseline.decodeCost(covering: nil) >= 451 * 300 * 3 / 2)
        #expect(progressive.decodeCost(covering: small) >= 451 * 300 * 3)
        let decoded = try ImageDecoder.decode(try Photographs.jpeg(), covering: small)
        #expect(decoded.byteCount <= baseline.decodeCost(covering: small))
    }
}
