internal import Foundation

/// The metadata segments of a JPEG: EXIF, XMP, ICC, Photoshop resources, and those of gain maps (ITU-T T.81 annex B, ICC.1 annex B.4).
struct JPEGSegments {
    private(set) var orientation = Orientation.up
    private(set) var profile = EmbeddedProfile.none
    private(set) var exif: Range<Int>?
    private(set) var xmp: Range<Int>?
    private(set) var iptc: Range<Int>?
    /// The index of the file's pictures, from its byte order on.
    private(set) var pictures: Range<Int>?
    /// ISO 21496-1's numbers of a gain map.
    private(set) var gainMap: Range<Int>?

    private static let profilePrefix = Array("ICC_PROFILE\0".utf8)
    private static let xmpPrefix = Array(JPEGSegmentWriter.xmpPrefix.utf8)
    private static let picturesPrefix = Array(MultiPictureIndex.prefix.utf8)
    private static let gainMapPrefix = Array(GainMapMetadata.isoPrefix.utf8)

    /// Walks the markers up to the first scan.
    ///
    /// Damage ends the walk, because the decoder reports it.
    init(_ data: Data) {
        let bytes = ByteReader(data)
        var chunks: [Int: Range<Int>] = [:]
        var chunkCount = 0
        var offset = 2
        while let segment = Self.next(in: bytes, at: offset) {
            offset = segment.end
            let content = segment.start..<segment.end
            if segment.marker == 0xE1, exif == nil,
                let range = bytes.range(after: EXIFDirectory.prefix, in: content)
            {
                exif = range
                orientation = Orientation(exif: bytes.slice(range))
            } else if segment.marker == 0xE1, xmp == nil {
                xmp = bytes.range(after: Self.xmpPrefix, in: content)
            } else if segment.marker == 0xED, iptc == nil {
                let blocks = bytes.range(after: PhotoshopResources.jpegPrefix, in: content)
                iptc = blocks.flatMap { PhotoshopResources.iptc(bytes, in: $0) }
            } else if segment.marker == 0xE2, let chunk = bytes.range(after: Self.profilePrefix, in: content),
                chunk.count >= 2, let number = bytes.byte(at: chunk.lowerBound)
            {
                chunks[number] = chunk.dropFirst(2)
                chunkCount = bytes.byte(at: chunk.lowerBound + 1) ?? 0
            } else if segment.marker == 0xE2 {
                pictures = pictures ?? bytes.range(after: Self.picturesPrefix, in: content)
                gainMap = gainMap ?? bytes.range(after: Self.gainMapPrefix, in: content)
            }
        }
        let ordered = (1..<chunkCount + 1).compactMap { chunks[$0] }
        if chunkCount > 0, ordered.count == chunkCount { profile = .ranges(ordered) }
    }

    private struct Segment {
        var marker, start, end: Int
    }

    /// The segment that begins at an offset; nil at the first scan, at the end, or at damage.
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
