/// Formats of which an image gets the one whose file is the smallest, at one floor of quality.
///
/// Without a floor, sizes cannot be compared: every format makes a smaller file of less quality.
public struct SmallestFormat: Sendable, Hashable {
    /// The formats with their other settings; of files of one size, that of the earlier format is taken.
    ///
    /// Formats that lose something without a quality that can be searched, GIF and PNG with a palette, are never taken.
    public var formats: [EncodingFormat]
    /// The score of SSIMULACRA2 that each file has at least, 1 to 100.
    public var minimumSSIMULACRA2: Double
    /// The maximum size of the file in bytes; nil for no limit.
    public var maxBytes: Int?

    /// Creates a choice; the default formats are those that every current browser reads.
    public init(
        _ formats: [EncodingFormat] = SmallestFormat.usual,
        minimumSSIMULACRA2: Double,
        maxBytes: Int? = nil
    ) {
        (self.formats, self.minimumSSIMULACRA2) = (formats, minimumSSIMULACRA2)
        self.maxBytes = maxBytes
    }

    /// The formats that every current browser reads, but for GIF: AVIF, WebP, JPEG and PNG.
    ///
    /// AVIF, the newest, is read since Chrome 85, Firefox 93, Safari 16.4 and Edge 121 (caniuse.com/avif).
    public static let usual: [EncodingFormat] = [.avif(), .webp(), .jpeg(), .png()]

    /// The formats that can be chosen, with the floor and the limit.
    package var candidates: [EncodingFormat] {
        formats.filter(\.canBeSmallest).map { format in
            switch format {
            case .jpeg(var options):
                (options.minimumSSIMULACRA2, options.maxBytes) = (minimumSSIMULACRA2, maxBytes)
                return .jpeg(options)
            case .webp(var options) where !format.isLossless:
                (options.minimumSSIMULACRA2, options.maxBytes) = (minimumSSIMULACRA2, maxBytes)
                return .webp(options)
            case .avif(var options):
                (options.minimumSSIMULACRA2, options.maxBytes) = (minimumSSIMULACRA2, maxBytes)
                return .avif(options)
            case .jxl(var options) where !format.isLossless:
                (options.minimumSSIMULACRA2, options.maxBytes) = (minimumSSIMULACRA2, maxBytes)
                return .jxl(options)
            case .png, .webp, .jxl, .gif: return format
            }
        }
    }
}

extension EncodingFormat {
    /// True if a file of this format has every pixel of 8 bits as it is.
    package var isLossless: Bool {
        switch self {
        case .png(let options): !options.palette
        case .webp(let options): options.lossless
        case .jxl(let options): options.isLossless
        case .jpeg, .avif, .gif: false
        }
    }

    /// True if its files have a floor of quality, or lose nothing.
    package var canBeSmallest: Bool { isLossless || quality != nil }
}
