internal import Foundation

/// A directory of EXIF data (TIFF 6.0, section 2; CIPA DC-008): tags and where their values stand.
struct EXIFDirectory {
    /// The tags that are looked at.
    enum Tag: Int {
        case orientation = 0x0112
        case artist = 0x013B
        case copyright = 0x8298
        case exif = 0x8769
        case pixelWidth = 0xA002
        case pixelHeight = 0xA003
        case thumbnailOffset = 0x0201
        case thumbnailLength = 0x0202
        case make = 0x010F
        case model = 0x0110
        case exposureTime = 0x829A
        case fNumber = 0x829D
        case sensitivity = 0x8827
        case recommendedExposure = 0x8832
        case isoSpeed = 0x8833
        case dateTimeOriginal = 0x9003
        case dateTimeDigitized = 0x9004
        case offsetTimeOriginal = 0x9011
        case offsetTimeDigitized = 0x9012
        case focalLength = 0x920A
        case lensModel = 0xA434
        case gps = 0x8825
        // Of the directory that `gps` points to.
        case latitudeReference = 1
        case latitude = 2
        case longitudeReference = 3
        case longitude = 4
        case altitudeReference = 5
        case altitude = 6
    }

    /// One tag's value: `offset` is where its first byte stands in the data.
    struct Entry {
        let type, count, offset: Int
    }

    /// Whether numbers have their lower byte first.
    let isLittle: Bool
    /// Where the next directory's offset stands.
    let nextOffset: Int
    private(set) var entries: [Int: Entry] = [:]
    let bytes: ByteReader

    /// The first directory of EXIF data; nil if the data is none.
    init?(_ data: Data) {
        let bytes = ByteReader(data)
        switch (bytes.byte(at: 0), bytes.byte(at: 1)) {
        case (0x49, 0x49): isLittle = true
        case (0x4D, 0x4D): isLittle = false
        default: return nil
        }
        self.bytes = bytes
        guard let start = Self.long(bytes, 4, isLittle), Self.short(bytes, 2, isLittle) == 42 else {
            return nil
        }
        (nextOffset, entries) = Self.read(bytes, at: start, isLittle)
    }

    private init(_ bytes: ByteReader, at offset: Int, isLittle: Bool) {
        self.isLittle = isLittle
        self.bytes = bytes
        (nextOffset, entries) = Self.read(bytes, at: offset, isLittle)
    }

    subscript(tag: Tag) -> Entry? { entries[tag.rawValue] }

    /// The directory that a tag points to.
    func directory(_ tag: Tag) -> EXIFDirectory? {
        number(tag).map { EXIFDirectory(bytes, at: $0, isLittle: isLittle) }
    }

    /// The directory after this one: that of the thumbnail.
    var next: EXIFDirectory? {
        guard let offset = Self.long(bytes, nextOffset, isLittle), offset > 0 else { return nil }
        return EXIFDirectory(bytes, at: offset, isLittle: isLittle)
    }

    /// The first number of a tag, of type SHORT or LONG.
    func number(_ tag: Tag) -> Int? {
        guard let entry = self[tag], entry.count > 0 else { return nil }
        switch entry.type {
        case 3: return Self.short(bytes, entry.offset, isLittle)
        case 4: return Self.long(bytes, entry.offset, isLittle)
        default: return nil
        }
    }

    /// The text of a tag of type ASCII, with the zero bytes that end and divide it.
    func text(_ tag: Tag) -> Data? {
        guard let entry = self[tag], entry.type == 2, entry.count > 1,
            entry.offset + entry.count <= bytes.count
        else { return nil }
        return bytes.slice(entry.offset..<entry.offset + entry.count)
    }

    private static func read(_ bytes: ByteReader, at start: Int, _ isLittle: Bool) -> (Int, [Int: Entry]) {
        /// Bytes of one value of each type.
        let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]
        var entries: [Int: Entry] = [:]
        let count = short(bytes, start, isLittle) ?? 0
        for index in 0..<count {
            let entry = start + 2 + index * 12
            guard let tag = short(bytes, entry, isLittle), let type = short(bytes, entry + 2, isLittle),
                let values = long(bytes, entry + 4, isLittle)
            else { break }
            guard sizes.indices.contains(type) else { continue }
            // Up to four bytes stand in the entry itself, more of them elsewhere.
            let offset = sizes[type] * values <= 4 ? entry + 8 : long(bytes, entry + 8, isLittle)
            if let offset, entries[tag] == nil {
                entries[tag] = Entry(type: type, count: values, offset: offset)
            }
        }
        return (start + 2 + count * 12, entries)
    }

    private static func short(_ bytes: ByteReader, _ offset: Int, _ isLittle: Bool) -> Int? {
        isLittle ? bytes.littleEndian16(at: offset) : bytes.bigEndian16(at: offset)
    }

    static func long(_ bytes: ByteReader, _ offset: Int, _ isLittle: Bool) -> Int? {
        isLittle ? bytes.littleEndian32(at: offset) : bytes.bigEndian32(at: offset)
    }
}

extension Orientation {
    /// The orientation in EXIF data; `up` where there is none.
    init(exif data: Data) {
        // Of type SHORT: what writes another type means something else.
        let directory = EXIFDirectory(data)
        let value = directory?[.orientation]?.type == 3 ? directory?.number(.orientation) : nil
        self = value.flatMap(Orientation.init) ?? .up
    }
}
