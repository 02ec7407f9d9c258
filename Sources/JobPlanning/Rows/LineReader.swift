import Glibc
import JobManifest

/// Reads the lines of a stream, which end with LF or CR LF.
struct LineReader {
    /// A line without its line break.
    enum Line {
        /// The bytes of the line, valid until the next one is read.
        case text(UnsafeBufferPointer<UInt8>)
        /// A line that is too long: its number of bytes, and the first of them.
        case tooLong(Int, beginning: String)
    }

    private let buffer: RowBuffer
    /// The number of the last line, from 1.
    private(set) var number = 0
    /// The number of unused bytes that are known to contain no line break.
    private var searched = 0

    init(_ stream: any ByteStream) throws(SourceError) {
        buffer = RowBuffer(stream)
        try buffer.skipByteOrderMark()
    }

    /// Returns the next line; nil after the last.
    mutating func next() throws(SourceError) -> Line? {
        while true {
            let bytes = buffer.unused
            if let end = Self.lineBreak(in: bytes, from: searched) {
                number += 1
                searched = 0
                buffer.use(end + 1)
                return line(UnsafeBufferPointer(rebasing: bytes[..<end]))
            }
            if buffer.isAtEnd {
                guard !bytes.isEmpty else { return nil }
                number += 1
                searched = 0
                buffer.use(bytes.count)
                return line(bytes)
            }
            if bytes.count > RowBuffer.longestRow { return try skipLine() }
            searched = bytes.count
            try buffer.fill()
        }
    }

    private func line(_ bytes: UnsafeBufferPointer<UInt8>) -> Line {
        if bytes.count > RowBuffer.longestRow {
            return .tooLong(bytes.count, beginning: Self.beginning(bytes))
        }
        guard bytes.last == UInt8(ascii: "\r") else { return .text(bytes) }
        return .text(UnsafeBufferPointer(rebasing: bytes.dropLast()))
    }

    private mutating func skipLine() throws(SourceError) -> Line {
        let beginning = Self.beginning(buffer.unused)
        var count = 0
        searched = 0
        number += 1
        while true {
            let bytes = buffer.unused
            if let end = Self.lineBreak(in: bytes, from: 0) {
                buffer.use(end + 1)
                return .tooLong(count + end, beginning: beginning)
            }
            count += bytes.count
            buffer.use(bytes.count)
            if buffer.isAtEnd { return .tooLong(count, beginning: beginning) }
            try buffer.fill()
        }
    }

    private static func beginning(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        ItemURL.encoded(UnsafeBufferPointer(rebasing: bytes.prefix(100)))
    }

    private static func lineBreak(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = bytes.baseAddress, start < bytes.count,
            let found = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}
