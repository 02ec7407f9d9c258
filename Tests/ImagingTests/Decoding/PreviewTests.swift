import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct PreviewTests {
    /// The offsets of the scans of a JPEG.
    private func scanStarts(_ file: Data) -> [Int] {
        (0..<file.count - 1).filter { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
    }

    private func progressive(_ width: Int = 300, _ height: Int = 200) throws -> Data {
        try Photographs.jpeg(
            width: width,
            height: height,
            options: JPEGOptions(quality: 90, progressive: true)
        )
    }

    /// The mean difference of the components of two images.
    private func difference(_ one: Image, _ other: Image) throws -> Double {
        let pairs = zip(try one.rgba(), try other.rgba())
        return pairs.reduce(0) { $0 + abs(Double($1.0) - Double($1.1)) } / Double(one.size.area * 4)
    }

    @Test func eachScanComesCloserToTheImage() throws {
        let file = try progressive()
        let starts = scanStarts(file)
        try #require(starts.count > 4)
        let image = try ImageDecoder.decode(file)
        var last = Double.infinity
        for end in starts.dropFirst() + [file.count] {
            let preview = try ImageDecoder.preview(of: file.prefix(end))
            #expect(preview.size == image.size)
            let now = try difference(preview, image)
            #expect(now < last + 0.2, "\(end)")
            last = now
        }
        #expect(last == 0)
        // The control: the first scan alone is far from the image.
        #expect(try difference(ImageDecoder.preview(of: file.prefix(starts[1])), image) > 1)
    }

    @Test func dataMayEndAnywhereAfterTheFirstHeader() throws {
        let file = try progressive(64, 48)
        let start = scanStarts(file)[0]
        for end in stride(from: start + 16, to: file.count, by: 37) {
            #expect(throws: Never.self) { try ImageDecoder.preview(of: file.prefix(end)) }
            #expect(throws: ImagingError.self) { try ImageDecoder.decode(file.prefix(end)) }
        }
        for end in [0, 2, 20, start + 1] {
            #expect(throws: ImagingError.self) { try ImageDecoder.preview(of: file.prefix(end)) }
        }
    }

    @Test func isDecodedAsSmallAsAsked() throws {
        let file = try progressive(448, 296)
        let small = PixelSize(width: 60, height: 40)
        let part = file.prefix(scanStarts(file)[2])
        let preview = try ImageDecoder.preview(of: part, covering: small)
        #expect(preview.size == PixelSize(width: 112, height: 74))
    }

    @Test func isUpright() throws {
        var exif = EXIFData()
        exif.main = [0x0112: .short(6)]
        let file = EXIFData.embed(exif.data, in: try progressive(90, 60))
        let part = file.prefix(try #require(scanStarts(file).last))
        #expect(try ImageDecoder.preview(of: part).size == PixelSize(width: 60, height: 90))
    }

    @Test func scansAreLimited() throws {
        let file = try progressive()
        var limits = ImageLimits()
        limits.maxScans = 2
        let error = #expect(throws: ImagingError.self) {
            try ImageDecoder.preview(of: file.dropLast(9), limits: limits)
        }
        #expect(error?.reason == .limits)
    }

    @Test func theRowsOfABaselineJPEGThatCameAreShown() throws {
        let file = try Photographs.jpeg(width: 160, height: 320)
        let image = try ImageDecoder.decode(file)
        let start = scanStarts(file)[0]
        var last = Double.infinity
        for tenths in [2, 5, 8, 10] {
            let part = file.prefix(start + (file.count - start) * tenths / 10)
            let preview = try ImageDecoder.preview(of: part)
            #expect(preview.size == image.size)
            let now = try difference(preview, image)
            #expect(now < last, "\(tenths)")
            last = now
            // The first rows are there already.
            let row = 160 * 4 * 8
            #expect(try preview.rgba().prefix(row) == image.rgba().prefix(row))
        }
        #expect(last == 0)
    }

    @Test func otherFilesAreShownWhenTheyAreComplete() throws {
        let files = [
            try Photographs.data("chelsea.png"),
            try ImageEncoder.encode(try Photographs.gradient(20, 10), as: .webp()),
        ]
        for file in files {
            let error = #expect(throws: ImagingError.self) {
                try ImageDecoder.preview(of: file.prefix(file.count * 9 / 10))
            }
            #expect(error?.reason == .unsupported || error?.reason == .truncated)
        }
    }

    #if JXL
    @Test("a JPEG XL comes closer to the image, the more of it there is")
    func partsOfAJPEGXL() throws {
        let photo = try Photographs.image("coffee.png")
        let file = try ImageEncoder.encode(photo, as: .jxl(JPEGXLOptions(effort: 3)))
        let image = try ImageDecoder.decode(file)
        var differences: [Double] = []
        for end in stride(from: 1, through: 16, by: 1).map({ file.count * $0 / 16 }) {
            do {
                let preview = try ImageDecoder.preview(of: file.prefix(end))
                #expect(preview.size == image.size)
                differences.append(try difference(preview, image))
            } catch {
                // Nothing can be shown yet; later, something always can.
                #expect((error as? ImagingError)?.reason == .truncated && differences.isEmpty)
            }
        }
        #expect(differences.count > 8 && differences.last == 0 && differences[0] > 1, "\(differences)")
        #expect(zip(differences, differences.dropFirst()).allSatisfy { $0 >= $1 }, "\(differences)")
        let part = file.prefix(file.count / 2)
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(part) }
        #expect(error?.reason == .truncated)
        let small = try ImageDecoder.preview(of: part, covering: PixelSize(width: 60, height: 40))
        #expect(small.size == PixelSize(width: 120, height: 80))
    }
    #endif

    #if GIF
    /// Forty rows in blocks of 255 bytes, about five rows each.
    @Test func theRowsOfAGIFThatCameAreShown() throws {
        let side = 40
        let indices = (0..<side * side).map { $0 % 4 }
        let file = CraftedGIF(
            screenWidth: side,
            screenHeight: side,
            width: side,
            height: side,
            indices: indices
        ).data
        let image = try ImageDecoder.decode(file)
        #expect(try ImageDecoder.preview(of: file).rgba() == image.rgba())
        var shown: [Int] = []
        for end in 1..<file.count {
            guard let preview = try? ImageDecoder.preview(of: file.prefix(end)) else {
                #expect(shown.isEmpty, "what was shown once is shown with more of it")
                continue
            }
            let bytes = [UInt8](try preview.rgba())
            let count = stride(from: 3, to: bytes.count, by: 4).filter { bytes[$0] == 255 }.count
            #expect(count % side == 0)
            // The shown part equals that of the whole image.
            #expect(bytes.prefix(4 * count).elementsEqual(try image.rgba().prefix(4 * count)))
            #expect(count / side >= max(side / 4, shown.last ?? 0))
            shown.append(count / side)
        }
        #expect(Set(shown).count > 3)
    }

    @Test func aFrameThatLeavesTheScreenBareIsShown() throws {
        let indices = [Int](repeating: 1, count: 8)
        let file = CraftedGIF(
            screenWidth: 4,
            screenHeight: 40,
            top: 3,
            width: 4,
            height: 2,
            indices: indices
        ).data
        #expect(try ImageDecoder.preview(of: file).rgba() == ImageDecoder.decode(file).rgba())
    }
    #endif

    @Test func aCamerasThumbnailIsFound() throws {
        let thumbnail = try Photographs.jpeg(width: 40, height: 30)
        var exif = EXIFData()
        exif.main = [0x0112: .short(6)]
        let plain = try Photographs.jpeg(width: 64, height: 48)
        #expect(try ImageDecoder.embeddedThumbnail(of: EXIFData.embed(exif.data, in: plain)) == nil)
        let file = EXIFData.embed(exif.data(withThumbnail: thumbnail), in: plain)
        let found = try #require(try ImageDecoder.embeddedThumbnail(of: file))
        #expect(found.size == PixelSize(width: 30, height: 40))
        // The thumbnail precedes the image: a part of the file suffices if it has all of the EXIF data.
        let end = file.count - plain.count + 2
        #expect(try ImageDecoder.embeddedThumbnail(of: file.prefix(end)) != nil)
        #expect(try ImageDecoder.embeddedThumbnail(of: file.prefix(end - 1)) == nil)
        #expect(try ImageDecoder.embeddedThumbnail(of: try Photographs.data("chelsea.png")) == nil)
    }
}

extension EXIFData {
    /// The data of a main directory with an orientation alone, and a second one that holds a thumbnail.
    fileprivate func data(withThumbnail thumbnail: Data) -> Data {
        var bytes: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]
        func long(_ value: Int) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }
        bytes += [0, 1, 0x01, 0x12, 0, 3] + long(1) + [0, 6, 0, 0] + long(26)
        let start = 26 + 2 + 24 + 4
        bytes += [0, 2, 0x02, 0x01, 0, 4] + long(1) + long(start)
        bytes += [0x02, 0x02, 0, 4] + long(1) + long(thumbnail.count) + long(0)
        return Data(bytes) + thumbnail
    }
}
