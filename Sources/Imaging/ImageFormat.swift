public import Foundation

/// A file format, told by its first bytes.
///
/// Images are decoded from and encoded to `jpeg`, `png`, `webp` and `avif`, and decoded from `heic`, where the build has
/// these last two; the others are known by name.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, webp, gif, avif, heic, tiff, bmp

    /// The format that the data begins with, or nil if it is none of these.
    public init?(_ data: Data) {
        let bytes = ByteReader(data)
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.tag(at: 0) == "RIFF", bytes.tag(at: 8) == "WEBP" {
            self = .webp
        } else if bytes.tag(at: 0) == "GIF8" {
            self = .gif
        } else if bytes.tag(at: 4) == "ftyp", let format = Self.isoMedia(bytes) {
            self = format
        } else if bytes.starts(with: [0x49, 0x49, 0x2A, 0]) || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
            self = .tiff
        } else if bytes.starts(with: [0x42, 0x4D]), bytes.littleEndian32(at: 6) == 0 {
            self = .bmp
        } else {
            return nil
        }
    }

    /// The extension that files of this format get: `jpg`, `png`, `webp`, `gif`, `avif`, `heic`, `tif`, `bmp`.
    public var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .tiff: "tif"
        default: rawValue
        }
    }

    /// AVIF and HEIC share a container (ISO/IEC 23008-12); the brands in its first box tell them apart.
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
