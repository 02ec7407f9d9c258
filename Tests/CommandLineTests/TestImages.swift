import Foundation
import Imaging
import TestSupport

/// Real photographs in many cuts, for jobs of many items.
enum TestImages {
    /// So many JPEGs, no two alike, a few hundred pixels a side, cut from the photographs in `Jobs/photos`.
    static func distinctJPEGs(count: Int) throws -> [Data] {
        let photographs = try ["hubble_deep_field.jpg", "rocket.jpg", "coffee.png"].map {
            try ImageDecoder.decode(Repository.photo($0))
        }
        return try (0..<count).map { number in
            let photograph = photographs[number % photographs.count]
            let (width, height) = (200 + number % 97, 150 + number % 83)
            let crop = Crop(
                x: (number * 7) % (photograph.size.width - width),
                y: (number * 11) % (photograph.size.height - height),
                width: width,
                height: height
            )
            return try ImageEncoder.encode(crop.apply(to: photograph), as: .jpeg(JPEGOptions(quality: 80)))
        }
    }

    /// A PNG of this size whose columns and rows differ.
    static func gradient(width: Int, height: Int) throws -> Data {
        var pixels = Data(capacity: width * height * 4)
        for y in 0..<height {
            for x in 0..<width {
                pixels.append(contentsOf: [
                    UInt8(x * 200 / width), UInt8(y * 200 / height), UInt8(x % 7 * 9), 255,
                ])
            }
        }
        return try ImageEncoder.encode(Image(width: width, height: height, rgba: pixels), as: .png())
    }

    /// A tiny grey PNG whose level tells `number`.
    static func tiny(_ number: Int) throws -> Data {
        let level = UInt8(number % 256)
        let pixels = Data((0..<16).flatMap { _ in [level, level, UInt8(number / 256 % 256), 255] })
        return try ImageEncoder.encode(Image(width: 4, height: 4, rgba: pixels), as: .png())
    }

    /// A PNG of this size that no encoder can make much smaller.
    static func noise(_ width: Int, _ height: Int, seed: UInt64) throws -> Data {
        var numbers = SeededGenerator(seed: seed)
        let pixels = Data(
            (0..<width * height).flatMap { _ in
                let color = numbers.next()
                return [
                    UInt8(truncatingIfNeeded: color), UInt8(truncatingIfNeeded: color >> 8),
                    UInt8(truncatingIfNeeded: color >> 16), 255,
                ]
            }
        )
        return try ImageEncoder.encode(Image(width: width, height: height, rgba: pixels), as: .png())
    }
}
