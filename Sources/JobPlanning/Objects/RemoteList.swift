import Files
import Foundation
import JobManifest
package import ObjectStorage
import Synchronization

/// A list in an object store, which is read a piece at a time while its rows are planned.
package struct RemoteList: Sendable {
    private let reader: ObjectReader

    /// Creates a list of an object that was found.
    package init(_ reader: ObjectReader) {
        self.reader = reader
    }

    /// The text that changes when the list does.
    var fingerprint: String { ObjectValidator.text(of: reader.facts) }

    /// Opens the list; `isStopped` is asked while a piece is on the way.
    func open(_ name: String, isStopped: @escaping @Sendable () -> Bool) -> any ByteStream {
        ObjectStream(reader, name: name, isStopped: isStopped)
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

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
        if piece.isEmpty {
            guard position < reader.facts.size else { return 0 }
            piece = try arrived(next ?? Fetch(reader, at: position))
            position += piece.count
            next = position < reader.facts.size ? Fetch(reader, at: position) : nil
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
            throw SourceError(file: name, message: error.description)
        }
        fetch.cancel()
        throw SourceError(file: name, message: "was not read to its end")
    }
}
