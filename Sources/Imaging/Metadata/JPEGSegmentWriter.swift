internal import Foundation

/// Segments to insert after the first two markers of a JPEG (ITU T.81 annex B; ICC.1 annex B.4; XMP part 3, 1.1.3).
struct JPEGSegmentWriter {
    /// The segments with their markers and lengths.
    private(set) var bytes = Data()

    /// The prefix of a segment of XMP.
    static let xmpPrefix = "http://ns.adobe.com/xap/1.0/\0"
    /// The longest content of a segment.
    ///
    /// Its length field has two bytes and counts itself.
    static let mostContent = 65_533
    /// The bytes of a segment before its content.
    static let headCount = 4

    /// Adds a segment; nothing for no content, or for one that is too long.
    mutating func add(marker: UInt8, prefix: String, _ content: Data?) {
        guard let content, prefix.utf8.count + content.count <= Self.mostContent else { return }
        let length = 2 + prefix.utf8.count + content.count
        bytes += Data([0xFF, marker] + length.bigEndianBytes(2)) + Data(prefix.utf8) + content
    }

    /// Adds an ICC profile, in as many segments as it takes; nothing for none.
    mutating func add(profile: Data?) {
        guard let profile, !profile.isEmpty else { return }
        let most = Self.mostContent - 14
        let count = (profile.count + most - 1) / most
        guard count <= 255 else { return }
        for index in 0..<count {
            let part = profile.dropFirst(index * most).prefix(most)
            let head = Data([UInt8(index + 1), UInt8(count)])
            add(marker: 0xE2, prefix: "ICC_PROFILE\0", head + part)
        }
    }

    /// The place at which segments are inserted: JFIF requires its own segment to be the first.
    static func place(in file: Data) -> Int {
        let bytes = ByteReader(file)
        return 2 + (bytes.starts(with: [0xFF, 0xE0], at: 2) ? 2 + (bytes.bigEndian16(at: 4) ?? 0) : 0)
    }

    func inserted(into file: Data) -> Data {
        let place = Self.place(in: file)
        return file.prefix(place) + bytes + file.dropFirst(place)
    }
}
