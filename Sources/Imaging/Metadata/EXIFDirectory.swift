internal import Foundation

/// A directory of EXIF data or of a TIFF (TIFF 6.0, section 2; CIPA DC-008): tags and the offsets of their values.
struct EXIFDirectory {
    /// The tags that are read.
    enum Tag: Int {
        case imageWidth = 0x0100
        case imageLength = 0x0101
        case compression = 0x0103
        case photometric = 0x0106
        case make = 0x010F
        case model = 0x0110
        case stripOffsets = 0x0111
        case orientation = 0x0112
        case stripByteCounts = 0x0117
        case subdirectories = 0x014A
        case artist = 0x013B
        case thumbnailOffset = 0x0201
        case thumbnailLength = 0x0202
        case xmp = 0x02BC
        case copyright = 0x8298
        case exposureTime = 0x829A
        case fNumber = 0x829D
        case iptc = 0x83BB
        case photoshop = 0x8649
        case exif = 0x8769
        case gps = 0x8825
        case sensitivity = 0x8827
        case recommendedExposure = 0x8832
        case isoSpeed = 0x8833
        case dateTimeOriginal = 0x9003
        case dateTimeDigitized = 0x9004
        case offsetTimeOriginal = 0x9011
        case offsetTimeDigitized = 0x9012
        case focalLength = 0x920A
        case makerNote = 0x927C
        case colorSpace = 0xA001
        case pixelWidth = 0xA002
        case pixelHeight = 0xA003
        case interoperability = 0xA005
        case lensModel = 0xA434
        case dngVersion = 0xC612
        // In the directory that `gps` points to.
        case latitudeReference = 1
        case latitude = 2
        case longitudeReference = 3
        case longitude = 4
        case altitudeReference = 5
        case altitude = 6
    }

    /// One tag's entry.
    ///
    /// `offset` is the offset of its first value byte in the data.
    struct Entry {
        let type, count, offset: Int
    }

    /// True if numbers are little-endian.
    var isLittle: Bool { layout.isLittle }
    let offset: Int
    /// The offset of the next directory's offset.
    let nextOffset: Int
    private(set) var entries: [Int: Entry] = [:]
    let bytes: ByteReader
    let layout: Layout

