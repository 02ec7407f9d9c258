internal import Foundation

/// The location of a file's ICC profile.
enum EmbeddedProfile: Sendable {
    case none
    /// Parts of the file that form the profile when joined in this order.
    case ranges([Range<Int>])
    /// Deflated in a PNG's iCCP chunk. The decoder inflates it.
    case compressed
    /// In a box, or described there by numbers. The decoder finds it.
    case boxed

    /// The largest profile that is used, in bytes.
    ///
    /// No image needs a colour profile above 1 MiB.
    static let maxByteCount = 1 << 20

    var isPresent: Bool {
        if case .none = self { return false }
        return true
    }

    /// The number of bytes that a decoder may write: 0 if it has no profile to find.
    var capacity: Int {
        switch self {
        case .none, .ranges: 0
        case .compressed, .boxed: Self.maxByteCount
        }
    }

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
