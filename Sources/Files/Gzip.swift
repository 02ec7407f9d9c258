import CDeflate
public import Foundation

/// Whole gzip files in memory (RFC 1952): one member, without a name and a time, so that equal bytes give equal files.
public enum Gzip {
    /// The compression level: libdeflate's default, above which the gain is small.
    private static let level: Int32 = 6
    /// The bytes of a header and of a trailer.
    private static let frame = 18

    /// Compresses `data`; nil if there is not enough memory.
    public static func compress(_ data: Data) -> Data? {
        guard let compressor = libdeflate_alloc_compressor(level) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        var compressed = Data(count: libdeflate_gzip_compress_bound(compressor, data.count))
        let count = compressed.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                libdeflate_gzip_compress(
                    compressor,
                    input.baseAddress,
                    input.count,
                    output.baseAddress,
                    output.count
                )
            }
        }
        return count > 0 ? compressed.prefix(count) : nil
    }

    /// Decompresses a file of one member; nil if it is damaged, or larger than `limit` bytes.
    public static func decompress(_ data: Data, limit: Int) -> Data? {
        guard data.count >= frame, let decompressor = libdeflate_alloc_decompressor() else { return nil }
        defer { libdeflate_free_decompressor(decompressor) }
        // The trailer ends with the size, modulo 2^32 (RFC 1952, section 2.3.1).
        let size = data.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard size <= limit, size / 1032 <= data.count else { return nil }
        var whole = Data(count: size)
        let result = whole.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                libdeflate_gzip_decompress(
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
