package import Files
import Foundation
import JobManifest
package import ObjectStorage
import Synchronization

/// A list in an object store, or one of its files, which is read a piece at a time while its rows are planned.
package struct RemoteList: Sendable {
    private let reader: ObjectReader
    private let folder: ScratchFolder

    /// Creates a list of an object that was found; one that needs random access is copied to a file in `folder`.
    package init(_ reader: ObjectReader, in folder: ScratchFolder) {
        (self.reader, self.folder) = (reader, folder)
    }

    /// The location, `s3://bucket/key`.
    var name: String { reader.location.description }

    /// The text that changes when the list does.
    var fingerprint: String { ObjectValidator.text(of: reader.facts) }

    /// Opens the list; `isStopped` is asked while a piece is on the way.
    func open(_ name: String, isStopped: @escaping @Sendable () -> Bool) -> any ByteStream {
        ObjectStream(reader, name: name, isStopped: isStopped)
    }

    /// Returns a copy of the whole object in a file without a name; `isStopped` is asked while a piece is on the way.
    /// - Throws: `SourceError`, also for an object that changes meanwhile, and for a full disk.
    func copy(isStopped: @escaping @Sendable () -> Bool) throws(SourceError) -> UnnamedFile {
        let stream = ObjectStream(reader, name: name, isStopped: isStopped)
        do {
            let file = try UnnamedFile(in: Folder(path: folder.path))
            while let piece = try stream.nextPiece() { try file.append(piece) }
            return file
        } catch let error as SourceError {
            throw error
        } catch {
            throw SourceError(name, "cannot be copied: \(error)")
        }
    }
}

/// The bytes of an object, of which the next piece is on the way while one is read.
///
/// Use it on one thread, which waits for pieces: it must be none of the pool of tasks, which bring them.
private final class ObjectStream: ByteStream {
    /// A piece on the way.
    private final class Fetch: Sendable {
        private let result = Mutex<Result<Data, StoreError>?>(nil)
        private let arrival = TimedSemaphore()
        private let task = Mutex<Task<Void, Never>?>(nil)

        init(_ reader: ObjectReader, at position: Int) {
            let task = Task {
                let found: Result<Data, StoreError>
                do throws(StoreError) { found = .success(try await reader.piece(at: position)) } catch {
                    found = .failure(error)
                }
                result.withLock { $0 = found }
                arrival.signal()
            }
            self.task.withLock { $0 = task }
        }

        /// Returns the piece; nil while it has not arrived after `seconds`.
        func wait(seconds: Double) throws(StoreError) -> Data? {
            guard arrival.wait(seconds: seconds) else { return nil }
            return try result.withLock { $0 }?.get()
        }

        func cancel() { task.withLock { $0 }?.cancel() }
    }

    /// The seconds after which the thread asks whether the rows are still wanted.
    private static let patience = 0.1

    private let reader: ObjectReader
    private let name: String
    private let isStopped: @Sendable () -> Bool
    private var piece = Data()
    /// The position behind the last piece that has arrived.
    private var position = 0
    private var next: Fetch?

    init(_ reader: ObjectReader, name: String, isStopped: @escaping @Sendable () -> Bool) {
        (self.reader, self.name, self.isStopped) = (reader, name, isStopped)
    }

    deinit {
        next?.cancel()
    }

    /// Returns the next piece; nil after the last.
    func nextPiece() throws(SourceError) -> Data? {
        guard position < reader.facts.size else { return nil }
        let piece = try arrived(next ?? Fetch(reader, at: position))
        position += piece.count
        next = position < reader.facts.size ? Fetch(reader, at: position) : nil
        return piece
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
        if piece.isEmpty {
            guard let next = try nextPiece() else { return 0 }
            piece = next
        }
        let count = piece.copyBytes(to: buffer)
        piece = piece.dropFirst(count)
        return count
    }

    private func arrived(_ fetch: Fetch) throws(SourceError) -> Data {
        do throws(StoreError) {
            while !isStopped() {
                if let piece = try fetch.wait(seconds: Self.patience) { return piece }
            }
        } catch {
            // That a list has changed is no trouble of the store: whoever writes it has to end first.
            throw error.reason == .damaged
                ? SourceError(name, error.description) : SourceError(name, error)
        }
        fetch.cancel()
        throw SourceError(name, "was not read to its end")
    }
}
