import Foundation

/// Objects of a listing as bytes, one after the other: the lengths of the texts, the numbers, and the texts.
struct ObjectRecords {
    private static let headSize = 24
    /// The time of an object that has none.
    private static let noTime = Int64.min

    private let bytes: Data
    private var position: Int

    /// Reads the objects in `bytes`, which ``append(_:to:)`` has made.
    init(_ bytes: Data = Data()) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    static func append(_ entry: ObjectPage.Entry, to bytes: inout Data) {
        let facts = entry.facts
        let (etag, archive) = (facts.etag ?? "", facts.archive ?? "")
        let seconds = facts.modified.map { Int64($0.timeIntervalSince1970) } ?? noTime
        var head = (
            UInt32(clamping: entry.key.utf8.count).littleEndian,
            UInt16(clamping: etag.utf8.count).littleEndian,
            UInt16(clamping: archive.utf8.count).littleEndian, Int64(facts.size).littleEndian,
            seconds.littleEndian
        )
        withUnsafeBytes(of: &head) { bytes.append(contentsOf: $0.prefix(headSize)) }
        bytes.append(contentsOf: entry.key.utf8)
        bytes.append(contentsOf: etag.utf8.prefix(Int(UInt16.max)))
        bytes.append(contentsOf: archive.utf8.prefix(Int(UInt16.max)))
    }

    /// Returns the next object; nil after the last.
    mutating func next() -> ObjectPage.Entry? {
        guard position + Self.headSize <= bytes.endIndex else { return nil }
        let key = Int(number(UInt32.self))
        let (etag, archive) = (Int(number(UInt16.self)), Int(number(UInt16.self)))
        let (size, seconds) = (Int(number(Int64.self)), number(Int64.self))
        let name = text(key)
        var facts = ObjectFacts(size: size, etag: optionalText(etag))
        facts.archive = optionalText(archive)
        if seconds != Self.noTime { facts.modified = Date(timeIntervalSince1970: TimeInterval(seconds)) }
        return ObjectPage.Entry(key: name, facts: facts)
    }

    private mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number {
        defer { position += MemoryLayout<Number>.size }
        let offset = position - bytes.startIndex
        return Number(
            littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
        )
    }

    private mutating func text(_ count: Int) -> String {
        defer { position += count }
        return String(decoding: bytes[position..<position + count], as: UTF8.self)
    }

    private mutating func optionalText(_ count: Int) -> String? {
        count > 0 ? text(count) : nil
    }
}
