internal import Foundation

/// The tag values of new EXIF data (CIPA DC-008, 4.5): a main directory and those for exposure and location.
struct EXIFValues {
    private struct Value {
        let type, count: Int
        let bytes: Data
    }

    /// True if numbers are little-endian.
    private let isLittle: Bool
    private var values: [Int: Value] = [:]
    private var byteCount = 0

    private init(isLittle: Bool) {
        self.isLittle = isLittle
    }

    private var isEmpty: Bool { values.isEmpty }

    /// Adds a value that is already in this byte order.
    private mutating func add(_ tag: Int, type: Int, count: Int, _ bytes: Data) {
        values[tag] = Value(type: type, count: count, bytes: bytes)
        byteCount += bytes.count
    }

    private mutating func add(_ tag: EXIFDirectory.Tag, short value: Int) {
        add(tag.rawValue, type: 3, count: 1, number(value, 2))
    }

    /// Adds values of a directory; false if they exceed the size of a plausible description.
    private mutating func add(_ directory: EXIFDirectory, where isTaken: (Int) -> Bool) -> Bool {
        for (tag, entry) in directory.entries where isTaken(tag) && (1...12).contains(entry.type) {
            if let bytes = directory.value(entry) { add(tag, type: entry.type, count: entry.count, bytes) }
            // Many entries of a hostile file may point to the same bytes.
            if byteCount > 1 << 20 { return false }
        }
        return true
    }

    /// The descriptive values of a TIFF's own directories, without those about storage; nil if there are none.
    ///
    /// MakerNotes are left out, because they hold offsets into the file.
    static func describing(_ tiff: EXIFDirectory) -> Data? {
        var main = EXIFValues(isLittle: tiff.isLittle)
        var parts: [(tag: EXIFDirectory.Tag, values: EXIFValues)] = []
        guard main.add(tiff, where: descriptive.contains) else { return nil }
        let left: Set = [EXIFDirectory.Tag.makerNote.rawValue, EXIFDirectory.Tag.interoperability.rawValue]
        for tag in [EXIFDirectory.Tag.exif, .gps] {
            guard let directory = tiff.directory(tag) else { continue }
            var values = EXIFValues(isLittle: tiff.isLittle)
            guard values.add(directory, where: { !left.contains($0) }) else { return nil }
            if !values.isEmpty { parts.append((tag, values)) }
        }
        guard !main.isEmpty || !parts.isEmpty else { return nil }
        main.add(.orientation, short: 1)
        return main.data(leadingTo: parts)
    }

    /// The values of some classes, of EXIF data whose first directory is `first`; nil if there are none.
    static func selected(_ first: EXIFDirectory, keeping classes: Set<MetadataClass>) -> Data? {
        // Rights are texts, whose order of bytes is none; they are written as they always were.
        let isLittle = first.isLittle && classes != [.rights]
        var main = EXIFValues(isLittle: isLittle)
        guard main.add(first, of: EXIFFields.main, keeping: classes) else { return nil }
        var parts: [(tag: EXIFDirectory.Tag, values: EXIFValues)] = []
        for (tag, fields) in [(EXIFDirectory.Tag.exif, EXIFFields.exposure), (.gps, EXIFFields.location)] {
            guard let directory = first.directory(tag) else { continue }
            var values = EXIFValues(isLittle: isLittle)
            guard values.add(directory, of: fields, keeping: classes) else { return nil }
            if !values.isEmpty { parts.append((tag, values)) }
        }
        guard !main.isEmpty || !parts.isEmpty else { return nil }
        return main.data(leadingTo: parts)
    }

    /// Adds the values of some classes; false if they exceed the size of a plausible description.
    private mutating func add(
        _ directory: EXIFDirectory,
        of fields: [Int: MetadataClass],
        keeping classes: Set<MetadataClass>
    ) -> Bool {
        for (tag, entry) in directory.entries {
            guard let field = fields[tag], classes.contains(field) else { continue }
            if entry.type == 2 {
                guard let text = directory.text(entry) else { continue }
                // Behind the end of a text may lie what it overwrote. Copyright consists of two texts.
                let end = field == .rights ? nil : text.firstIndex(of: 0)
                let kept = end.map { text[...$0] } ?? text
                add(tag, type: 2, count: kept.count, Data(kept))
            } else if field != .rights, (1...12).contains(entry.type), Self.isPlausible(entry, of: field),
                let bytes = directory.value(entry)
            {
                add(tag, type: entry.type, count: entry.count, bytes)
            }
            if byteCount > 1 << 20 { return false }
        }
        return true
    }

    /// True unless the entry claims more numbers than any tag has, which may be the bytes of other tags.
    private static func isPlausible(_ entry: EXIFDirectory.Entry, of field: MetadataClass) -> Bool {
        // Comments, and the names of areas and methods, are bytes.
        let isText = [1, 7].contains(entry.type) && [.description, .location].contains(field)
        return isText || entry.count <= 4
    }

    /// The EXIF data of this directory, followed by those that it leads to.
    private func data(leadingTo parts: [(tag: EXIFDirectory.Tag, values: EXIFValues)]) -> Data {
        var main = self
        // A directory's size does not depend on the offsets that it holds.
        for (tag, _) in parts { main.add(tag.rawValue, type: 4, count: 1, main.number(0, 4)) }
        var offset = 8 + main.directory(at: 8).count
        var tail = Data()
        for (tag, values) in parts {
            main.add(tag.rawValue, type: 4, count: 1, main.number(offset, 4))
            let part = values.directory(at: offset)
            offset += part.count
            tail += part
        }
        return main.header + main.directory(at: 8) + tail
    }

    /// The descriptive tags of the first directory: those of CIPA DC-008, 4.6.4, except strips, tiles and colours, and
    /// those of TIFF 6.0 and Windows for texts and ratings.
    private static let descriptive: Set = [
        0x010D, 0x010E, 0x010F, 0x0110, 0x011A, 0x011B, 0x0128, 0x0131, 0x0132, 0x013B, 0x013C, 0x4746,
        0x4749,
        0x8298, 0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F,
    ]

    /// Byte order, 42, and the offset of the directory.
    private var header: Data { Data((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) }

    /// The directory, followed by the values that do not fit into its entries, each at an even offset.
    private func directory(at offset: Int) -> Data {
        var entries = number(values.count, 2)
        var tail = Data()
        let start = offset + 2 + 12 * values.count + 4
        for (tag, value) in values.sorted(by: { $0.key < $1.key }) {
            let isInEntry = value.bytes.count <= 4
            entries += number(tag, 2) + number(value.type, 2) + number(value.count, 4)
            entries +=
                isInEntry ? value.bytes + Data(count: 4 - value.bytes.count) : number(start + tail.count, 4)
            if !isInEntry { tail += value.bytes + Data(count: value.bytes.count % 2) }
        }
        return entries + number(0, 4) + tail
    }

    private func number(_ value: Int, _ count: Int) -> Data {
        Data(isLittle ? value.littleEndianBytes(count) : value.bigEndianBytes(count))
    }
}
