import CDeflate
public import Foundation

/// Bytes made smaller without loss, and made whole again, by libdeflate (RFC 1951, without a header).
public enum Deflate {
    /// Where more work gains little (libdeflate's own default).
    private static let level: Int32 = 6

    /// `data` made smaller, or nil if it cannot be, as with most images.
    public static func compress(_ data: Data) -> Data? {
        guard data.count > 1, let compressor = libdeflate_alloc_compressor(level) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        var compressed = Data(count: data.count - 1)
        let count = compressed.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                libdeflate_deflate_compress(
                    compressor,
                    input.baseAddress,
                    input.count,
                    output.baseAddress,
                    output.count
                )
            }
        }
        // 0 says that the result has no room in one byte less than there were.
        return count > 0 ? compressed.prefix(count) : nil
    }

    /// The `count` bytes that `data` was made from, or nil if it was not made from so many.
    public static func decompress(_ data: Data, count: Int) -> Data? {
        // No byte of the format stands for more than 1032 (258 bytes from 2 bits), so a wrong count takes no memory.
        guard count >= 0, count / 1032 <= data.count, let decompressor = libdeflate_alloc_decompressor()
        else {
            return nil
        }
        defer { libdeflate_free_decompressor(decompressor) }
        var whole = Data(count: count)
        let result = whole.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                // Without a place for the count that came, exactly as many as there is room for are demanded.
                libdeflate_deflate_decompress(
                    decompressor,
                    input.baseAddress,
                    input.count,
                    output.baseAddress,
                    output.count,
                    nil
                )
            }
        }
        return result == LIBDEFLATE_SUCCESS ? whole : nil
    }
}
