import Foundation
import Imaging
import Nuke
import TestSupport
import Testing

@Suite("Previews of ImageDecoders.Default")
struct DecoderPreviewTests {
    private func decoder(_ policy: ImagePipeline.PreviewPolicy) throws -> ImageDecoders.Default {
        var context = ImageDecodingContext(request: "http://h/a", data: Data(), isCompleted: false)
        context.previewPolicy = policy
        return try #require(ImageDecoders.Default(context: context))
    }

    /// The offsets at which the scans of a JPEG begin.
    private func scanStarts(_ file: Data) -> [Int] {
        (0..<file.count - 1).filter { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
    }

    @Test func showsAProgressiveJPEGAtEachScanFromTheSecondOn() throws {
        let file = try MadeImages.progressive()
        let starts = scanStarts(file)
        try #require(starts.count > 4)
        let decoder = ImageDecoders.Default()
        var previews: [ImageContainer] = []
        var ends: [Int] = []
        let chunks = Array(1..<starts[1] + 40) + starts.dropFirst(2).flatMap { [$0 + 1, $0 + 2, $0 + 3] }
        for end in chunks {
            guard let preview = decoder.decodePartiallyDownloadedData(file.prefix(end)) else { continue }
            previews.append(preview)
            ends.append(end)
        }
        #expect(previews.count == starts.count - 1)
        #expect(ends == starts.dropFirst().map { $0 + 2 }, "as soon as a scan's marker is there")
        for (index, preview) in previews.enumerated() {
            #expect(preview.isPreview && preview.type == .jpeg && preview.data == nil)
            #expect(preview.image.pixelSize == PixelSize(width: 450, height: 300))
            #expect(preview.userInfo[.scanNumberKey] as? Int == index + 1)
        }
        let image = try decoder.decode(file)
        #expect(!image.isPreview)
        #expect(image.userInfo[.scanNumberKey] as? Int == previews.count)
        #expect(try ImageDecoders.Default().decode(file).userInfo.isEmpty)
        #expect(image.image == PlatformImage(data: file))
    }

    #if JXL
    @Test func showsAJPEGXLWhenAnEighthMoreOfItIsThere() throws {
        let photo = try MadeImages.photo(450, 300)
        let file = try #require(ImageEncoders.ImageIO(type: .jxl).encode(photo))
        #expect(ImagePipeline.PreviewPolicy.default(for: file) == .disabled)
        let decoder = try decoder(.incremental)
        let ends = (stride(from: 50, to: file.count, by: 50) + [file.count]).filter { end in
            guard let preview = decoder.decodePartiallyDownloadedData(file.prefix(end)) else { return false }
            #expect(preview.isPreview && preview.type == .jxl && preview.image.pixelSize == photo.pixelSize)
            return true
        }
        #expect(ends.count > 3 && zip(ends, ends.dropFirst()).allSatisfy { $1 >= $0 + $0 / 8 }, "\(ends)")
        #expect(try decoder.decode(file).userInfo[.scanNumberKey] as? Int == ends.count)
    }
    #endif

    @Test func oneChunkWithSeveralScansGivesOnePreview() throws {
        let file = try MadeImages.progressive()
        let starts = scanStarts(file)
        let decoder = try decoder(.incremental)
        #expect(decoder.decodePartiallyDownloadedData(file.prefix(starts[0] + 20)) == nil)
        let first = decoder.decodePartiallyDownloadedData(file.prefix(starts[3] + 20))
        #expect(first?.userInfo[.scanNumberKey] as? Int == 1)
        #expect(decoder.decodePartiallyDownloadedData(file.prefix(starts[3] + 21)) == nil)
        let second = decoder.decodePartiallyDownloadedData(file)
        #expect(second?.userInfo[.scanNumberKey] as? Int == 2)
        #expect(decoder.decodePartiallyDownloadedData(file) == nil)
    }

    @Test func anotherImageWithinTheFileIsNoScan() throws {
        // A camera's thumbnail is a JPEG of its own, with scans of its own.
        let file = try MadeImages.progressive(64, 48)
        let thumbnail = try MadeImages.progressive(40, 30)
        let length = thumbnail.count + 2
        let whole =
            file.prefix(2) + Data([0xFF, 0xE3, UInt8(length >> 8), UInt8(length & 255)]) + thumbnail
            + file.dropFirst(2)
        let decoder = ImageDecoders.Default()
        #expect(decoder.decodePartiallyDownloadedData(whole.prefix(thumbnail.count)) == nil)
        #expect(ImagePipeline.PreviewPolicy.default(for: whole.prefix(thumbnail.count)) == .disabled)
        #expect(decoder.decodePartiallyDownloadedData(whole)?.image.width == 64)
    }

    @Test func takesSlices() throws {
        let file = try MadeImages.progressive()
        let slice = (Data([1, 2, 3]) + file).dropFirst(3)
        let decoder = ImageDecoders.Default()
        #expect(decoder.decodePartiallyDownloadedData(slice.dropLast(50)) != nil)
        #expect(try decoder.decode(slice).image == PlatformImage(data: file))
    }

    @Test func showsAsMuchAsTheRequestNeeds() throws {
        let file = try MadeImages.progressive()
        var request: ImageRequest = "http://h/a"
        request.thumbnail = .init(maxPixelSize: 45)
        let thumbnail = ImageDecoders.Default(
            context: .init(request: request, data: Data(), isCompleted: false)
        )
        let preview = thumbnail?.decodePartiallyDownloadedData(file.dropLast(30))
        #expect(preview?.image.pixelSize == PixelSize(width: 45, height: 30))
        request.thumbnail = nil
        request.processors = [.resize(width: 45)]
        let resize = ImageDecoders.Default(context: .init(request: request, data: Data(), isCompleted: false))
        let small = try #require(resize?.decodePartiallyDownloadedData(file.dropLast(30))?.image)
        #expect(small.pixelSize == PixelSize(width: 57, height: 38))
        #expect(request.processors[0].process(small)?.pixelSize == PixelSize(width: 45, height: 30))
    }

    @Test func showsTheRowsOfABaselineJPEGWhereItIsAskedTo() throws {
        let file = try MadeImages.file(300, 200)
        let start = scanStarts(file)[0]
        let decoder = try decoder(.incremental)
        #expect(decoder.decodePartiallyDownloadedData(file.prefix(start + 100)) == nil)
        let half = file.prefix((start + file.count) / 2)
        let preview = try #require(decoder.decodePartiallyDownloadedData(half))
        #expect(preview.isPreview && preview.type == .jpeg)
        #expect(preview.image.pixelSize == PixelSize(width: 300, height: 200))
        #expect(preview.userInfo[.scanNumberKey] as? Int == 1)
        // Not again for as good as nothing.
        #expect(decoder.decodePartiallyDownloadedData(half) == nil)
        #expect(decoder.decodePartiallyDownloadedData(file.prefix(half.count + 1)) == nil)
        #expect(decoder.decodePartiallyDownloadedData(file.dropLast(2)) != nil)
        let image = try decoder.decode(file)
        #expect(!image.isPreview && image.image == PlatformImage(data: file))
    }

    #if GIF
    @Test func showsTheFirstFrameOfAGIFForAThumbnail() throws {
        let decoder = try decoder(.thumbnail)
        #expect(decoder.decodePartiallyDownloadedData(MadeGIF.data.prefix(1500))?.isPreview == true)
        #expect(decoder.decodePartiallyDownloadedData(MadeGIF.data.prefix(2000)) == nil)
        #expect(try self.decoder(.disabled).decodePartiallyDownloadedData(MadeGIF.data.prefix(1500)) == nil)
    }

    @Test func showsTheFirstFrameOfAGIFOnce() throws {
        let decoder = ImageDecoders.Default()
        #expect(decoder.decodePartiallyDownloadedData(MadeGIF.data.prefix(10)) == nil)
        #expect(decoder.decodePartiallyDownloadedData(MadeGIF.data.prefix(200)) == nil)
        let preview = try #require(decoder.decodePartiallyDownloadedData(MadeGIF.data.prefix(1500)))
        #expect(preview.isPreview && preview.type == .gif && preview.data == nil)
        #expect(preview.userInfo.isEmpty)
        #expect(preview.image.pixelSize == PixelSize(width: 60, height: 40))
        #expect(decoder.decodePartiallyDownloadedData(MadeGIF.data.prefix(2000)) == nil)
        #expect(try decoder.decode(MadeGIF.data).userInfo.isEmpty)
    }
    #endif

    @Test func showsNothingOfOtherFiles() throws {
        let files = [
            try Repository.photo("chelsea.png"), try MadeImages.file(64, 48, as: .webp()),
            Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 * 31) }),
        ]
        for policy in [ImagePipeline.PreviewPolicy.incremental, .thumbnail, .disabled] {
            for file in files {
                let decoder = try decoder(policy)
                for count in [1, 16, file.count / 2, file.count - 1] {
                    #expect(decoder.decodePartiallyDownloadedData(file.prefix(count)) == nil)
                }
            }
            let progressive = try MadeImages.progressive()
            let shown = try decoder(policy).decodePartiallyDownloadedData(progressive.dropLast(20))
            #expect((shown != nil) == (policy == .incremental))
        }
    }

    @Test func theThumbnailOfACameraIsShownOnce() throws {
        let thumbnail = try MadeImages.file(40, 30)
        var exif: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 14, 0, 2]
        exif += [0x02, 0x01, 0, 4, 0, 0, 0, 1, 0, 0, 0, 44, 0x02, 0x02, 0, 4, 0, 0, 0, 1]
        exif += [0, 0, UInt8(thumbnail.count >> 8), UInt8(thumbnail.count & 255), 0, 0, 0, 0]
        let file = EXIFData.embed(Data(exif) + thumbnail, in: try MadeImages.file(64, 48))
        let decoder = try decoder(.thumbnail)
        #expect(decoder.decodePartiallyDownloadedData(file.prefix(100)) == nil)
        let preview = try #require(decoder.decodePartiallyDownloadedData(file.prefix(thumbnail.count + 200)))
        #expect(preview.isPreview && preview.type == .jpeg)
        #expect(preview.image.pixelSize == PixelSize(width: 40, height: 30))
        #expect(preview.userInfo[.scanNumberKey] as? Int == 1)
        #expect(decoder.decodePartiallyDownloadedData(file) == nil)
    }
}

