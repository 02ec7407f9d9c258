public import Foundation

/// Finds the scans of a JPEG while it is being received (ITU-T T.81, annex B).
public struct JPEGScans: Sendable {
    /// True if the image comes in scans of rising quality; nil until its frame header has been received.
    public private(set) var isProgressive: Bool?
    /// The number of scans whose first byte has been received.
    public private(set) var count = 0
    /// The offset of the last such scan, in bytes from the start of the file.
    public private(set) var lastStart = 0

    private var offset = 2
    private var isInScan = false
    /// True if the segment at `offset` has not been received completely.
    private var isUnfinished = false

    /// Creates a reader that has found no scans yet.
    public init() {}

    /// Continues in `data`, the file from its first byte on, where the last call stopped.
    public mutating func read(_ data: Data) {
        isUnfinished = false
        data.withUnsafeBytes { bytes in
            while isInScan ? skipScan(bytes) : readSegment(bytes) {}
        }
    }

    /// The data read last, without the incomplete segment at its end.
    func finishedPart(of data: Data) -> Data {
        isUnfinished ? data.prefix(offset) : data
    }

    /// Skips the coded data of a scan; false if the data ends first.
    private mutating func skipScan(_ bytes: UnsafeRawBufferPointer) -> Bool {
        while offset + 1 < bytes.count {
            guard bytes[offset] == 0xFF else {
                offset += 1
                continue
            }
            switch bytes[offset + 1] {
            case 0x00, 0xD0...0xD7: offset += 2  // a stuffed byte or a restart marker within the scan
            case 0xFF: offset += 1
            default:
                isInScan = false
                return true
            }
        }
        return false
    }

    /// Skips a marker and its segment; false at the end of the image, at the end of the data, or at damage.
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
        case 0xD9: return false
        case 0xDA where lastStart != offset:
            count += 1
            lastStart = offset
        case 0xC2, 0xC6, 0xCA, 0xCE: isProgressive = isProgressive ?? true
        case 0xC0, 0xC1, 0xC3, 0xC5, 0xC7, 0xC9, 0xCB, 0xCD, 0xCF: isProgressive = isProgressive ?? false
        default: break
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
