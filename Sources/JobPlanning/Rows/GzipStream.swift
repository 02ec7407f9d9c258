import CZlib
import JobManifest

/// Decompresses a gzip file (RFC 1952), all its members one after the other.
final class GzipStream: ByteStream {
    private let source: any ByteStream
    private let name: String
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    /// Allocated, because zlib needs it at a constant address.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var isInMember = true
    private var isAtEnd = false
    private var limit: ExpansionLimit
    private var count = 0

    /// Decompresses `source`, which errors call `name`.
    init(_ source: any ByteStream, name: String) throws(SourceError) {
        (self.source, self.name) = (source, name)
        limit = .gzip(name)
        stream.initialize(to: z_stream())
        // 15 bits of window, plus 16 to accept only gzip.
        let status = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw SourceError(name, "not enough memory to decompress it") }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
        input.deallocate()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
        stream.pointee.next_out = buffer.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(clamping: buffer.count)
        let room = stream.pointee.avail_out
        while stream.pointee.avail_out == room, !isAtEnd {
            if stream.pointee.avail_in == 0 { try fill() }
            if isAtEnd || !isInMember { continue }
            switch inflate(stream, Z_NO_FLUSH) {
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END:
                isInMember = false
                if stream.pointee.avail_in > 0 { try beginMember() }
            default:
                // zlib counts the bytes of one member.
                let made = count + Int(room - stream.pointee.avail_out)
                throw SourceError(
                    name,
                    "the gzip data is damaged after \(made) bytes: create the file again"
                )
            }
        }
        let made = Int(room - stream.pointee.avail_out)
        count += made
        try limit.check(count)
        return made
    }

    private func fill() throws(SourceError) {
        let count = try source.read(into: input)
        limit.bytes += count
        if count == 0 {
            guard !isInMember else {
                throw SourceError(name, "the gzip data is truncated: create the file again")
            }
            isAtEnd = true
            return
        }
        stream.pointee.next_in = input.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_in = UInt32(count)
        if !isInMember { try beginMember() }
    }

    /// Continues with the next member; zeros after the last one are padding, as in gzip.
    private func beginMember() throws(SourceError) {
        while stream.pointee.avail_in > 0, stream.pointee.next_in.pointee == 0 {
            stream.pointee.next_in += 1
            stream.pointee.avail_in -= 1
        }
        guard stream.pointee.avail_in > 0 else { return }
        inflateReset(stream)
        isInMember = true
    }
}