@Suite("PreviewPolicy")
struct PreviewPolicyTests {
    @Test func suitsTheFile() throws {
        let progressive = try MadeImages.progressive()
        let frame = (0..<progressive.count - 1).first {
            progressive[$0] == 0xFF && progressive[$0 + 1] == 0xC2
        }
        let start = try #require(frame)
        #expect(ImagePipeline.PreviewPolicy.default(for: progressive) == .incremental)
        #expect(ImagePipeline.PreviewPolicy.default(for: progressive.prefix(start + 2)) == .incremental)
        #expect(ImagePipeline.PreviewPolicy.default(for: progressive.prefix(start + 1)) == .disabled)
        #expect(ImagePipeline.PreviewPolicy.default(for: Data("GIF89a".utf8)) == .incremental)
        #expect(ImagePipeline.PreviewPolicy.default(for: try MadeImages.file(64, 48)) == .disabled)
        #expect(ImagePipeline.PreviewPolicy.default(for: try Repository.photo("chelsea.png")) == .disabled)
        #expect(ImagePipeline.PreviewPolicy.default(for: Data()) == .disabled)
        #expect(ImagePipeline.PreviewPolicy.default(for: Data([0xFF, 0xD8, 0xFF])) == .disabled)
        #expect(ImageDecodingContext(request: "http://h/a", data: Data()).previewPolicy == .incremental)
    }
}
