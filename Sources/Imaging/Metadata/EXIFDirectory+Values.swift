internal import Foundation

/// Decoded values of tags. A malformed value is nil.
extension EXIFDirectory {
    /// The most bytes of a string that are read.
    ///
    /// A hostile one may be as long as its file.
    private static let longestText = 200

    /// The first directory of a file's EXIF data.
    ///
    /// A TIFF file's first directory is its EXIF data.
    init?(of data: Data, _ header: ImageHeader) {
        if header.format == .tiff {
            self.init(tiff: data)
        } else if let exif = header.embeddedMetadata(in: data).exif {
            self.init(exif)
        } else {
            return nil
        }
    }

    /// The string of a tag up to its first zero byte, without control characters and surrounding spaces; nil if empty.
    ///
    /// Bytes that are not UTF-8 become U+FFFD, although the standard allows only ASCII.
    func string(_ tag: Tag) -> String? {
        guard let bytes = text(tag)?.prefix(Self.longestText).prefix(while: { $0 != 0 }) else { return nil }
        var shown = String.UnicodeScalarView()
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: continue
            default: shown.append(scalar)
            }
        }
        let text = String(shown).trimmingCharacters(in: .whitespaces)
        return text.isEmpty ? nil : text
    }

    /// A value of a RATIONAL tag (two LONGs); nil if the denominator is zero.
    func rational(_ tag: Tag, _ index: Int = 0) -> Double? {
        guard let entry = self[tag], entry.type == 5, index < entry.count,
            let numerator = layout.long(at: entry.offset + 8 * index),
            let denominator = layout.long(at: entry.offset + 8 * index + 4), denominator > 0
        else { return nil }
        return Double(numerator) / Double(denominator)
    }

    /// The first rational value of a tag if it is above zero, because 0 means "unknown".
    func positive(_ tag: Tag) -> Double? {
        rational(tag).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The first value of a BYTE tag.
    func byte(_ tag: Tag) -> Int? {
        guard let entry = self[tag], entry.type == 1, entry.count > 0 else { return nil }
        return bytes.byte(at: entry.offset)
    }
}
