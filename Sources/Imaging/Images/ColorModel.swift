/// The meaning of an image's channels, alpha aside.
public enum ColorModel: String, Sendable, Hashable {
    /// One channel, from black to white.
    case gray
    /// Red, green and blue.
    case rgb
    /// Full-range BT.601 as in JFIF: luma and two chroma channels, which may have fewer samples.
    case ycbcr
    /// Four inks. Appears only in headers, because a decoded image is sRGB.
    case cmyk
}

/// The number of luma samples that share one chroma sample.
public enum ChromaSubsampling: String, Sendable, Hashable, CaseIterable {
    /// Two columns by two rows.
    case s420 = "4:2:0"
    /// Two columns by one row.
    case s422 = "4:2:2"
    /// One luma sample each.
    case s444 = "4:4:4"

    /// Luma samples per chroma sample, horizontally.
    var horizontal: Int { self == .s444 ? 1 : 2 }
    /// Luma samples per chroma sample, vertically.
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

    /// Creates a colour from its three components.
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

/// An sRGB colour with straight alpha.
public struct Color: Sendable, Hashable {
    /// The red part, 0 to 255.
    public var red: UInt8
    /// The green part, 0 to 255.
    public var green: UInt8
    /// The blue part, 0 to 255.
    public var blue: UInt8
    /// 0 is transparent, 255 opaque.
    public var alpha: UInt8

    /// Creates a colour from its components.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Opaque white.
    public static let white = Color(red: 255, green: 255, blue: 255)
    /// Opaque black.
    public static let black = Color(red: 0, green: 0, blue: 0)
    /// Transparent black.
    public static let clear = Color(red: 0, green: 0, blue: 0, alpha: 0)

    /// The colour without its alpha.
    public var opaque: RGBColor { RGBColor(red: red, green: green, blue: blue) }
}

extension RGBColor {
    var isGray: Bool { red == green && green == blue }

    /// The 8-bit samples of the colour in a model.
    ///
    /// In gray, the red component.
    func samples(in model: ColorModel) -> [UInt8] {
        guard model == .ycbcr else { return model == .gray ? [red] : [red, green, blue] }
        let (r, g, b) = (Double(red), Double(green), Double(blue))
        // JFIF 1.02, page 3.
        let luma = 0.299 * r + 0.587 * g + 0.114 * b
        let channels = [luma, 128 + (b - luma) / 1.772, 128 + (r - luma) / 1.402]
        return channels.map { UInt8(min(255, $0.rounded())) }
    }
}
