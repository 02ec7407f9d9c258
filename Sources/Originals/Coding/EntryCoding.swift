import Files
import Foundation
import Imaging

/// A way to make the files of new entries smaller.
package enum EntryCompression: Sendable {
    /// Nothing.
    case none
    /// Everything is compressed if that makes it smaller (RFC 1951).
    case deflate
    /// Likewise, but JPEGs are kept as JPEG XL.
    case jpegXL
}

/// The form in which a file holds an entry's bytes, by its number in the index.
enum EntryCoding: Int, Sendable {
    /// Compressed (RFC 1951).
    case deflate = 1
    /// A JPEG as JPEG XL.
    case jpegXL = 2
    /// A JPEG as it is, because it cannot be had back from JPEG XL, would not be smaller, or is too large for the memory.
    case keptJPEG = 3

    /// Compresses the bytes of an entry; those that do not get smaller stay as they are.
    static func compress(
        _ data: Data,
        by compression: EntryCompression
    ) -> (stored: Data, coding: EntryCoding?) {
        guard compression != .none else { return (data, nil) }
        guard compression == .jpegXL, let cost = JPEGTranscoder.cost(of: data) else {
            return Deflate.compress(data).map { ($0, .deflate) } ?? (data, nil)
        }
        let memory = TranscodingMemory.shared
        guard cost <= memory.limit, let file = memory.take(cost, while: { JPEGTranscoder.compress(data) })
        else { return (data, .keptJPEG) }
        return (file, .jpegXL)
    }

    /// Returns the `count` bytes that were compressed; nil if the file is damaged.
    func decompress(_ stored: Data, count: Int) -> Data? {
        switch self {
        case .deflate: Deflate.decompress(stored, count: count)
        case .keptJPEG: stored
        case .jpegXL:
            JPEGTranscoder.cost(ofGivingBack: stored).flatMap { cost in
                TranscodingMemory.shared.take(cost) { JPEGTranscoder.decompress(stored, count: count) }
            }
        }
    }
}
