internal import CImageCodecs

/// The gain map that a file has beside its image, by its header.
public struct GainMapHeader: Sendable {
    /// The form of a gain map.
    public enum Form: String, Sendable, Hashable {
        /// ISO 21496-1.
        case iso
        /// Adobe's XMP, as in Ultra HDR JPEG.
        case adobe
        /// Apple's own, in iPhone photographs up to 2024, whose numbers are not read.
        case apple
    }

    /// The form.
    public let form: Form
    /// Width and height as stored, before orientation; nil if the map is damaged, or of a kind that is not read.
    public let size: PixelSize?
    /// The numbers of the map; nil if there are none that mean anything.
    public let metadata: GainMapMetadata?
    /// The most bytes that decoding the map holds at once.
    public let decodeCost: Int
    let place: Place

    /// The place of a map in its file.
    enum Place: Sendable {
        /// A JPEG of its own.
        case picture(Range<Int>)
        #if AVIF || PlugIns
        /// An item of an AVIF.
        case item(nb_avif_gain_map)
        #endif
    }

    /// True if the map can be decoded as far as its header tells, and means something.
    public var isReadable: Bool { size != nil && metadata != nil }
}
