#if AVIF || HEIC || PlugIns
internal import CImageCodecs
internal import Foundation

/// The common part of AVIF and HEIC: files of boxes (ISO/IEC 14496-12), each with a length, a type and its content.
enum MediaBoxes {
    /// Bytes that an AV1 or HEVC decoder allocates for itself, whatever the image's size.
    static let decoderCost = 4 << 20

    /// Calls a function of the C codecs.
    ///
    /// If it reports damage and the boxes extend past the data, the error is `truncated`.
    ///
    /// - Returns: What the function passed over.
    @discardableResult
    static func call(
        _ subject: String,
        data: Data,
        body: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<nb_error>) -> nb_status
    ) throws(ImagingError) -> Set<ImageWarning> {
        do throws(ImagingError) {
            return try Imaging.call(subject, data: data, body)
        } catch {
            guard error.reason == .corrupt, isCutShort(data) else { throw error }
            throw ImagingError(
                .truncated,
                "\(subject) is cut short: its boxes are longer than the data. Load it again."
            )
        }
    }

    /// Decodes into planes.
    ///
    /// - Returns: The profile that the file embeds or describes, and what the decoder passed over.
    static func decode(
        _ subject: String,
        data: Data,
        header: ImageHeader,
        into planes: [Plane],
        body: (
            UnsafePointer<UInt8>?, Int, [nb_plane], Int32, UnsafeMutablePointer<UInt8>?, Int,
            UnsafeMutablePointer<Int>, UnsafeMutablePointer<nb_error>
        ) -> nb_status
    ) throws(ImagingError) -> (profile: Data, warnings: Set<ImageWarning>) {
        try EmbeddedProfile.collect(capacity: header.profile.capacity) {
            (profile, capacity, profileCount) throws(ImagingError) in
            try call(subject, data: data) { bytes, count, error in
                planes.withCPlanes {
                    body(bytes, count, $0, Int32($0.count), profile, capacity, profileCount, error)
                }
            }
        }
    }

    /// True if a box extends past the data, or the box that describes the images is missing.
    static func isCutShort(_ data: Data) -> Bool {
        let bytes = ByteReader(data)
        var offset = 0
        var hasDescription = false
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
