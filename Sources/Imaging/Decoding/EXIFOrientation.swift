internal import Foundation

extension Orientation {
    /// The orientation in EXIF data (TIFF 6.0: byte order, then a list of tags); `up` where there is none.
    init(exif data: Data) {
        self = Self.find(in: ByteReader(data)) ?? .up
    }

    private static func find(in bytes: ByteReader) -> Orientation? {
        let isLittle: Bool
        switch (bytes.byte(at: 0), bytes.byte(at: 1)) {
        case (0x49, 0x49): isLittle = true
        case (0x4D, 0x4D): isLittle = false
        default: return nil
        }
        func short(_ offset: Int) -> Int? {
            isLittle ? bytes.littleEndian16(at: offset) : bytes.bigEndian16(at: offset)
        }
        func long(_ offset: Int) -> Int? {
            isLittle ? bytes.littleEndian32(at: offset) : bytes.bigEndian32(at: offset)
        }
        guard short(2) == 42, let directory = long(4), let count = short(directory) else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + index * 12
            guard let tag = short(entry) else { return nil }
            // A number of type short stands at the front of the value's four bytes.
            if tag == 0x0112, short(entry + 2) == 3 { return short(entry + 8).flatMap(Orientation.init) }
        }
        return nil
    }
}
