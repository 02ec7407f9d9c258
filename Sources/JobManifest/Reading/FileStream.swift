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
    /// The end of the time in which a program must open a pipe for writing; nil if one has, and for files.
    private var writerDue: ContinuousClock.Instant?

    /// Opens the file at `path`.
    ///
    /// Unless it `mustBeRegular`, it may be a pipe, into which a program must begin to write within `patience`.
    package init(
        path: String,
        name: String,
        mustBeRegular: Bool = false,
        patience: Duration = .seconds(10)
    ) throws(SourceError) {
        self.name = name
        // A blocking open would wait for the writer of a pipe, for ever.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        closes = descriptor >= 0
        guard descriptor >= 0 else { throw .system(errno, file: name, doing: "opening") }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno, file: name, doing: "opening") }
        let type = status.st_mode & S_IFMT
        if mustBeRegular, type != S_IFREG, type != S_IFDIR {
            throw SourceError(name, "is not a regular file")
        }
        if type == S_IFIFO { writerDue = .now + patience } else { waitForBytes() }
    }

    /// Standard input.
    package init(standardInputAs name: String) {
        self.name = name
        descriptor = STDIN_FILENO
        closes = false
        writerDue = nil
    }

    deinit {
        if closes { close(descriptor) }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count == 0, let due = writerDue {
                guard .now < due else { throw SourceError(name, "is a pipe into which no program writes") }
                usleep(10_000)
                continue
            }
            if count > 0 { writerDue = nil }
            if count >= 0 { return count }
            let code = errno
            if code == EAGAIN {
                writerDue = nil
                waitForBytes()
                continue
            }
            if code == EISDIR { throw SourceError(name, "is a folder, not a file") }
            if code != EINTR { throw .system(code, file: name, doing: "reading") }
        }
    }

    /// Makes reads wait for bytes.
    private func waitForBytes() {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }
}
