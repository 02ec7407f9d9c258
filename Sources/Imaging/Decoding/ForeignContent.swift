import Foundation

/// The kind of a file that is no image in a known format, guessed from its first bytes: for messages.
enum ForeignContent {
    /// The bytes that are looked at.
    private static let most = 1024

    /// Returns the kind with its article, such as `an HTML page`; nil if nothing identifies it.
    static func name(of data: Data) -> String? {
        let start = data.prefix(most)
        return signature(ByteReader(data)) ?? text(start)
    }

    /// Files with bytes of their own at the beginning.
    private static func signature(_ bytes: ByteReader) -> String? {
        let starts: [(start: [UInt8], name: String)] = [
            (Array("%PDF-".utf8), "a PDF document"), (Array("%!PS".utf8), "a PostScript document"),
            ([0x1A, 0x45, 0xDF, 0xA3], "a video (WebM or Matroska)"), (Array("FLV".utf8), "a video (Flash)"),
            ([0, 0, 1, 0xBA], "a video (MPEG)"), ([0, 0, 1, 0xB3], "a video (MPEG)"),
            (Array("ID3".utf8), "audio (MP3)"),
            (Array("OggS".utf8), "audio or a video (Ogg)"), (Array("fLaC".utf8), "audio (FLAC)"),
            ([0x50, 0x4B, 3, 4], "a ZIP archive"), ([0x1F, 0x8B], "gzip data (SVGZ is not read)"),
            ([0x28, 0xB5, 0x2F, 0xFD], "Zstandard data"),
            (Array("BZh".utf8), "bzip2 data"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz data"),
            ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive"), (Array("Rar!".utf8), "a RAR archive"),
            (Array("8BPS".utf8), "a Photoshop document"),
            ([0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20], "a JPEG 2000 image"),
            ([0xFF, 0x4F, 0xFF, 0x51], "a JPEG 2000 image"),
            (Array("wOFF".utf8), "a font"), (Array("wOF2".utf8), "a font"),
            ([0x7F, 0x45, 0x4C, 0x46], "a program"),
        ]
        if let found = starts.first(where: { bytes.starts(with: $0.start) }) { return found.name }
        if bytes.tag(at: 0) == "RIFF" {
            return bytes.tag(at: 8) == "AVI "
                ? "a video (AVI)" : bytes.tag(at: 8) == "WAVE" ? "audio (WAV)" : nil
        }
        return bytes.tag(at: 4) == "ftyp" ? "a video or other media (MP4)" : nil
    }

    /// Text by its first element or character.
    private static func text(_ start: Data) -> String? {
        // A character may be cut at the end; UTF-16 begins with its mark and has zeros.
        let isWide = start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF])
        let text =
            isWide
            ? String(data: Data(start.prefix(start.count / 2 * 2)), encoding: .utf16) ?? ""
            : String(decoding: start, as: UTF8.self)
        let shown = text.unicodeScalars.drop { $0.properties.isWhitespace || $0 == "\u{feff}" }
        guard let first = shown.first,
            !shown.dropLast(3).contains(where: {
                $0.value < 9 || $0 == "\u{fffd}" || (14..<27).contains($0.value)
            })
        else { return nil }
        let lowered = String(shown).lowercased()
        let elements = lowered.matches(of: /<(!doctype\s+)?([a-z][a-z0-9:]*)/).map { String($0.2) }
        if first == "<" {
            // What comes before the root element are declarations and comments.
            switch elements.first {
            case "html", "head", "body", "title", "meta", "script", "div", "p", "h1", "br", "center", "a":
                return "an HTML page"
            case "svg", "svg:svg": return "an SVG drawing without its namespace or with an error of XML"
            case nil: return "XML"
            default: return lowered.contains("<html") ? "an HTML page" : "XML"
            }
        }
        if first == "{" || first == "[" { return "JSON" }
        if lowered.hasPrefix("#extm3u") { return "a playlist of a video" }
        if lowered.hasPrefix("version https://git-lfs") { return "a pointer of Git LFS, not the file itself" }
        return "text"
    }
}
