import CDeflate
public import Foundation

/// Lossless compression with libdeflate (RFC 1951, without a header).
public enum Deflate {
    /// Compresses `data`.
    ///
    /// Nil if the result would not be smaller, as with most images.
    public static func compress(_ data: Data) -> Data? {
        guard data.count > 1 else { return nil }
        return Libdeflate.compress(data, room: { _ in data.count - 1 }, libdeflate_deflate_compress)
    }

    /// Decompresses `data` to exactly `count` bytes.
    ///
    /// Nil if it does not decompress to that many.
    public static func decompress(_ data: Data, count: Int) -> Data? {
        Libdeflate.decompress(data, count: count, libdeflate_deflate_decompress)
    }
}

/// Whole gzip files in memory (RFC 1952): one member, without a name and a time, so that equal bytes give equal files.
public enum Gzip {
    /// The bytes of a header and of a trailer.
    private static let frame = 18

    /// Compresses `data`; nil if there is not enough memory.
    public static func compress(_ data: Data) -> Data? {
        Libdeflate.compress(
            data,
            room: { libdeflate_gzip_compress_bound($0, data.count) },
            libdeflate_gzip_compress
        )
    }

    /// Decompresses a file of one member; nil if it is damaged, or larger than `limit` bytes.
    public static func decompress(_ data: Data, limit: Int) -> Data? {
        guard data.count >= frame else { return nil }
        // The trailer ends with the size, modulo 2^32 (RFC 1952, section 2.3.1).
        let size = data.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard size <= limit else { return nil }
        return Libdeflate.decompress(data, count: size, libdeflate_gzip_decompress)
    }
}

/// The calls of libdeflate, whose formats differ by one function in each direction.
private enum Libdeflate {
    typealias Compress = (OpaquePointer, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, Int) -> Int
    typealias Decompress = (
        OpaquePointer, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, Int, UnsafeMutablePointer<Int>?
    ) -> libdeflate_result

    /// The compression level: libdeflate's default, above which the gain is small.
    private static let level: Int32 = 6

    /// Compresses into as many bytes as `room` allows; nil if they do not suffice.
    static func compress(_ data: Data, room: (OpaquePointer) -> Int, _ compress: Compress) -> Data? {
        guard let compressor = libdeflate_alloc_compressor(level) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        var compressed = Data(count: room(compressor))
        let count = compressed.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                compress(compressor, input.baseAddress, input.count, output.baseAddress, output.count)
            }
        }
        // 0 means that the result does not fit.
        return count > 0 ? compressed.prefix(count) : nil
    }

    static func decompress(_ data: Data, count: Int, _ decompress: Decompress) -> Data? {
        // No byte of the format stands for more than 1032 (258 bytes from 2 bits), so a false count cannot allocate
        // much.
        guard count >= 0, count / 1032 <= data.count, let decompressor = libdeflate_alloc_decompressor()
        else { return nil }
        defer { libdeflate_free_decompressor(decompressor) }
        var whole = Data(count: count)
        let result = whole.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                // Without a pointer for the actual count, libdeflate requires exactly as many bytes as the buffer
                // holds.
                decompress(
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
