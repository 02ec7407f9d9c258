public import Imaging

/// The kinds of values that a manifest and the command line write as text: durations, sizes, rates, pixels.
///
/// None of the readers can overflow: a number that does not fit is invalid.
public enum ManifestValue {
    /// Reads `"250ms"`, `"30s"`, `"10m"`, `"2h"` or `"7d"`, at most 36,500 days; nil for anything else.
    public static func duration(_ text: String) -> Duration? {
        let units: [(String, Int)] = [
            ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
        ]
        guard let milliseconds = product(text, units: units), milliseconds <= 36_500 * 86_400_000 else {
            return nil
        }
        return .milliseconds(milliseconds)
    }

    /// Reads `"1s..60s"`, from a shorter duration to a longer one; nil for anything else.
    public static func durations(_ text: String) -> ClosedRange<Duration>? {
        guard let dots = text.utf8.firstRange(of: "..".utf8),
            let lower = duration(String(text[..<dots.lowerBound])),
            let upper = duration(String(text[dots.upperBound...])),
            lower <= upper
        else { return nil }
        return lower...upper
    }

    /// Reads `"64KB"` or `"64kB"`, `"10GB"` (powers of 1000), `"64KiB"`, `"1GiB"` (powers of 1024) or `"500"`, in bytes.
    public static func size(_ text: String) -> Int? {
        let units: [(String, Int)] = [
            ("KB", 1_000), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
            ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40), ("", 1),
        ]
        return product(text, units: units)
    }

    /// Reads `"100MP"` or `"5000000"`, in pixels.
    public static func pixels(_ text: String) -> Int? {
        product(text, units: [("MP", 1_000_000), ("", 1)])
    }

    /// Reads `"80/s"`, `"600/m"` or `"3600/h"`, above 0.
    public static func rate(_ text: String) -> Rate? {
        let units: [(String, Int)] = [("/s", 1), ("/m", 60), ("/h", 3600)]
        for (unit, seconds) in units where text.hasSuffix(unit) {
            guard let count = Self.count(text.dropLast(unit.count)), (1...1_000_000).contains(count) else {
                return nil
            }
            return Rate(count: count, seconds: seconds)
        }
        return nil
    }

    /// The digits of `text` times its unit; of two units that fit, the one that leaves only digits holds.
    private static func product(_ text: String, units: [(String, Int)]) -> Int? {
        for (unit, factor) in units where text.hasSuffix(unit) {
            guard let count = Self.count(text.dropLast(unit.count)) else { continue }
            let (product, overflows) = count.multipliedReportingOverflow(by: factor)
            return overflows ? nil : product
        }
        return nil
    }

    /// Reads a whole number, without the sign that `Int` takes; nil for anything else.
    public static func count(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}

/// A number of requests in a period.
public struct Rate: Sendable, Hashable {
    /// Requests.
    public let count: Int
    /// The period in seconds.
    public let seconds: Int

    /// Makes a rate of `count` requests in `seconds`, both above 0.
    public init(count: Int, seconds: Int) {
        self.count = count
        self.seconds = seconds
    }

    /// Requests a second.
    public var perSecond: Double { Double(count) / Double(seconds) }
}

/// Colours as a manifest writes them.
extension Color {
    /// Reads `#RGB`, `#RRGGBB` or `#RRGGBBAA`; nil for anything else.
    public init?(_ text: String) {
        let digits = text.utf8.dropFirst().compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard text.hasPrefix("#"), digits.count == text.utf8.count - 1 else { return nil }
        func channel(_ index: Int) -> UInt8 { UInt8(digits[index * 2] * 16 + digits[index * 2 + 1]) }
        switch digits.count {
        case 3:
            self.init(red: UInt8(digits[0] * 17), green: UInt8(digits[1] * 17), blue: UInt8(digits[2] * 17))
        case 6: self.init(red: channel(0), green: channel(1), blue: channel(2))
        case 8: self.init(red: channel(0), green: channel(1), blue: channel(2), alpha: channel(3))
        default: return nil
        }
    }

    /// `#rrggbbaa` in lower case, whichever way it was written.
    public var hexadecimal: String {
        "#"
            + [red, green, blue, alpha].map {
                let digits = String($0, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
    }
}
