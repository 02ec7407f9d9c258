import Glibc

/// Bytes from the first to the last, a piece at a time.
package protocol ByteStream: AnyObject {
    /// Fills the beginning of `buffer`, which is not empty, and returns the number of bytes; 0 is the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int
}

/// The bytes of a file, a pipe or standard input.
package final class FileStream: ByteStream {
    /// The name in errors.
    package let name: String
    private let descriptor: Int32
    private let closes: Bool

    /// Opens the file at `path`.
    package init(path: String, name: String) throws(SourceError) {
        self.name = name
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        closes = descriptor >= 0
        guard descriptor >= 0 else { throw .system(errno, file: name, doing: "opening") }
    }

    /// Standard input.
    package init(standardInputAs name: String) {
        self.name = name
        descriptor = STDIN_FILENO
        closes = false
    }

    deinit {
        if closes { close(descriptor) }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            let code = errno
            if code == EISDIR { throw SourceError(file: name, message: "is a folder, not a file") }
            if code != EINTR { throw .system(code, file: name, doing: "reading") }
        }
    }
}
