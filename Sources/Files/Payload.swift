import CFiles
public import Foundation

/// Bytes that are to be written or sent: in memory, or a range of an open file, which is read a piece at a time.
///
/// A file must stay as it is meanwhile: one that has become shorter is an error. May be used from any thread.
public struct Payload: Sendable {
    /// The most bytes of a file that are in memory at a time.
    public static let pieceSize = 1 << 20

    private enum Place {
        case memory(Data)
        case file(OpenFile, start: Int)
    }

    /// The number of bytes.
    public let count: Int
    private let place: Place

    private init(_ place: Place, count: Int) {
        (self.place, self.count) = (place, count)
    }

    /// Bytes in memory.
    public init(_ data: Data) {
        self.init(.memory(data), count: data.count)
    }

    /// Opens the file at `path`, all of which is meant.
    /// - Throws: `FileError`.
    public init(file path: String) throws(FileError) {
        let file = try OpenFile(path)
        self.init(.file(file, start: 0), count: file.count)
    }

    /// The bytes in memory; nil for those of a file.
    public var data: Data? {
        if case .memory(let data) = place { data } else { nil }
    }

    /// The whole file whose bytes these are; nil for a part of one, and for bytes in memory.
    var wholeFile: Int32? {
        guard case .file(let file, 0) = place, file.count == count else { return nil }
        return file.descriptor
    }

    /// A part of the bytes, without a copy of them.
    public subscript(range: Range<Int>) -> Payload {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= count,
            "\(range) is not within \(count) bytes"
        )
        switch place {
        case .memory(let data):
            let start = data.startIndex + range.lowerBound
            return Payload(data[start..<start + range.count])
        case .file(let file, let start):
            return Payload(.file(file, start: start + range.lowerBound), count: range.count)
        }
    }

    /// Returns the bytes of `range`.
    /// - Throws: `FileError`; of the code `EIO` if the file has become shorter.
    public func read(_ range: Range<Int>) throws(FileError) -> Data {
        switch self[range].place {
        case .memory(let data): return data
        case .file(let file, let start): return try file.read(count: range.count, at: start)
        }
    }

    /// Calls `body` with all bytes in order: at once if they are in memory, and a piece of a file at a time.
    /// - Throws: `FileError`, or what `body` throws.
    public func forEachPiece(_ body: (Data) throws(FileError) -> Void) throws(FileError) {
        let step = data == nil ? Self.pieceSize : max(count, 1)
        for start in stride(from: 0, to: count, by: step) {
            try body(try read(start..<min(start + step, count)))
        }
    }
}

/// A file that is open for reading as long as it is referenced.
private final class OpenFile: Sendable {
    let descriptor: Int32
    /// The length in bytes when it was opened.
    let count: Int
    private let path: String

    init(_ path: String) throws(FileError) {
        // Without O_NONBLOCK, opening a named pipe waits for a writer, possibly forever.
        let file = nb_open(path, O_RDONLY | O_NONBLOCK, 0)
        guard file >= 0 else { throw FileError("open", path, code: errno) }
        var status = stat()
        let examined = fstat(file, &status) == 0
        guard examined, status.st_mode & S_IFMT == S_IFREG else {
            let code = examined ? EINVAL : errno
            close(file)
            throw FileError(examined ? "read" : "examine", path, code: code)
        }
        (descriptor, count, self.path) = (file, Int(status.st_size), path)
    }

    deinit {
        close(descriptor)
    }

    func read(count: Int, at offset: Int) throws(FileError) -> Data {
        let data = try WholeTransfer.read(count: count, from: descriptor, at: offset, path: path)
        guard data.count == count else { throw FileError("read", path, code: EIO) }
        return data
    }
}

extension Digest {
    /// The digest of a payload, `size` bytes.
    /// - Throws: `FileError`.
    public func bytes(of payload: Payload) throws(FileError) -> [UInt8] {
        if let data = payload.data { return bytes(of: data) }
        let running = RunningDigest(self)
        try payload.forEachPiece { (piece) throws(FileError) in running.append(piece) }
        return running.value
    }

    /// The digest of a payload in lower-case hexadecimal, two characters a byte.
    /// - Throws: `FileError`.
    public func hex(of payload: Payload) throws(FileError) -> String {
        Self.hex(try bytes(of: payload))
    }
}
