public import Foundation

/// Finds the scans of a JPEG while it comes in (ITU-T T.81, annex B).
public struct JPEGScans: Sendable {
    /// Whether the image comes in scans of rising quality; nil while its frame header is not there.
    public private(set) var isProgressive: Bool?
    /// Scans whose start is there.
    public private(set) var count = 0
    /// Where the last of them starts, from the first byte of the file on.
    public private(set) var lastStart = 0

    private var offset = 2
    private var isInScan = false
    /// Whether a segment starts at `offset` that is not all there.
    private var isUnfinished = false

    /// None found yet.
    public init() {}

    /// Looks on in `data`, the file from its first byte on, from where the last look ended.
    ///
    /// Scans of an image that is not progressive are not looked for.
    public mutating func read(_ data: Data) {
        isUnfinished = false
        data.withUnsafeBytes { bytes in
            while isProgressive != false, isInScan ? skipScan(bytes) : readSegment(bytes) {}
        }
    }

    /// The data that was looked at last, without the segment at its end that is not all there.
    func finishedPart(of data: Data) -> Data {
        isUnfinished ? data.prefix(offset) : data
    }

    /// Passes over a scan's coded data; false where the data ends before it.
    private mutating func skipScan(_ bytes: UnsafeRawBufferPointer) -> Bool {
        while offset + 1 < bytes.count {
            guard bytes[offset] == 0xFF else {
                offset += 1
                continue
            }
            switch bytes[offset + 1] {
            case 0x00, 0xD0...0xD7: offset += 2  // a stuffed byte, or a restart within the scan
            case 0xFF: offset += 1
            default:
                isInScan = false
                return true
            }
        }
        return false
    }

    /// Passes over a marker and what belongs to it; false at the end of the image, of the data, or at damage.
    private mutating func readSegment(_ bytes: UnsafeRawBufferPointer) -> Bool {
        isUnfinished = offset + 1 >= bytes.count
        guard !isUnfinished, bytes[offset] == 0xFF else { return false }
        let marker = bytes[offset + 1]
        switch marker {
        case 0xFF:
            offset += 1
            return true
        case 0x01, 0xD0...0xD8:
            offset += 2
            return true
        case 0xD9:
            return false
        case 0xDA where lastStart != offset:
            count += 1
            lastStart = offset
        case 0xC2, 0xC6, 0xCA, 0xCE:
            isProgressive = isProgressive ?? true
        case 0xC0, 0xC1, 0xC3, 0xC5, 0xC7, 0xC9, 0xCB, 0xCD, 0xCF:
            isProgressive = isProgressive ?? false
        default:
            break
        }
        isUnfinished = offset + 3 >= bytes.count
        guard !isUnfinished else { return false }
        let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
        isUnfinished = offset + 2 + length > bytes.count
        guard length >= 2, !isUnfinished else { return false }
        offset += 2 + length
        isInScan = marker == 0xDA
        return true
    }
}
