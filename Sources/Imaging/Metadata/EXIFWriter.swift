internal import Foundation

/// EXIF data for an image that was made of another one.
enum EXIFWriter {
    /// The data with the orientation `up`, the new size, and no thumbnail; nil if it is no EXIF data.
    static func upright(_ exif: Data, size: PixelSize) -> Data? {
        guard let directory = EXIFDirectory(exif) else { return nil }
        var bytes = [UInt8](exif)
        func put(_ value: Int, _ entry: EXIFDirectory.Entry?) {
            guard let entry, entry.type == 3 || entry.type == 4 else { return }
            put(value, at: entry.offset, count: entry.type == 3 ? 2 : 4)
        }
        func put(_ value: Int, at offset: Int, count: Int) {
            guard offset + count <= bytes.count else { return }
            for index in 0..<count {
                let shift = 8 * (directory.isLittle ? index : count - 1 - index)
                bytes[offset + index] = UInt8(truncatingIfNeeded: value >> shift)
            }
        }
        put(1, directory[.orientation])
        let details = directory.directory(.exif)
        put(size.width, details?[.pixelWidth])
        put(size.height, details?[.pixelHeight])
        let thumbnail = directory.next
        put(0, at: directory.nextOffset, count: 4)
        // The thumbnail's bytes mostly stand last; in the middle they cannot go without moving what others point to.
        if let start = thumbnail?.number(.thumbnailOffset), let length = thumbnail?.number(.thumbnailLength),
            start > directory.nextOffset, start + length == bytes.count
        {
            bytes.removeLast(length)
        }
        return Data(bytes)
    }

    /// New data with Artist and Copyright alone; nil if there is neither.
    static func rights(_ exif: Data) -> Data? {
        guard let directory = EXIFDirectory(exif) else { return nil }
        let kept = [EXIFDirectory.Tag.artist, .copyright].compactMap { tag in
            directory.text(tag).map { (tag: tag, text: $0) }
        }
        guard !kept.isEmpty else { return nil }
        // Byte order, 42, the directory at 8; after it the texts, each on an even offset.
        var head = Data("MM".utf8) + short(42) + long(8) + short(kept.count)
        var texts = Data()
        let start = 8 + 2 + 12 * kept.count + 4
        for (tag, text) in kept {
            let inEntry = text.count <= 4
            head += short(tag.rawValue) + short(2) + long(text.count)
            head += inEntry ? text + Data(count: 4 - text.count) : long(start + texts.count)
            if !inEntry { texts += text + Data(count: text.count % 2) }
        }
        return head + long(0) + texts
    }

    private static func short(_ value: Int) -> Data { Data([UInt8(value >> 8 & 255), UInt8(value & 255)]) }
    private static func long(_ value: Int) -> Data { short(value >> 16) + short(value & 0xFFFF) }
}
