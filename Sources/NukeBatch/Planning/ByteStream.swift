import CZlib
import Glibc

/// Bytes from the first to the last, a piece at a time.
protocol ByteStream: AnyObject {
    /// Fills the beginning of `buffer`, which is not empty, and returns how far; 0 is the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlanningError) -> Int
}

/// The bytes of a file, a pipe or standard input.
final class FileStream: ByteStream {
    /// What errors call it.
    let name: String
    private let descriptor: Int32
    private let closes: Bool

    /// Opens the file at `path`.
    init(path: String, name: String) throws(PlanningError) {
        self.name = name
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        closes = descriptor >= 0
        guard descriptor >= 0 else { throw .system(errno, file: name, doing: "opening") }
    }

    /// Standard input.
    init(standardInputAs name: String) {
        self.name = name
        descriptor = STDIN_FILENO
        closes = false
    }

    deinit {
        if closes { close(descriptor) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlanningError) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            let code = errno
            if code == EISDIR { throw PlanningError(file: name, message: "is a folder, not a file") }
            if code != EINTR { throw .system(code, file: name, doing: "reading") }
        }
    }
}

/// The bytes that a gzip file (RFC 1952) stands for, all its members one after the other.
final class GzipStream: ByteStream {
    private let source: FileStream
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    /// At one address for as long as zlib works on it.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var isInMember = true
    private var isAtEnd = false

    init(_ source: FileStream) throws(PlanningError) {
        self.source = source
        stream.initialize(to: z_stream())
        // 15 bits of window, plus 16: gzip and nothing else.
        let status = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            throw PlanningError(file: source.name, message: "there is no memory to decompress it")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
        input.deallocate()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlanningError) -> Int {
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
                throw PlanningError(
                    file: source.name,
                    message:
                        "the gzip data is damaged after \(stream.pointee.total_out) bytes: make the file again"
                )
            }
        }
        return Int(room - stream.pointee.avail_out)
    }

    private func fill() throws(PlanningError) {
        let count = try source.read(into: input)
        if count == 0 {
            guard !isInMember else {
                throw PlanningError(
                    file: source.name,
                    message: "the gzip data ends too early: make the file again"
                )
            }
            isAtEnd = true
            return
        }
        stream.pointee.next_in = input.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_in = UInt32(count)
        if !isInMember { try beginMember() }
    }

    /// Goes on with the member that follows; zeros after the last one are padding, as gzip has it.
    private func beginMember() throws(PlanningError) {
        while stream.pointee.avail_in > 0, stream.pointee.next_in.pointee == 0 {
            stream.pointee.next_in += 1
            stream.pointee.avail_in -= 1
        }
        guard stream.pointee.avail_in > 0 else { return }
        inflateReset(stream)
        isInMember = true
    }
}
