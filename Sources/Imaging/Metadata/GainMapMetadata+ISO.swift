internal import Foundation

/// The binary form of the metadata (ISO 21496-1, annex C; libultrahdr's `encodeGainmapMetadata`), big-endian: two versions, flags,
/// headrooms, and five fractions for each channel.
extension GainMapMetadata {
    /// The prefix of a JPEG segment that holds it.
    static let isoPrefix = "urn:iso:std:iso:ts:21496:-1\0"
    /// The content of that segment for the image beside the map: the least version that a reader must know, and the writer's.
    static let isoVersion = Data([0, 0, 0, 0])

    /// The flags, from the highest bit down; the last is not the standard's, but some writers'.
    private static let (multipleChannels, baseColors, commonDenominator) = (0x80, 0x40, 0x08)

    /// Reads the binary form; nil if it is of a version that is not known, cut short, or has a denominator of zero.
    init?(iso data: Data) {
        let bytes = ByteReader(data)
        guard bytes.bigEndian16(at: 0) == 0, let flags = bytes.byte(at: 4) else { return nil }
        let isShared = flags & Self.commonDenominator != 0
        let denominator = isShared ? bytes.bigEndian32(at: 5) : nil
        var offset = isShared ? 9 : 5
        func fraction(signed: Bool) -> Double {
            let value = bytes.bigEndian32(at: offset)
            let divisor = isShared ? denominator : bytes.bigEndian32(at: offset + 4)
            offset += isShared ? 4 : 8
            guard let value, let divisor, divisor > 0 else { return .nan }
            let numerator = signed ? Int(Int32(truncatingIfNeeded: value)) : value
            return Double(numerator) / Double(divisor)
        }
        let base = fraction(signed: false)
        let alternate = fraction(signed: false)
        let isHigh = base > alternate
        var channels: [Channel] = []
        for _ in 0..<(flags & Self.multipleChannels == 0 ? 1 : 3) {
            let (minimum, maximum) = (fraction(signed: true), fraction(signed: true))
            let gamma = fraction(signed: false)
            let (ofBase, ofOther) = (fraction(signed: true), fraction(signed: true))
            channels.append(
                Channel(
                    minimum: minimum,
                    maximum: maximum,
                    gamma: gamma,
                    standardOffset: isHigh ? ofOther : ofBase,
                    highOffset: isHigh ? ofBase : ofOther
                )
            )
        }
        self.init(
            channels: channels,
            standardHeadroom: isHigh ? alternate : base,
            highHeadroom: isHigh ? base : alternate,
            baseIsHighRange: isHigh,
            usesBaseColors: flags & Self.baseColors != 0
        )
    }

    var iso: Data {
        var data = Self.isoVersion
        data.append(
            UInt8((channels.count > 1 ? Self.multipleChannels : 0) | (usesBaseColors ? Self.baseColors : 0))
        )
        func add(_ value: Double) {
            let (numerator, denominator) = Self.fraction(value)
            data += numerator.bigEndianBytes() + denominator.bigEndianBytes()
        }
        add(baseIsHighRange ? highHeadroom : standardHeadroom)
        add(baseIsHighRange ? standardHeadroom : highHeadroom)
        for channel in channels {
            add(channel.minimum)
            add(channel.maximum)
            add(channel.gamma)
            add(baseIsHighRange ? channel.highOffset : channel.standardOffset)
            add(baseIsHighRange ? channel.standardOffset : channel.highOffset)
        }
        return data
    }

    /// A fraction of 32-bit numbers for a value that is at most 64 in size: the first convergent of its continued fraction that
    /// is the same but for rounding, so that a fraction that was read is written as it was, but reduced.
    static func fraction(_ value: Double) -> (numerator: Int, denominator: Int) {
        let most = Double(Int32.max)
        var (last, next) = ((numerator: 0.0, denominator: 1.0), (numerator: 1.0, denominator: 0.0))
        var rest = abs(value)
        let tolerance = max(abs(value) / 0x1p48, 0x1p-60)
        while true {
            let whole = rest.rounded(.down)
            let found = (
                numerator: whole * next.numerator + last.numerator,
                denominator: whole * next.denominator + last.denominator
            )
            guard found.numerator <= most, found.denominator <= most else { break }
            (last, next) = (next, found)
            rest -= whole
            guard rest > 0x1p-40, abs(found.numerator / found.denominator - abs(value)) > tolerance else {
                break
            }
            rest = 1 / rest
        }
        let sign = value < 0 ? -1.0 : 1
        return (Int(sign * next.numerator), Int(next.denominator))
    }
}
