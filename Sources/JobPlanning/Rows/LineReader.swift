import Glibc
import JobManifest

/// Reads the lines of a stream, which end with LF, CR LF or CR.
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

    /// Begins with the first line; errors call the stream `name`.
    init(_ stream: any ByteStream, name: String) throws(SourceError) {
        buffer = RowBuffer(stream)
        try buffer.skipByteOrderMark(of: name)
    }

    /// Returns the next line; nil after the last.
    mutating func next() throws(SourceError) -> Line? {
        while true {
            let bytes = buffer.unused
            if let end = Self.lineBreak(in: bytes, from: searched, isWhole: buffer.isAtEnd) {
                number += 1
                searched = 0
                buffer.use(end.upperBound)
                return line(UnsafeBufferPointer(rebasing: bytes[..<end.lowerBound]))
            }
            if buffer.isAtEnd {
                guard !bytes.isEmpty else { return nil }
                number += 1
                searched = 0
                buffer.use(bytes.count)
                return line(bytes)
            }
            if bytes.count > RowBuffer.longestRow { return try skipLine() }
            // The last byte may be the first of CR LF.
            searched = max(bytes.count - 1, 0)
            try buffer.fill()
        }
    }

    private func line(_ bytes: UnsafeBufferPointer<UInt8>) -> Line {
        bytes.count > RowBuffer.longestRow
            ? .tooLong(bytes.count, beginning: Self.beginning(bytes)) : .text(bytes)
    }

    private mutating func skipLine() throws(SourceError) -> Line {
        let beginning = Self.beginning(buffer.unused)
        var count = 0
        searched = 0
        number += 1
        while true {
            let bytes = buffer.unused
            if let end = Self.lineBreak(in: bytes, from: 0, isWhole: buffer.isAtEnd) {
                buffer.use(end.upperBound)
                return .tooLong(count + end.lowerBound, beginning: beginning)
            }
            let isHalf = bytes.last == UInt8(ascii: "\r")
            count += bytes.count - (isHalf ? 1 : 0)
            buffer.use(bytes.count - (isHalf ? 1 : 0))
            if buffer.isAtEnd { return .tooLong(count, beginning: beginning) }
            try buffer.fill()
        }
    }

    private static func beginning(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        ItemURL.encoded(UnsafeBufferPointer(rebasing: bytes.prefix(100)))
    }

    /// Returns the first line end from `start` on; nil without one, and for a CR at the end of `bytes` that more may follow.
    private static func lineBreak(
        in bytes: UnsafeBufferPointer<UInt8>,
        from start: Int,
        isWhole: Bool
    ) -> Range<Int>? {
        guard let base = bytes.baseAddress, start < bytes.count else { return nil }
        func first(_ byte: UInt8, before end: Int) -> Int? {
            memchr(base + start, Int32(byte), end - start).map {
                UnsafeRawPointer($0) - UnsafeRawPointer(base)
            }
        }
        let feed = first(UInt8(ascii: "\n"), before: bytes.count)
        guard let end = first(UInt8(ascii: "\r"), before: feed ?? bytes.count) else {
            return feed.map { $0..<$0 + 1 }
        }
        if end + 1 == bytes.count, !isWhole { return nil }
        return end..<(feed == end + 1 ? end + 2 : end + 1)
    }
}
