internal import Foundation

/// The numbers by which a gain map turns an image into one of another dynamic range (ISO 21496-1, section 5; Adobe's "Gain Map
/// Specification" 1.0).
///
/// Gains are logarithms to the base of two, as are headrooms: 3 is eight times as bright.
public struct GainMapMetadata: Sendable, Hashable {
    /// The numbers of one colour channel.
    public struct Channel: Sendable, Hashable {
        /// The gain of the map's lowest value, -64 to 64.
        public var minimum: Double
        /// The gain of the map's highest value, not below `minimum`, at most 64.
        public var maximum: Double
        /// The power that the map's values were raised to, 1/64 to 64.
        public var gamma: Double
        /// A part that is added to the linear values of the standard range before they are multiplied.
        public var standardOffset: Double
        /// The same of the high range.
        public var highOffset: Double

        /// The value from 0 to 1 that changes nothing, or as little as the map can say.
        var neutral: Double {
            guard maximum > minimum else { return 0 }
            let part = min(max(0, -minimum / (maximum - minimum)), 1)
            return pow(part, gamma)
        }
    }

    /// One channel for all colours, or red, green and blue.
    public var channels: [Channel]
    /// The headroom of a display up to which the standard range is shown, 0 to 64.
    public var standardHeadroom: Double
    /// The headroom of a display from which the high range is shown, at least 0.0001 above `standardHeadroom`.
    public var highHeadroom: Double
    /// True if the image beside the map is the one of high range.
    public var baseIsHighRange = false
    /// True if the map is about the colours of the image beside it; false if about those of the other one.
    public var usesBaseColors = true

    /// The largest logarithm that is read; 2 to this power is beyond any light.
    private static let most = 64.0
    /// The least difference of headrooms, which a file's decimal numbers still tell.
    private static let leastHeadroom = 0.0001
    /// The rounding of numbers in files, by which a lowest gain may lie above the highest.
    private static let rounding = 1e-6

    /// Creates metadata of these numbers; nil if they mean nothing, as a highest gain below the lowest.
    init?(
        channels: [Channel],
        standardHeadroom: Double,
        highHeadroom: Double,
        baseIsHighRange: Bool = false,
        usesBaseColors: Bool = true
    ) {
        let areSound = channels.allSatisfy { channel in
            let gains = [channel.minimum, channel.maximum, channel.standardOffset, channel.highOffset]
            // A number that is none compares false.
            return gains.allSatisfy { abs($0) <= Self.most }
                && channel.minimum <= channel.maximum + Self.rounding
                && channel.gamma >= 1 / Self.most && channel.gamma <= Self.most
        }
        guard areSound, channels.count == 1 || channels.count == 3, standardHeadroom >= 0,
            highHeadroom - standardHeadroom >= Self.leastHeadroom - Self.rounding, highHeadroom <= Self.most
        else { return nil }
        let channels = channels.map { channel in
            var channel = channel
            channel.maximum = max(channel.minimum, channel.maximum)
            return channel
        }
        let isOne = channels.allSatisfy { $0 == channels[0] }
        self.channels = isOne ? [channels[0]] : channels
        self.standardHeadroom = standardHeadroom
        self.highHeadroom = highHeadroom
        self.baseIsHighRange = baseIsHighRange
        self.usesBaseColors = usesBaseColors
    }

    /// The 8-bit colour of a map that changes nothing.
    var neutral: RGBColor {
        let values = channels.map { UInt8(($0.neutral * 255).rounded()) }
        return values.count == 1
            ? RGBColor(red: values[0], green: values[0], blue: values[0])
            : RGBColor(red: values[0], green: values[1], blue: values[2])
    }
}
