import Foundation
import Imaging
import Nuke
import TestSupport

/// Images made for tests, of the photographs that the project comes with or pixel by pixel.
enum MadeImages {
    /// A part of a photograph of so many pixels, in a format.
    static func file(
        _ width: Int = 640,
        _ height: Int = 480,
        as format: EncodingFormat = .jpeg(JPEGOptions(quality: 90))
    ) throws -> Data {
        let photo = try Imaging.ImageDecoder.decode(try Repository.photo("hubble_deep_field.jpg"))
        let part = try Crop(width: width, height: height).apply(to: photo)
        return try Imaging.ImageEncoder.encode(part, as: format)
    }

    /// The same as a JPEG that comes in scans.
    static func progressive(_ width: Int = 450, _ height: Int = 300) throws -> Data {
        try file(width, height, as: .jpeg(JPEGOptions(quality: 90, progressive: true)))
    }

    /// A photograph of so many pixels, without alpha.
    static func photo(_ width: Int = 640, _ height: Int = 480) throws -> PlatformImage {
        guard let image = PlatformImage(data: try file(width, height)) else {
            throw CocoaError(.coderInvalidValue)
        }
        return image
    }

    /// An image whose pixels are given as red, green, blue and alpha.
    static func pattern(
        _ width: Int,
        _ height: Int,
        color: (_ x: Int, _ y: Int) -> [UInt8]
    ) -> PlatformImage {
        var rgba = Data(capacity: width * height * 4)
        for y in 0..<height { for x in 0..<width { rgba += color(x, y) } }
        return PlatformImage(width: width, height: height, rgba: rgba)
    }

    /// An image of one colour.
    static func plain(_ width: Int, _ height: Int, color: [UInt8] = [200, 100, 50, 255]) -> PlatformImage {
        pattern(width, height) { _, _ in color }
    }
}

extension PlatformImage {
    /// Width and height.
    var pixelSize: PixelSize { PixelSize(width: width, height: height) }

    /// Red, green, blue and alpha of a pixel.
    func pixel(_ x: Int, _ y: Int) -> [Int] {
        guard let rgba else { return [] }
        let start = (y * width + x) * 4
        return rgba[start..<start + 4].map(Int.init)
    }
}
