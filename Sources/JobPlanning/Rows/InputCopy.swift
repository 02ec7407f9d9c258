import Files
import Foundation
import JobManifest

/// The reading of standard input, which gives its bytes only once.
enum StandardInput {
    /// Its bytes are not kept.
    case once
    /// Its bytes are copied as they are read.
    case copied(InputCopy)
    /// The bytes of the copy are read in its place.
    case again(InputCopy)
}

/// A copy of standard input, decompressed, which is on disk without a name while the rows are planned.
///
/// Use it on one thread.
final class InputCopy {
    private let file: UnnamedFile
    /// The first error of writing, after which the copy is not whole.
    private var failure: FileError?

    /// Makes an empty copy in the folder at `path`.
    /// - Throws: `FileError`.
    init(in path: String) throws(FileError) {
        file = try UnnamedFile(in: Folder(path: path))
    }

    /// Returns the bytes of `stream`, which are copied as they are read.
    func copying(_ stream: any ByteStream) -> any ByteStream { Copying(stream: stream, copy: self) }

    /// Returns the bytes of the copy.
    func stream(_ name: String) -> any ByteStream { Stream(name: name, file: file) }

    /// Checks that the copy is whole.
    /// - Throws: `FileError`, as for a full disk.
    func check() throws(FileError) {
        if let failure { throw failure }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        do throws(FileError) { try file.append(Data(bytes)) } catch { failure = error }
    }

    private final class Copying: ByteStream {
        private let stream: any ByteStream
        private let copy: InputCopy

        init(stream: any ByteStream, copy: InputCopy) {
            (self.stream, self.copy) = (stream, copy)
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
            let count = try stream.read(into: buffer)
            if count > 0 { copy.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            return count
        }
    }

    private final class Stream: ByteStream {
        private let name: String
        private let file: UnnamedFile
        private var position = 0

        init(name: String, file: UnnamedFile) {
            (self.name, self.file) = (name, file)
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
            do throws(FileError) {
                let bytes = try file.read(position..<position + buffer.count)
                buffer.copyBytes(from: bytes)
                position += bytes.count
                return bytes.count
            } catch {
                throw SourceError(name, "its copy cannot be read: \(error)")
            }
        }
    }
}
