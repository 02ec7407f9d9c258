/// What the channels of an image stand for, alpha aside.
public enum ColorModel: String, Sendable, Hashable {
    /// One channel, from black to white.
    case gray
    /// Red, green and blue.
    case rgb
    /// Full-range BT.601 as in JFIF: luma, and two chroma channels that may have fewer samples.
    case ycbcr
    /// Four inks; only ever in a header, since a decoded image is sRGB.
    case cmyk
}

/// How many luma samples share one chroma sample.
public enum ChromaSubsampling: String, Sendable, Hashable, CaseIterable {
    /// Two by two.
    case s420 = "4:2:0"
    /// Two side by side.
    case s422 = "4:2:2"
    /// Each has its own.
    case s444 = "4:4:4"

    /// Luma samples a chroma sample, from left to right.
    var horizontal: Int { self == .s444 ? 1 : 2 }
    /// Luma samples a chroma sample, from top to bottom.
    var vertical: Int { self == .s420 ? 2 : 1 }
}

/// An opaque sRGB colour.
public struct RGBColor: Sendable, Hashable {
    /// The red part, 0 to 255.
    public var red: UInt8
    /// The green part, 0 to 255.
    public var green: UInt8
    /// The blue part, 0 to 255.
    public var blue: UInt8

    /// A colour of three parts.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// White.
    public static let white = RGBColor(red: 255, green: 255, blue: 255)
    /// Black.
    public static let black = RGBColor(red: 0, green: 0, blue: 0)
}
