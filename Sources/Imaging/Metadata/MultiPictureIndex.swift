internal import Foundation

/// The index of the pictures in a JPEG (CIPA DC-007, Multi-Picture Format): a directory like that of a TIFF, in an APP2 segment.
enum MultiPictureIndex {
    static let prefix = "MPF\0"
    /// The most pictures that are looked at.
    private static let mostPictures = 16

    private enum Tag {
        static let version = 0xB000
        static let count = 0xB001
        static let entries = 0xB002
    }

    /// Finds the pictures of a file but the first one.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - range: The content of the segment, from its byte order on; offsets of pictures count from there.
    /// - Returns: The ranges of those that lie in the file, behind the index itself.
    static func pictures(_ bytes: ByteReader, in range: Range<Int>) -> [Range<Int>] {
        let start = range.lowerBound
        guard let directory = EXIFDirectory(bytes.slice(range)), let entry = directory.entries[Tag.entries]
        else { return [] }
        return (0..<min(entry.count / 16, mostPictures)).compactMap { picture in
            let at = entry.offset + 16 * picture
            // The first picture has an offset of zero.
            guard let size = directory.layout.long(at: at + 4), let place = directory.layout.long(at: at + 8),
                place > 0, size > 2, start + place >= range.upperBound, start + place + size <= bytes.count
            else { return nil }
            return start + place..<start + place + size
        }
    }

    /// The bytes of an index of two pictures, without the segment's marker and length.
    static let count = prefix.utf8.count + 8 + 2 + 3 * 12 + 4 + 2 * 16

    /// Writes the index of a file's two pictures.
    ///
    /// - Parameters:
    ///   - first: The bytes of the first picture, with this index.
    ///   - second: The bytes of the second one, which begins where the first one ends.
    ///   - place: The offset of the segment's content in the file.
    /// - Returns: The content of the segment.
    static func content(first: Int, second: Int, at place: Int) -> Data {
        let entries = 8 + 2 + 3 * 12 + 4
        var data = Data(prefix.utf8) + Data([0x4D, 0x4D, 0, 0x2A])
        func add(_ value: Int, _ count: Int = 4) {
            data += value.bigEndianBytes(count)
        }
        func add(tag: Int, type: Int, count: Int) {
            add(tag, 2)
            add(type, 2)
            add(count)
        }
        add(8)
        add(3, 2)
        add(tag: Tag.version, type: 7, count: 4)
        data += Data("0100".utf8)
        add(tag: Tag.count, type: 4, count: 1)
        add(2)
        add(tag: Tag.entries, type: 7, count: 2 * 16)
        add(entries)
        add(0)  // no further directory
        // Attribute, size, offset, and two pictures that each depends on. The first is the representative one, a baseline primary.
        for (attribute, size, offset) in [
            (0x030000, first, 0), (0, second, first - place - prefix.utf8.count),
        ] {
            add(attribute)
            add(size)
            add(offset)
            add(0)
        }
        return data
    }
}
