#if AVIF || HEIC || JXL || PlugIns
internal import Foundation

/// The common part of AVIF, HEIC and JPEG XL: files of boxes (ISO/IEC 14496-12), each with a length, a type and its content.
enum MediaBoxes {
    /// Bytes that an AV1 or HEVC decoder allocates for itself, whatever the image's size.
    static let decoderCost = 4 << 20

    /// True if a box extends past the data, or the box that describes the images is missing, which JPEG XL does not have.
    static func isCutShort(_ data: Data, isDescribed: Bool = true) -> Bool {
        let bytes = ByteReader(data)
        var offset = 0
        var hasDescription = !isDescribed
        while offset < bytes.count {
            guard let short = bytes.bigEndian32(at: offset), let type = bytes.tag(at: offset + 4) else {
                return bytes.count - offset < 8
            }
            hasDescription = hasDescription || type == "meta" || type == "moov"
            var length = short
            if short == 1 {
                guard let high = bytes.bigEndian32(at: offset + 8),
                    let low = bytes.bigEndian32(at: offset + 12)
                else { return true }
                length = high.multipliedClamping(by: 1 << 32).addingClamping(low)
            }
            // A length of 0 means "to the end of the file".
            guard length >= 8 else { return length == 0 && !hasDescription }
            if length > bytes.count - offset { return true }
            offset += length
        }
        return !hasDescription
    }
}
#endif
