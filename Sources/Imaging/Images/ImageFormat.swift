public import Foundation

/// A file format, recognized by its first bytes; SVG by its root element.
///
/// Every build recognizes all formats; the traits of the build decide which of them it reads and writes (see
/// `ImageDecoder`).
public enum ImageFormat: String, Sendable, Hashable, CaseIterable, Codable {
    case jpeg, png, webp, gif, avif, jxl, heic, tiff, bmp, ico, svg

    /// The format that the data begins with; nil if it is none of these.
    public init?(_ data: Data) {
        let bytes = ByteReader(data)
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.tag(at: 0) == "RIFF", bytes.tag(at: 8) == "WEBP" {
            self = .webp
        } else if bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8)) {
            self = .gif
        } else if Self.jxlStarts.contains(where: { bytes.starts(with: $0) }) {
            self = .jxl
        } else if bytes.tag(at: 4) == "ftyp", let format = Self.isoMedia(bytes) {
            self = format
        } else if Self.tiffStarts.contains(where: { bytes.starts(with: $0) }) {
            self = .tiff
        } else if bytes.starts(with: [0x42, 0x4D]), let header = bytes.littleEndian32(at: 14),
            Self.bmpHeaderSizes.contains(header)
        {
            self = .bmp
        } else if Self.isICO(bytes) {
            self = .ico
        } else if SVGRoot(data) != nil {
            self = .svg
        } else {
            return nil
        }
    }

    /// The file name extension of the format: `jpg`, `png`, `webp`, `gif`, `avif`, `jxl`, `heic`, `tif`, `bmp`, `ico` or `svg`.
    public var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .tiff: "tif"
        default: rawValue
        }
    }

    /// The name in messages.
    var name: String {
        switch self {
        case .jxl: "JPEG XL"
        case .webp: "WebP"
        default: rawValue.uppercased()
        }
    }

    /// The beginning of a message about a file.
    var subject: String { "The \(name)" }

    /// True if a file has no pixels of its own: each output is drawn for itself, at the size that it asks for.
    package var isDrawnPerOutput: Bool { self == .svg }

    /// JPEG XL: a bare codestream (ISO/IEC 18181-1), and one in boxes (ISO/IEC 18181-2).
    private static let jxlStarts: [[UInt8]] = [
        [0xFF, 0x0A], [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A],
    ]

    /// TIFF 6.0 and BigTIFF, in either byte order.
    private static let tiffStarts: [[UInt8]] = [
        [0x49, 0x49, 42, 0], [0x4D, 0x4D, 0, 42], [0x49, 0x49, 43, 0], [0x4D, 0x4D, 0, 43],
    ]

    /// BMP's two letters could begin any text, so the size of the header after them is checked too.
    private static let bmpHeaderSizes = [12, 16, 40, 52, 56, 64, 108, 124]

    /// ICO begins with a word of zeros and small numbers, as other files may, so its first entry is checked too.
    private static func isICO(_ bytes: ByteReader) -> Bool {
        guard bytes.starts(with: [0, 0, 1, 0]), let count = bytes.littleEndian16(at: 4), count > 0,
            bytes.byte(at: 9) == 0, let size = bytes.littleEndian32(at: 14),
            let start = bytes.littleEndian32(at: 18)
        else { return false }
        return size > 0 && start >= 6 + 16 * count
    }

    /// AVIF and HEIC share a container (ISO/IEC 23008-12).
    ///
    /// The brands in its first box distinguish them.
    private static func isoMedia(_ bytes: ByteReader) -> ImageFormat? {
        let end = min(bytes.bigEndian32(at: 0) ?? 0, 256)
        let compatible = end > 16 ? stride(from: 16, to: end, by: 4).compactMap { bytes.tag(at: $0) } : []
        let brands = [bytes.tag(at: 8)].compactMap { $0 } + compatible
        if brands.contains(where: { ["avif", "avis"].contains($0) }) { return .avif }
        if brands.contains(where: { ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1"].contains($0) }) {
            return .heic
        }
        return nil
    }
}
