import CDeflate
public import Foundation

/// Lossless compression with libdeflate (RFC 1951, without a header).
public enum Deflate {
    /// The compression level: libdeflate's default, above which the gain is small.
    private static let level: Int32 = 6

    /// Compresses `data`.
    ///
    /// Nil if the result would not be smaller, as with most images.
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
        // 0 means that the result does not fit into one byte less than the input.
        return count > 0 ? compressed.prefix(count) : nil
    }

    /// Decompresses `data` to exactly `count` bytes.
    ///
    /// Nil if it does not decompress to that many.
    public static func decompress(_ data: Data, count: Int) -> Data? {
        // No byte of the format stands for more than 1032 (258 bytes from 2 bits), so a false count cannot allocate
        // much.
        guard count >= 0, count / 1032 <= data.count, let decompressor = libdeflate_alloc_decompressor()
        else {
            return nil
        }
        defer { libdeflate_free_decompressor(decompressor) }
        var whole = Data(count: count)
        let result = whole.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                // Without a pointer for the actual count, libdeflate requires exactly as many bytes as the buffer
                // holds.
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
