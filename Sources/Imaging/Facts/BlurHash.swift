internal import Foundation

/// A placeholder as a short string: the lowest frequencies of an image's colours (BlurHash).
///
/// The format is that of the algorithm page of github.com/woltapp/blurhash: the number of components, the largest component,
/// the mean colour, then each other component, in base-83 digits. The format has no alpha, so transparent pixels are
/// composited over white.
public struct BlurHash: Sendable, Hashable {
    /// The hash: 4 + 2 · columns · rows characters, 28 of them by default.
    public let text: String

    /// Computes the hash of a miniature.
    ///
    /// - Parameters:
    ///   - miniature: The pixels.
    ///   - columns: Horizontal components, 1 to 9.
    ///   - rows: Vertical components, 1 to 9.
    /// - Throws: `ImagingError` of reason `processing` for any other number of components.
    public init(_ miniature: Miniature, columns: Int = 4, rows: Int = 3) throws(ImagingError) {
        guard (1...9).contains(columns), (1...9).contains(rows) else {
            throw .processing(
                "A BlurHash cannot have \(columns) by \(rows) components. Give 1 to 9 for each axis."
            )
        }
        let components = Self.components(of: miniature, columns, rows)
        let others = components.dropFirst()
        let largest = others.map { max(abs($0.x), abs($0.y), abs($0.z)) }.max() ?? 0
        // The field is 0 without other components. With them, its value n stands for (n + 1) / 166.
        let steps = others.isEmpty ? 0 : Int(min(82, max(0, (largest * 166 - 0.5).rounded(.down))))
        let scale = Double(steps + 1) / 166
        let mean = Self.number(of: components[0], base: 256) { Self.encoded($0) }
        text =
            Self.digits(columns - 1 + (rows - 1) * 9, 1) + Self.digits(steps, 1) + Self.digits(mean, 4)
            + others.map { other in
                Self.digits(Self.number(of: other / scale, base: 19) { Self.level($0) }, 2)
            }.joined()
    }

    /// Red, green and blue of each component in linear light, the mean first.
    private static func components(of miniature: Miniature, _ columns: Int, _ rows: Int) -> [SIMD3<Double>] {
        let (width, height) = (miniature.size.width, miniature.size.height)
        let across = cosines(columns, width)
        let down = cosines(rows, height)
        var components = [SIMD3<Double>](repeating: .zero, count: columns * rows)
        for y in 0..<height {
            var sums = [SIMD3<Double>](repeating: .zero, count: columns)
            for x in 0..<width {
                let light = light(of: miniature.pixels[y * width + x])
                for column in 0..<columns { sums[column] += light * across[column][x] }
            }
            for row in 0..<rows {
                for column in 0..<columns {
                    components[row * columns + column] += sums[column] * down[row][y]
                }
            }
        }
        for index in components.indices {
            components[index] *= (index == 0 ? 1 : 2) / Double(width * height)
        }
        return components
    }

    /// The linear light of a pixel over white.
    private static func light(of pixel: SIMD4<UInt8>) -> SIMD3<Double> {
        let alpha = Int(pixel.w)
        func channel(_ value: UInt8) -> Double {
            linear[(Int(value) * alpha + 255 * (255 - alpha) + 127) / 255]
        }
        return SIMD3(channel(pixel.x), channel(pixel.y), channel(pixel.z))
    }

    /// Red, green and blue as one number, each converted to a digit by `digit`.
    private static func number(of color: SIMD3<Double>, base: Int, _ digit: (Double) -> Int) -> Int {
        (digit(color.x) * base + digit(color.y)) * base + digit(color.z)
    }

    /// The cosine basis functions along a side, the constant one first.
    private static func cosines(_ count: Int, _ side: Int) -> [[Double]] {
        (0..<count).map { wave in
            (0..<side).map { cos(Double.pi * Double(wave) * Double($0) / Double(side)) }
        }
    }

    /// One of 19 levels for a component from -1 to 1, finer around 0.
    private static func level(_ value: Double) -> Int {
        let root = value < 0 ? -(-value).squareRoot() : value.squareRoot()
        return Int(min(18, max(0, (root * 9 + 9.5).rounded(.down))))
    }

    /// The linear light of each sRGB value (IEC 61966-2-1).
    private static let linear: [Double] = (0..<256).map { step in
        let value = Double(step) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func encoded(_ light: Double) -> Int {
        let light = min(1, max(0, light))
        let value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
        return Int(value * 255 + 0.5)
    }

    private static let alphabet = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"
    )

    /// A number in base 83 with a fixed count of digits, the highest first.
    private static func digits(_ number: Int, _ count: Int) -> String {
        var (rest, digits) = (number, [Character]())
        for _ in 0..<count {
            digits.append(alphabet[rest % 83])
            rest /= 83
        }
        return String(digits.reversed())
    }
}
