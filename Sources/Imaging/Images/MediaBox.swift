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
            else { return nil }
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

    /// The boxes about the items of an AVIF or HEIC, those in its `meta` box (ISO/IEC 14496-12); empty without one.
    var itemBoxes: [MediaBox] {
        guard let meta = boxes(in: 0..<count).first(where: { $0.type == "meta" }) else { return [] }
        return boxes(in: meta.content.dropFirst(4))
    }

    /// The id of an item, which has 2 or 4 bytes.
    func itemID(at offset: Int, size: Int) -> Int? {
        size == 2 ? bigEndian16(at: offset) : bigEndian32(at: offset)
    }
}
