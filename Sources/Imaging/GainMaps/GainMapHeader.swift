internal import Foundation

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
    let range: Range<Int>

    /// True if the map can be decoded as far as its header tells, and means something.
    public var isReadable: Bool { size != nil && metadata != nil }

    /// Finds the gain map of a JPEG by its index of pictures (MPF), or by the lengths in its XMP (GContainer); nil if it has none.
    init?(of data: Data, _ segments: JPEGSegments) {
        let bytes = ByteReader(data)
        var apples: GainMapHeader?
        for range in segments.pictures.flatMap({ MultiPictureIndex.pictures(bytes, in: $0) }) ?? [] {
            guard let found = GainMapHeader(data, at: range, isNamed: false) else { continue }
            guard found.form == .apple else {
                self = found
                return
            }
            apples = found
        }
        if let apples {
            self = apples
            return
        }
        guard let length = EmbeddedMetadata(xmp: segments.xmp.map(bytes.slice)).xmp.flatMap(Self.length),
            length > 2, length < data.count,
            let found = GainMapHeader(data, at: data.count - length..<data.count, isNamed: true)
        else { return nil }
        self = found
    }

    /// Reads the header of a picture; nil if it is no gain map.
    ///
    /// `isNamed` is true where the file names the picture as its gain map.
    private init?(_ data: Data, at range: Range<Int>, isNamed: Bool) {
        let picture = ByteReader(data).slice(range)
        guard picture.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        let (segments, bytes) = (JPEGSegments(picture), ByteReader(picture))
        let iso = segments.gainMap.flatMap { GainMapMetadata(iso: bytes.slice($0)) }
        let xmp = EmbeddedMetadata(xmp: segments.xmp.map(bytes.slice)).xmp.flatMap(GainMapXMP.init)
        let isAdobes = xmp?.hasVersion ?? false
        if iso != nil {
            form = .iso
        } else if isAdobes {
            form = .adobe
        } else if segments.gainMap != nil {
            form = .iso
        } else if xmp?.isApples ?? false {
            form = .apple
        } else {
            guard isNamed else { return nil }
            form = .adobe
        }
        metadata = iso ?? xmp?.metadata
        let header = try? JPEGDecoder.readHeader(picture, findsGainMap: false)
        let isRead = header.map { $0.colorModel != .cmyk } ?? false
        size = isRead ? header?.storedSize : nil
        decodeCost = header?.largestDecodeCost(covering: nil) ?? 0
        self.range = range
    }

    /// The bytes from the gain map to the file's end, if the packet names one.
    private static func length(inXMP packet: Data) -> Int? {
        // Most packets are not about this, and need not be parsed.
        guard packet.firstRange(of: Data("GainMap".utf8)) != nil else { return nil }
        return GainMapXMP(packet)?.bytesToEnd
    }
}
