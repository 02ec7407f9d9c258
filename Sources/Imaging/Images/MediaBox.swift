/// A box (ISO/IEC 14496-12, 4.2), which may extend past the data.
struct MediaBox {
    let type: String
    let content: Range<Int>

    /// Reads the head of a box; nil where none begins, and for one to the end of the file.
    init?(_ bytes: ByteReader, at start: Int) {
        guard let short = bytes.bigEndian32(at: start), let type = bytes.tag(at: start + 4) else {
            return nil
        }
        var (head, length) = (8, short)
        if short == 1 {
            guard let high = bytes.bigEndian32(at: start + 8), let low = bytes.bigEndian32(at: start + 12)
            else {
                return nil
            }
            (head, length) = (16, high.multipliedClamping(by: 1 << 32).addingClamping(low))
        }
        guard length >= head else { return nil }
        self.type = type
        content = start + head..<start.addingClamping(length)
    }
}

extension ByteReader {
    /// The boxes of a range, as far as they are whole.
    func boxes(in range: Range<Int>) -> [MediaBox] {
        var boxes: [MediaBox] = []
        var offset = range.lowerBound
        while let box = MediaBox(self, at: offset), box.content.upperBound <= range.upperBound {
            boxes.append(box)
            offset = box.content.upperBound
        }
        return boxes
    }
}
