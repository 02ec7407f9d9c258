internal import Foundation

/// The frames of a GIF (GIF89a, sections 17 to 26).
struct GIFFrames: StoredFrames {
    private let bytes: ByteReader
    private var offset: Int
    private(set) var plays = 1
    private(set) var endsEarly = false
    private(set) var isCut = false

    init(_ bytes: ByteReader) {
        self.bytes = bytes
        offset = Self.screenEnd(bytes)
    }

    mutating func next() -> StoredFrame? {
        var control = Control()
        while let kind = bytes.byte(at: offset) {
            switch kind {
            case 0x21: readExtension(into: &control)
            case 0x2C:
                if let frame = readFrame(control) { return frame }
                endsEarly = true
                return nil
            default:
                // The trailer, or damage.
                endsEarly = kind != 0x3B
                return nil
            }
        }
        endsEarly = true
        // At the very end, only the trailer is missing, which some encoders leave out.
        isCut = offset > bytes.count
        return nil
    }

    /// Returns a file of a frame alone.
    func file(of frame: StoredFrame) -> Data {
        var file = Data("GIF89a".utf8)
        file += frame.size.width.littleEndianBytes(2) + frame.size.height.littleEndianBytes(2)
        file += bytes.slice(10..<Self.screenEnd(bytes))
        if let index = frame.transparentIndex {
            file += [0x21, 0xF9, 4, 1, 0, 0, UInt8(truncatingIfNeeded: index), 0]
        }
        let descriptor = bytes.slice(frame.bytes)
        // At the corner of its own canvas.
        file += [0x2C, 0, 0, 0, 0]
        file += descriptor.dropFirst(5)
        // Without it, the data of a frame which is cut ends there.
        if descriptor.last == 0 { file.append(0x3B) }
        return file
    }

    private struct Control {
        var delay = 0
        var disposal = StoredFrame.Disposal.keep
        var transparentIndex: Int?
    }

    /// The end of the logical screen's descriptor and its palette.
    static func screenEnd(_ bytes: ByteReader) -> Int {
        let flags = bytes.byte(at: 10) ?? 0
        return 13 + (flags & 0x80 != 0 ? 3 << ((flags & 7) + 1) : 0)
    }

    private mutating func readExtension(into control: inout Control) {
        let label = bytes.byte(at: offset + 1)
        if label == 0xF9, let flags = bytes.byte(at: offset + 3),
            let delay = bytes.littleEndian16(at: offset + 4), let index = bytes.byte(at: offset + 6)
        {
            control.delay = 10 * delay
            control.transparentIndex = flags & 1 == 1 ? index : nil
            // Some encoders set the third bit alone and mean what the format writes as 3.
            let disposals: [Int: StoredFrame.Disposal] = [2: .clear, 3: .restore, 4: .restore]
            control.disposal = disposals[flags >> 2 & 7] ?? .keep
        }
        if label == 0xFF, isLoop, let count = bytes.littleEndian16(at: offset + 16) {
            // The count is that of repetitions.
            plays = count == 0 ? 0 : count + 1
        }
        offset = Self.blocksEnd(bytes, from: offset + 2)
    }

    /// True at an application extension that says how often to repeat.
    private var isLoop: Bool {
        let names = ["NETSCAPE2.0", "ANIMEXTS1.0"]
        return names.contains { bytes.starts(with: Array($0.utf8), at: offset + 3) }
            && bytes.byte(at: offset + 14) == 3 && bytes.byte(at: offset + 15) == 1
    }

    private mutating func readFrame(_ control: Control) -> StoredFrame? {
        guard let flags = bytes.byte(at: offset + 9),
            let left = bytes.littleEndian16(at: offset + 1), let top = bytes.littleEndian16(at: offset + 3),
            let width = bytes.littleEndian16(at: offset + 5),
            let height = bytes.littleEndian16(at: offset + 7)
        else {
            isCut = true
            return nil
        }
        let codes = offset + 10 + (flags & 0x80 != 0 ? 3 << ((flags & 7) + 1) : 0)
        isCut = bytes.byte(at: codes + 1) == nil
        guard width > 0, height > 0, !isCut else { return nil }
        let start = offset
        offset = Self.blocksEnd(bytes, from: codes + 1)
        return StoredFrame(
            x: left,
            y: top,
            size: PixelSize(width: width, height: height),
            delay: StoredFrame.shownDelay(control.delay),
            disposal: control.disposal,
            blends: true,
            bytes: start..<min(offset, bytes.count),
            transparentIndex: control.transparentIndex
        )
    }

    /// The end of data blocks, of which the last one is empty.
    static func blocksEnd(_ bytes: ByteReader, from start: Int) -> Int {
        var offset = start
        while let length = bytes.byte(at: offset), length > 0 { offset += 1 + length }
        return offset + 1
    }
}
