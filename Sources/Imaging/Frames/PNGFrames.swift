internal import CImageCodecs
internal import Foundation

/// The frames of an animated PNG (Portable Network Graphics, third edition, 11.3.6 and 13.5).
struct PNGFrames: StoredFrames {
    let plays: Int
    private(set) var endsEarly = false
    private(set) var isCut = false
    private let bytes: ByteReader
    /// Chunks that the frames share: all before the first pixels.
    private let shared: Range<Int>
    private let frameCount: Int
    private var offset: Int
    private var found = 0
    private var sequence = 0

    /// Reads up to the pixels; nil for a file without an animation there.
    init?(_ bytes: ByteReader) {
        var control: (frames: Int, plays: Int)?
        var first: Int?
        var offset = Self.firstChunk
        while let chunk = PNGChunk(bytes, at: offset), chunk.type != "IDAT" {
            if chunk.type == "acTL", chunk.content.count == 8,
                let frames = bytes.bigEndian32(at: chunk.content.lowerBound),
                let plays = bytes.bigEndian32(at: chunk.content.lowerBound + 4)
            {
                control = (frames, plays)
            }
            if chunk.type == "fcTL" { first = first ?? offset }
            offset = chunk.end
        }
        guard let control else { return nil }
        (frameCount, plays) = control
        self.bytes = bytes
        shared = Self.firstChunk..<offset
        // Without a control of its own, what the pixels here show is no frame.
        self.offset = first ?? offset
    }

    mutating func next() -> StoredFrame? {
        guard found < frameCount else { return nil }
        var control: Range<Int>?
        while let chunk = PNGChunk(bytes, at: offset), chunk.type != "IEND" {
            if chunk.type == "fcTL" {
                guard isNext(chunk) else { break }
                control = chunk.content
            }
            offset = chunk.end
            guard let content = control, chunk.type == "IDAT" || chunk.type == "fdAT" else { continue }
            guard let pixels = pixels(from: chunk), let frame = frame(content, pixels) else { break }
            found += 1
            return frame
        }
        endsEarly = true
        isCut = PNGChunk(bytes, at: offset) == nil
        return nil
    }

    /// Returns a file of a frame alone.
    ///
    /// - Throws: `ImagingError` of reason `corrupt` for a wrong checksum.
    func file(of frame: StoredFrame) throws(ImagingError) -> Data {
        var file = bytes.slice(0..<8)
        var start = bytes.slice(16..<29)
        start.replaceSubrange(
            start.startIndex..<start.startIndex + 8,
            with: frame.size.width.bigEndianBytes() + frame.size.height.bigEndianBytes()
        )
        file += PNGChunk.bytes("IHDR", start)
        var offset = shared.lowerBound
        while offset < shared.upperBound, let chunk = PNGChunk(bytes, at: offset) {
            if Self.colors.contains(chunk.type) { file += bytes.slice(offset..<chunk.end) }
            offset = chunk.end
        }
        var pixels = Data()
        offset = frame.bytes.lowerBound
        while offset < frame.bytes.upperBound, let chunk = PNGChunk(bytes, at: offset) {
            guard chunk.isWhole(in: bytes) else {
                throw .corrupt("The PNG is damaged: a frame has a wrong checksum. Load it again.")
            }
            pixels += bytes.slice(chunk.type == "fdAT" ? chunk.content.dropFirst(4) : chunk.content)
            offset = chunk.end
        }
        return file + PNGChunk.bytes("IDAT", pixels) + PNGChunk.bytes("IEND", Data())
    }

    /// The chunks that say which colours the pixels have.
    private static let colors = ["PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "cLLI", "mDCV"]

    /// Behind the signature and IHDR.
    private static let firstChunk = 33

    /// True if a control or pixels of a frame have the next number.
    private mutating func isNext(_ chunk: PNGChunk) -> Bool {
        guard chunk.isWhole(in: bytes), bytes.bigEndian32(at: chunk.content.lowerBound) == sequence else {
            return false
        }
        sequence += 1
        return true
    }

    /// The chunks of pixels from `first` on; nil if their numbers are out of order, or the file ends within them.
    private mutating func pixels(from first: PNGChunk) -> Range<Int>? {
        var chunk: PNGChunk? = first
        let isNumbered = first.type == "fdAT"
        while let pixels = chunk, pixels.type == first.type {
            if isNumbered {
                guard bytes.bigEndian32(at: pixels.content.lowerBound) == sequence else { return nil }
                sequence += 1
            }
            offset = pixels.end
            chunk = PNGChunk(bytes, at: offset)
        }
        // Another chunk follows those of a frame that is whole.
        return chunk == nil ? nil : first.start..<offset
    }

    private func frame(_ control: Range<Int>, _ pixels: Range<Int>) -> StoredFrame? {
        let start = control.lowerBound
        guard control.count == 26, let width = bytes.bigEndian32(at: start + 4),
            let height = bytes.bigEndian32(at: start + 8), let x = bytes.bigEndian32(at: start + 12),
            let y = bytes.bigEndian32(at: start + 16), let numerator = bytes.bigEndian16(at: start + 20),
            let denominator = bytes.bigEndian16(at: start + 22), let disposal = bytes.byte(at: start + 24),
            let blending = bytes.byte(at: start + 25), width > 0, height > 0
        else { return nil }
        let milliseconds = 1000 * numerator / (denominator == 0 ? 100 : denominator)
        let disposals: [Int: StoredFrame.Disposal] = [1: .clear, 2: .restore]
        return StoredFrame(
            x: x,
            y: y,
            size: PixelSize(width: width, height: height),
            delay: StoredFrame.shownDelay(milliseconds),
            disposal: disposals[disposal] ?? .keep,
            blends: blending == 1,
            bytes: pixels
        )
    }
}

/// A chunk of a PNG that lies within the file.
struct PNGChunk {
    let type: String
    let start: Int
    let content: Range<Int>
    var end: Int { content.upperBound + 4 }

    init?(_ bytes: ByteReader, at start: Int) {
        guard let count = bytes.bigEndian32(at: start), let type = bytes.tag(at: start + 4),
            start + 12 + count <= bytes.count
        else { return nil }
        self.type = type
        self.start = start
        content = start + 8..<start + 8 + count
    }

    static func bytes(_ type: String, _ content: Data) -> Data {
        let body = Data(type.utf8) + content
        let checksum = Int(withBytes(body) { nb_crc32($0, $1) })
        return content.count.bigEndianBytes() + body + checksum.bigEndianBytes()
    }

    /// True if the checksum is right.
    func isWhole(in bytes: ByteReader) -> Bool {
        let body = bytes.slice(content.lowerBound - 4..<content.upperBound)
        return bytes.bigEndian32(at: content.upperBound) == Int(withBytes(body) { nb_crc32($0, $1) })
    }
}
