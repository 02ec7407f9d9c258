/// A hash of 256 bits, of which similar images share most: the result of `PDQ`.
public struct PerceptualHash: Sendable, Hashable {
    /// The number of bits.
    public static let bitCount = 256
    /// The distance up to which two images count as near copies (PDQ's reference, "Hashing", section "Matching").
    public static let recommendedDistance = 31

    /// The bits, the lowest 64 first; bit 16 × row + column tells of one frequency.
    public let words: SIMD4<UInt64>

    /// The hash of these bits.
    public init(words: SIMD4<UInt64>) {
        self.words = words
    }

    /// Reads the text of a hash: 64 hexadecimal digits, the highest bit first; nil for any other text.
    public init?(text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 64 else { return nil }
        var words = SIMD4<UInt64>()
        for (index, digit) in digits.enumerated() {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            words[3 - index / 16] = words[3 - index / 16] << 4 | UInt64(value)
        }
        self.words = words
    }

    /// The hash as 64 hexadecimal digits, the highest bit first.
    public var text: String {
        (0..<4).reversed().map { lane in
            let digits = String(words[lane], radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Returns the number of bits in which two hashes differ (Hamming distance), 0 to 256.
    public func distance(to other: PerceptualHash) -> Int {
        let difference = words ^ other.words
        return (0..<4).reduce(0) { $0 + difference[$1].nonzeroBitCount }
    }
}
