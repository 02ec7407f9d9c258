import Foundation
@testable import Imaging
import Testing

/// `maxBytes` of the formats whose quality can be lowered.
@Suite struct SizeLimitTests {
    /// Files of one format at each quality, quick to encode.
    enum Kind: CaseIterable, Sendable {
        case jpeg, webp, avif

        static var written: [Kind] {
            allCases.filter { ImageEncoder.formats.contains($0.format(50).imageFormat) }
        }

        func format(_ quality: Int, maxBytes: Int? = nil) -> EncodingFormat {
            switch self {
            case .jpeg: .jpeg(JPEGOptions(quality: quality, maxBytes: maxBytes))
            case .webp: .webp(WebPOptions(quality: quality, effort: 0, maxBytes: maxBytes))
            case .avif: .avif(AVIFOptions(quality: quality, speed: 10, maxBytes: maxBytes))
            }
        }
    }

    private func photo() throws -> Image {
        try Resize(width: 120).apply(to: try Photographs.image("coffee.png"))
    }

    @Test("a file keeps within its limit, the file of the next quality does not", arguments: Kind.written)
    func limits(kind: Kind) throws {
        let photo = try photo()
        let all = try (1...80).map { try ImageEncoder.encode(photo, as: kind.format($0)) }
        let (least, own) = (all[0].count, all[79].count)
        try #require(least < own / 2)
        for limit in [least, (least + own) / 2, own - 1, own, own * 2] {
            let file = try ImageEncoder.encode(photo, as: kind.format(80, maxBytes: limit))
            let index = try #require(all.lastIndex(of: file))
            #expect(file.count <= limit && (index == 79 || all[index + 1].count > limit), "\(limit)")
            #expect(try ImageEncoder.encode(photo, as: kind.format(80, maxBytes: limit)) == file)
        }
    }

    @Test("any quality is found with at most eight files, and with one if it is the format's own")
    func count() throws {
        for quality in 1...100 {
            var count = 0
            let file = try Kind.jpeg.format(100).file(within: quality) { format in
                count += 1
                guard case .jpeg(let options) = format else { return Data() }
                return Data(count: options.quality)
            }
            #expect(file.data.count == quality && file.quality == quality)
            #expect(count <= (quality == 100 ? 1 : 8), "\(quality): \(count) files")
        }
    }

    @Test("a limit that no quality keeps is an error with the size that was reached", arguments: Kind.written)
    func impossible(kind: Kind) throws {
        let photo = try photo()
        // The lowest qualities of a format may give files of nearly one size.
        let least = try [1, 2].map { try ImageEncoder.encode(photo, as: kind.format($0)).count }.min() ?? 0
        let error = #expect(throws: ImagingError.self) {
            try ImageEncoder.encode(photo, as: kind.format(80, maxBytes: 30))
        }
        #expect(error?.reason == .processing)
        let message = error?.message ?? ""
        let told = "has \(least) bytes even at the lowest quality, but the format's maxBytes allows 30"
        #expect(message.contains(told) && message.contains("narrower"), "\(message)")
    }

    @Test("a lossless file has one size")
    func lossless() throws {
        let photo = try photo()
        let own = try ImageEncoder.encode(photo, as: .webp(WebPOptions(lossless: true)))
        func file(_ limit: Int) throws -> Data {
            try ImageEncoder.encode(photo, as: .webp(WebPOptions(lossless: true, maxBytes: limit)))
        }
        #expect(try file(own.count) == own)
        let error = #expect(throws: ImagingError.self) { try file(own.count - 1) }
        #expect(error?.message.contains("has \(own.count) bytes, but") == true)
    }
}
