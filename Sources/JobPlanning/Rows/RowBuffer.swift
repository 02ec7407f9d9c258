import JobManifest

/// The unused bytes of a stream, in one buffer that grows with the longest row.
final class RowBuffer {
    /// The maximum length of a row: 1 MB.
    static let longestRow = 1_000_000

    private let stream: any ByteStream
    private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    private var start = 0
    private var end = 0
    private(set) var isAtEnd = false

    init(_ stream: any ByteStream) {
        self.stream = stream
    }

    deinit {
        storage.deallocate()
    }

    /// The bytes that were read but not used, valid until the next call of `fill`.
    var unused: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: UnsafeBufferPointer(storage.bindMemory(to: UInt8.self))[start..<end])
    }

    func use(_ count: Int) {
        start += count
    }

    /// Reads more bytes after the unused ones.
    func fill() throws(SourceError) {
        guard !isAtEnd else { return }
        if start > 0 {
            storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[start..<end]))
            end -= start
            start = 0
        }
        if end == storage.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: storage.count * 2, alignment: 16)
            larger.copyMemory(from: UnsafeRawBufferPointer(storage))
            storage.deallocate()
            storage = larger
        }
        let count = try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: storage[end...]))
        end += count
        isAtEnd = count == 0
    }

    /// Skips a byte order mark; call it first.
    ///
    /// The stream is `name` in errors.
    /// - Throws: `SourceError` for UTF-16 and UTF-32, which a spreadsheet's "Unicode text" is.
    func skipByteOrderMark(of name: String) throws(SourceError) {
        while end - start < 4, !isAtEnd { try fill() }
        let first = Array(unused.prefix(4))
        if first.starts(with: [0xEF, 0xBB, 0xBF]) { use(3) }
        let isMarked = first.starts(with: [0xFF, 0xFE]) || first.starts(with: [0xFE, 0xFF])
        // Without a mark, every second byte of ASCII is zero.
        let zeros = first.map { $0 == 0 }
        guard !isMarked, zeros != [false, true, false, true], zeros != [true, false, true, false] else {
            throw SourceError(name, "is UTF-16 or UTF-32: save it as UTF-8")
        }
    }
}
