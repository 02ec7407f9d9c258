public import Foundation

/// The type of an image file, named by a uniform type identifier.
public struct AssetType: ExpressibleByStringLiteral, Hashable, Sendable {
    /// The uniform type identifier.
    public let rawValue: String

    /// Creates the type with this identifier.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The type with the identifier `value`.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// PNG.
    public static let png: AssetType = "public.png"
    /// JPEG.
    public static let jpeg: AssetType = "public.jpeg"
    /// GIF.
    public static let gif: AssetType = "com.compuserve.gif"
    /// HEIF with HEVC.
    public static let heic: AssetType = "public.heic"
    /// HEIF with AV1.
    public static let avif: AssetType = "public.avif"
    /// WebP.
    public static let webp: AssetType = "org.webmproject.webp"
    /// MPEG-4 video.
    public static let mp4: AssetType = "public.mpeg-4"
    /// Apple's MPEG-4 video.
    public static let m4v: AssetType = "com.apple.m4v-video"
    /// QuickTime.
    public static let mov: AssetType = "com.apple.quicktime-movie"
    /// Windows icons.
    public static let ico: AssetType = "com.microsoft.ico"
    /// Windows bitmaps.
    public static let bmp: AssetType = "com.microsoft.bmp"
    /// TIFF.
    public static let tiff: AssetType = "public.tiff"
    /// JPEG 2000.
    public static let jpeg2000: AssetType = "public.jpeg-2000"
    /// JPEG XL.
    public static let jxl: AssetType = "public.jpeg-xl"

    /// Creates the type by the first bytes of `data`; nil if they match none or are too few.
    public init?(_ data: Data) {
        let head = [UInt8](data.prefix(16))
        guard let type = Self.signatures.first(where: { $0.matches(head) })?.type else { return nil }
        self = type
    }

    /// The bytes at the start of a file, and at a later offset, that identify a type.
    private struct Signature {
        let type: AssetType
        let start: [UInt8]
        var offset = 0
        var further: [UInt8] = []

        func matches(_ head: [UInt8]) -> Bool {
            head.starts(with: start) && head.dropFirst(offset).starts(with: further)
        }

        /// A file of ISO base media (ISO/IEC 14496-12) by its major brand: the length of its first box is free.
        static func brands(_ type: AssetType, _ brands: String...) -> [Signature] {
            brands.map { Signature(type: type, start: [], offset: 4, further: Array("ftyp\($0)".utf8)) }
        }
    }

    private static let signatures: [Signature] =
        [
            Signature(type: .jpeg, start: [0xFF, 0xD8, 0xFF]),
            Signature(type: .png, start: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            Signature(type: .gif, start: Array("GIF87a".utf8)),
            Signature(type: .gif, start: Array("GIF89a".utf8)),
            Signature(type: .webp, start: Array("RIFF".utf8), offset: 8, further: Array("WEBP".utf8)),
            Signature(type: .ico, start: [0x00, 0x00, 0x01, 0x00]),
            Signature(type: .bmp, start: Array("BM".utf8)),
            Signature(type: .tiff, start: [0x49, 0x49, 0x2A, 0x00]),
            Signature(type: .tiff, start: [0x4D, 0x4D, 0x00, 0x2A]),
            Signature(
                type: .jpeg2000,
                start: [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
            ),
            Signature(type: .jpeg2000, start: [0xFF, 0x4F, 0xFF, 0x51]),
            Signature(type: .jxl, start: [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
            Signature(type: .jxl, start: [0xFF, 0x0A]),
        ]
        + Signature.brands(.heic, "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs")
        + Signature.brands(.avif, "avif", "avis")
        + Signature.brands(
            .mp4,
            "isom",
            "iso2",
            "iso4",
            "iso5",
            "iso6",
            "mp41",
            "mp42",
            "mmp4",
            "avc1",
            "dash"
        )
        + Signature.brands(.m4v, "M4V ", "M4VH", "M4VP")
        + Signature.brands(.mov, "qt  ")
}
