/// The frames of an animated WebP (RFC 9649, section 2.7.1).
struct WebPFrames: StoredFrames {
    private let bytes: ByteReader
    private var offset = firstChunk
    private(set) var plays = 1
    private(set) var endsEarly = false
    private(set) var isCut = false

    /// Behind the signature.
    static let firstChunk = 12

    init(_ bytes: ByteReader) {
        self.bytes = bytes
    }

    mutating func next() -> StoredFrame? {
        while let (type, content) = bytes.chunk(at: &offset) {
            if type == "ANIM", let count = bytes.littleEndian16(at: content.lowerBound + 4) { plays = count }
            guard type == "ANMF" else { continue }
            if content.upperBound <= bytes.count, let frame = Self.frame(bytes, content) { return frame }
            endsEarly = true
            isCut = content.upperBound > bytes.count
            return nil
        }
        isCut = 8 + (bytes.littleEndian32(at: 4) ?? 0) > bytes.count
        endsEarly = isCut
        return nil
    }

    /// A frame's 24-bit fields (half its position, its size minus one, its delay) and flags, followed by its image.
    static func frame(_ bytes: ByteReader, _ content: Range<Int>) -> StoredFrame? {
        let fields = (0..<5).compactMap { field in
            bytes.littleEndian32(at: content.lowerBound + 3 * field).map { $0 & 0xFF_FFFF }
        }
        guard content.count > 16, fields.count == 5, let flags = bytes.byte(at: content.lowerBound + 15)
        else { return nil }
        return StoredFrame(
            x: 2 * fields[0],
            y: 2 * fields[1],
            size: PixelSize(width: fields[2] + 1, height: fields[3] + 1),
            delay: StoredFrame.shownDelay(fields[4]),
            disposal: flags & 1 == 1 ? .clear : .keep,
            blends: flags & 2 == 0,
            bytes: content.dropFirst(16)
        )
    }
}

extension ByteReader {
    /// Returns the chunk of a RIFF file at an offset, which may extend past the data, and goes on behind it; nil where none begins.
    func chunk(at offset: inout Int) -> (type: String, content: Range<Int>)? {
        guard let type = tag(at: offset), let length = littleEndian32(at: offset + 4) else { return nil }
        let content = offset + 8..<offset + 8 + length
        offset = content.upperBound + length % 2
        return (type, content)
    }
}
