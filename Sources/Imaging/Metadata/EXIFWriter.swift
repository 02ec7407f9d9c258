internal import Foundation

/// Adapts EXIF data to an image that was made from another one.
enum EXIFWriter {
    /// The data for an upright sRGB image of the new size, without its thumbnail; nil if it is not EXIF data, or if it
    /// cannot be corrected because its parts overlap.
    static func upright(_ exif: Data, size: PixelSize) -> Data? {
        guard let directory = EXIFDirectory(exif) else { return nil }
        var bytes = [UInt8](exif)
        func put(_ value: Int, _ entry: EXIFDirectory.Entry?) {
            guard let entry, let count = [1: 1, 6: 1, 3: 2, 8: 2, 4: 4, 9: 4][entry.type] else { return }
            // A byte holds the orientation, but no side of an image.
            if value >> (8 * count) == 0 { put(value, at: entry.offset, count: count) }
        }
        func put(_ value: Int, at offset: Int, count: Int) {
            guard offset + count <= bytes.count else { return }
            let number =
                directory.isLittle ? value.littleEndianBytes(count) : value.bigEndianBytes(count)
            bytes.replaceSubrange(offset..<offset + count, with: number)
        }
        // A thumbnail at the end is removed. One elsewhere is cleared, because removing it would shift later offsets.
        for thumbnail in thumbnails(directory) {
            // An earlier cut may already have removed this one: ranges in hostile data overlap.
            let part = thumbnail.clamped(to: 0..<bytes.count)
            if part.isEmpty { continue }
            guard part.lowerBound >= 8, !part.overlaps(directory.offset..<directory.nextOffset + 4) else {
                return nil
            }
            if part.upperBound == bytes.count {
                bytes.removeLast(part.count)
            } else {
                bytes.replaceSubrange(part, with: [UInt8](repeating: 0, count: part.count))
            }
        }
        put(0, at: directory.nextOffset, count: 4)
        put(1, directory[.orientation])
        put(size.width, directory[.imageWidth])
        put(size.height, directory[.imageLength])
        let details = directory.directory(.exif)
        put(1, details?[.colorSpace])
        put(size.width, details?[.pixelWidth])
        put(size.height, details?[.pixelHeight])
        // Where hostile data overlaps, one correction undoes another: they must be there when the result is read again.
        let result = Data(bytes)
        guard let corrected = EXIFDirectory(result), corrected.offset == directory.offset,
            corrected.next == nil, Orientation(exif: result) == .up
        else { return nil }
        return result
    }

    /// The ranges of the thumbnail: a JPEG, or strips.
    private static func thumbnails(_ directory: EXIFDirectory) -> [Range<Int>] {
        guard let thumbnail = directory.next else { return [] }
        let pairs: [(EXIFDirectory.Tag, EXIFDirectory.Tag)] = [
            (.thumbnailOffset, .thumbnailLength), (.stripOffsets, .stripByteCounts),
        ]
        return pairs.flatMap { offsets, lengths in
            zip(thumbnail.numbers(offsets, atMost: 256), thumbnail.numbers(lengths, atMost: 256)).map {
                $0..<$0 + $1
            }
        }
    }
}
