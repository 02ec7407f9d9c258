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
    func skipByteOrderMark() throws(SourceError) {
        while end - start < 3, !isAtEnd { try fill() }
        if unused.starts(with: [0xEF, 0xBB, 0xBF]) { use(3) }
    }
}