    /// Bytes per value of each type.
    ///
    /// Only BigTIFF has types above 13.
    private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]

    /// The first directory of EXIF data; nil if the data is not EXIF.
    init?(_ data: Data) {
        self.init(data, allowsBigTIFF: false)
    }

    /// The first directory of a TIFF or BigTIFF.
    init?(tiff data: Data) {
        self.init(data, allowsBigTIFF: true)
    }

    private init?(_ data: Data, allowsBigTIFF: Bool) {
        let bytes = ByteReader(data)
        let isLittle: Bool
        switch (bytes.byte(at: 0), bytes.byte(at: 1)) {
        case (0x49, 0x49): isLittle = true
        case (0x4D, 0x4D): isLittle = false
        default: return nil
        }
        let magic = Layout(bytes: bytes, isLittle: isLittle, isBig: false).short(at: 2)
        guard magic == 42 || (magic == 43 && allowsBigTIFF) else { return nil }
        let layout = Layout(bytes: bytes, isLittle: isLittle, isBig: magic == 43)
        guard let start = layout.word(at: layout.isBig ? 8 : 4) else { return nil }
        self.init(layout, at: start)
    }

    private init(_ layout: Layout, at offset: Int) {
        self.layout = layout
        self.offset = offset
        bytes = layout.bytes
        (nextOffset, entries) = Self.read(layout, at: offset)
    }

    subscript(tag: Tag) -> Entry? { entries[tag.rawValue] }

    /// The directory that a tag points to.
    func directory(_ tag: Tag) -> EXIFDirectory? {
        number(tag).map { EXIFDirectory(layout, at: $0) }
    }

    /// The directories that a tag points to, at most `limit` of them.
    func directories(_ tag: Tag, atMost limit: Int) -> [EXIFDirectory] {
        numbers(tag, atMost: limit).map { EXIFDirectory(layout, at: $0) }
    }

    /// The directory after this one: the thumbnail's.
    var next: EXIFDirectory? {
        guard let offset = layout.word(at: nextOffset), offset > 0 else { return nil }
        return EXIFDirectory(layout, at: offset)
    }

    /// The prefix of a JPEG segment with EXIF data.
    static let prefix = Array("Exif\0\0".utf8)

    /// The EXIF data of a container's part, which begins with the byte order: without JPEG's prefix, which some writers
    /// put before it in PNG, WebP, AVIF, JPEG XL and HEIC too.
    static func start(in bytes: ByteReader, _ part: Range<Int>) -> Range<Int> {
        bytes.range(after: prefix, in: part) ?? part
    }

    /// The only number of a tag of any whole type; nil if there are more.
    func only(_ tag: Tag) -> Int? {
        guard let entry = self[tag], entry.count == 1 else { return nil }
        switch entry.type {
        case 1, 6: return bytes.byte(at: entry.offset)
        case 8: return layout.short(at: entry.offset)
        case 9: return layout.long(at: entry.offset)
        default: return number(tag)
        }
    }

    /// The first number of a SHORT, LONG or IFD tag, or of BigTIFF's wider types.
    func number(_ tag: Tag) -> Int? { numbers(tag, atMost: 1).first }

    /// The numbers of a tag, at most `limit` of them.
    func numbers(_ tag: Tag, atMost limit: Int) -> [Int] {
        guard let entry = self[tag] else { return [] }
        return (0..<min(entry.count, limit)).compactMap { index in
            let position = entry.offset + index * Self.sizes[entry.type]
            switch entry.type {
            case 3: return layout.short(at: position)
            case 4, 13: return layout.long(at: position)
            case 16, 18: return layout.word(at: position)
            default: return nil
            }
        }
    }

    /// The bytes of an ASCII tag, including the zero bytes that end and separate its strings.
    func text(_ tag: Tag) -> Data? { self[tag].flatMap(text) }

    /// The bytes of an ASCII entry, including the zero bytes that end and separate its strings.
    func text(_ entry: Entry) -> Data? {
        guard entry.type == 2, entry.count > 1 else { return nil }
        return value(entry)
    }

    /// The raw bytes of a tag's value; nil if they lie outside the data.
    func value(_ tag: Tag) -> Data? { self[tag].flatMap(value) }

    /// The raw bytes of an entry's value; nil if they lie outside the data.
    func value(_ entry: Entry) -> Data? {
        let count = Self.sizes[entry.type] * entry.count
        guard count > 0, count <= bytes.count, entry.offset <= bytes.count - count else { return nil }
        return bytes.slice(entry.offset..<entry.offset + count)
    }

    private static func read(_ layout: Layout, at start: Int) -> (Int, [Int: Entry]) {
        var entries: [Int: Entry] = [:]
        let word = layout.isBig ? 8 : 4
        let head = layout.isBig ? 8 : 2
        // There are no more tags than that, even where BigTIFF has room to claim them.
        let count = min((layout.isBig ? layout.word(at: start) : layout.short(at: start)) ?? 0, 65_536)
        for index in 0..<count {
            let entry = start + head + index * (4 + 2 * word)
            guard let tag = layout.short(at: entry), let type = layout.short(at: entry + 2),
                let values = layout.word(at: entry + 4)
            else { break }
            guard sizes.indices.contains(type) else { continue }
            // A short value is stored in the entry itself, a longer one elsewhere.
            let position = entry + 4 + word
            let offset = sizes[type] * values <= word ? position : layout.word(at: position)
            if let offset, entries[tag] == nil {
                entries[tag] = Entry(type: type, count: values, offset: offset)
            }
        }
        return (start + head + count * (4 + 2 * word), entries)
    }

    /// The byte order and width of numbers.
    struct Layout {
        let bytes: ByteReader
        let isLittle, isBig: Bool

        func short(at offset: Int) -> Int? {
            isLittle ? bytes.littleEndian16(at: offset) : bytes.bigEndian16(at: offset)
        }

        func long(at offset: Int) -> Int? {
            isLittle ? bytes.littleEndian32(at: offset) : bytes.bigEndian32(at: offset)
        }

        /// An offset or count.
        ///
        /// BigTIFF's have 64 bits, but no file in memory needs more than 32.
        func word(at offset: Int) -> Int? {
            guard isBig else { return long(at: offset) }
            guard long(at: isLittle ? offset + 4 : offset) == 0 else { return nil }
            return long(at: isLittle ? offset : offset + 4)
        }
    }
}

extension Orientation {
    /// The orientation in EXIF data; `up` if there is none, or none from 1 to 8.
    ///
    /// The type should be SHORT. Writers of others mean the same.
    init(exif data: Data) {
        self = EXIFDirectory(data)?.only(.orientation).flatMap(Orientation.init) ?? .up
    }
}
