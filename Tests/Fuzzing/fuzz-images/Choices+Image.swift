import Foundation
import Imaging

extension Choices {
    /// A small picture: a pattern of a few bytes, with their alpha or opaque, in colours or gray.
    mutating func image(side: Int = 40) throws -> Image {
        let (width, height) = (number(1...side), number(1...side))
        let pattern = (0..<number(1...24)).map { _ in UInt8(byte()) }
        let isOpaque = flag()
        var pixels = Data(count: width * height * 4)
        for index in pixels.indices {
            pixels[index] = isOpaque && index % 4 == 3 ? 255 : pattern[index % pattern.count]
        }
        let image = try Image(width: width, height: height, rgba: pixels)
        return flag() ? try Grayscale().apply(to: image) : image
    }

    /// A format with its settings, some of which no encoder takes.
    mutating func format() -> EncodingFormat {
        let quality = number(0...102)
        switch byte() % 8 {
        case 0, 1:
            let subsampling = one(of: [ChromaSubsampling.s420, .s422, .s444])
            var options = JPEGOptions(quality: quality, progressive: flag(), subsampling: subsampling)
            if flag() { options.effort = .smallest }
            return .jpeg(options)
        case 2, 3, 4: return .png(PNGOptions(compression: number(0...10), palette: flag()))
        case 5, 6: return .webp(WebPOptions(quality: quality, lossless: flag(), effort: number(0...7)))
        // The slowest ones, by far.
        default:
            if flag() {
                let distance = Double(number(0...260)) / 10
                return .jxl(JPEGXLOptions(distance: distance, lossless: flag(), effort: number(0...4)))
            }
            return flag() ? .avif(AVIFOptions(quality: quality, speed: 10)) : .png()
        }
    }
}
