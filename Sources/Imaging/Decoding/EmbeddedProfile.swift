internal import Foundation

/// Where a file keeps its ICC profile.
enum EmbeddedProfile: Sendable {
    case none
    /// Pieces of the file that make the profile, in their order.
    case ranges([Range<Int>])
    /// Deflated in a PNG's iCCP chunk: the decoder inflates it.
    case compressed
    /// In a box, or described by numbers there: the decoder finds it.
    case boxed

    /// A profile above one megabyte is no colour profile that an image needs.
    static let maxByteCount = 1 << 20

    var isPresent: Bool {
        if case .none = self { return false }
        return true
    }

    /// The profile that a decoder in C writes out: `body` gets the buffer, its capacity, and where to put the count.
    static func collect(
        capacity: Int,
        _ body: (UnsafeMutablePointer<UInt8>, Int, UnsafeMutablePointer<Int>) throws(ImagingError) -> Void
    ) throws(ImagingError) -> Data {
        var bytes = [UInt8](repeating: 0, count: capacity)
        var count = 0
        try body(&bytes, capacity, &count)
        return Data(bytes.prefix(count))
    }

    /// The bytes that a decoder may write out: none where the header found no profile.
    var capacity: Int { isPresent ? Self.maxByteCount : 0 }

    /// The profile's bytes; nil if there is none or it is too large.
    func bytes(in data: Data) -> Data? {
        guard case .ranges(let ranges) = self, !ranges.isEmpty else { return nil }
        guard ranges.reduce(0, { $0 + $1.count }) <= Self.maxByteCount else { return nil }
        let reader = ByteReader(data)
        return ranges.reduce(into: Data()) { $0.append(reader.slice($1)) }
    }
}

/// Calls `body` with the data's bytes and their count.
func withBytes<Result>(_ data: Data, _ body: (UnsafePointer<UInt8>?, Int) -> Result) -> Result {
    data.withUnsafeBytes { body($0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count) }
}
