import Foundation
import Imaging

/// The photographs in the repository, and synthetic images for measurements.
enum Photographs {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Jobs/photos").standardizedFileURL
    static let names = ["astronaut.png", "chelsea.png", "coffee.png", "hubble_deep_field.jpg", "rocket.jpg"]

    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(name))
    }

    static func image(_ name: String) throws -> Image {
        try ImageDecoder.decode(try data(name))
    }

    /// A photograph as a JPEG, cut to a size.
    static func jpeg(
        _ name: String = "chelsea.png",
        width: Int = 451,
        height: Int = 300,
        options: JPEGOptions = JPEGOptions(quality: 95)
    ) throws -> Data {
        let part = try Crop(width: width, height: height).apply(to: try image(name))
        return try ImageEncoder.encode(part, as: .jpeg(options))
    }

    /// A smooth image of any size: gradients in red and green, waves in blue, and optionally alpha.
    static func gradient(_ width: Int, _ height: Int, alpha: Bool = false) throws -> Image {
        var rgba = Data(capacity: width * height * 4)
        for y in 0..<height {
            for x in 0..<width {
                let wave = 127.5 + 120 * sin(Double(x) / 9) * cos(Double(y) / 7)
                rgba.append(UInt8(x * 255 / max(1, width - 1)))
                rgba.append(UInt8(y * 255 / max(1, height - 1)))
                rgba.append(UInt8(wave))
                rgba.append(alpha ? UInt8((x * 5 + y * 3) % 256) : 255)
            }
        }
        return try Image(width: width, height: height, rgba: rgba)
    }

    /// An image whose pixels are given as red, green, blue and alpha.
    static func pattern(_ width: Int, _ height: Int, color: (_ x: Int, _ y: Int) -> [UInt8]) throws -> Image {
        var rgba = Data(capacity: width * height * 4)
        for y in 0..<height { for x in 0..<width { rgba += color(x, y) } }
        return try Image(width: width, height: height, rgba: rgba)
    }

    /// The image without its alpha channel, which must be opaque, so that it is encoded as RGB.
    static func opaqueGradient(_ width: Int, _ height: Int) throws -> Image {
        let image = try gradient(width, height)
        return try ImageDecoder.decode(
            try ImageEncoder.encode(image, as: .jpeg(JPEGOptions(quality: 100, subsampling: .s444)))
        )
    }
}

/// Peak signal-to-noise ratio of red, green and blue in decibels; infinite for equal pixels.
func psnr(_ one: Image, _ other: Image) throws -> Double {
    guard one.size == other.size else { return 0 }
    let first = [UInt8](try one.rgba())
    let second = [UInt8](try other.rgba())
    var sum = 0.0
    for index in first.indices where index % 4 != 3 {
        let difference = Double(first[index]) - Double(second[index])
        sum += difference * difference
    }
    let mean = sum / Double(one.size.width * one.size.height * 3)
    return mean == 0 ? .infinity : 10 * log10(255 * 255 / mean)
}

/// One pixel as red, green, blue and alpha.
func pixel(_ image: Image, x: Int, y: Int) throws -> [Int] {
    let rgba = [UInt8](try image.rgba())
    let start = (y * image.size.width + x) * 4
    return rgba[start..<start + 4].map(Int.init)
}
