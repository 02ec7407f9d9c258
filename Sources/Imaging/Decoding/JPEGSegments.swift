internal import Foundation

/// What stands in a JPEG's markers beside the image: EXIF, XMP, ICC and Photoshop's data (ITU T.81 annex B, ICC.1 annex B.4).
struct JPEGSegments {
    private(set) var orientation = Orientation.up
    private(set) var profile = EmbeddedProfile.none
    private(set) var exif: Range<Int>?
    private(set) var xmp: Range<Int>?
    private(set) var iptc: Range<Int>?

    private static let xmpPrefix = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

    /// Walks the markers up to the first scan; damage ends the walk, since the decoder reports it.
    init(_ data: Data) {
        let bytes = ByteReader(data)
        var chunks: [Int: Range<Int>] = [:]
        var chunkCount = 0
        var offset = 2
        while let segment = Self.next(in: bytes, at: offset) {
            offset = segment.end
            let start = segment.start
            if segment.marker == 0xE1, exif == nil, bytes.starts(with: Array("Exif\0\0".utf8), at: start) {
                let range = start + 6..<max(start + 6, offset)
                exif = range
                orientation = Orientation(exif: bytes.slice(range))
            } else if segment.marker == 0xE1, xmp == nil, bytes.starts(with: Self.xmpPrefix, at: start) {
                xmp = start + Self.xmpPrefix.count..<max(start + Self.xmpPrefix.count, offset)
            } else if segment.marker == 0xED, iptc == nil,
                bytes.starts(with: PhotoshopResources.jpegPrefix, at: start)
            {
                let content = start + PhotoshopResources.jpegPrefix.count
                iptc = PhotoshopResources.iptc(bytes, in: content..<max(content, offset))
            } else if segment.marker == 0xE2, bytes.starts(with: Array("ICC_PROFILE\0".utf8), at: start),
                start + 14 <= offset, let number = bytes.byte(at: start + 12)
            {
                chunks[number] = start + 14..<offset
                chunkCount = bytes.byte(at: start + 13) ?? 0
            }
        }
        let ordered = (1..<chunkCount + 1).compactMap { chunks[$0] }
        if chunkCount > 0, ordered.count == chunkCount { profile = .ranges(ordered) }
    }

    private struct Segment {
        var marker, start, end: Int
    }

    /// The segment that begins at an offset; nil at the first scan, the end, or damage.
    private static func next(in bytes: ByteReader, at offset: Int) -> Segment? {
        guard bytes.byte(at: offset) == 0xFF else { return nil }
        var at = offset + 1
        while bytes.byte(at: at) == 0xFF { at += 1 }
        guard let marker = bytes.byte(at: at), marker != 0xDA, marker != 0xD9 else { return nil }
        if marker == 0x01 || (0xD0...0xD7).contains(marker) {
            return Segment(marker: marker, start: at + 1, end: at + 1)
        }
        guard let length = bytes.bigEndian16(at: at + 1), length >= 2, at + 1 + length <= bytes.count else {
            return nil
        }
        return Segment(marker: marker, start: at + 3, end: at + 1 + length)
    }
}
