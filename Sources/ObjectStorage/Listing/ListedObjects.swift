public import Files
import Foundation
import Synchronization

/// The objects of a listing in their order, in a file without a name, to which the listing adds them.
///
/// They can be read while they are still being listed: a reader waits for the next page. They take no memory but 16 bytes for a
/// page of a thousand. Pages are added by one task at a time; everything else may be used from any thread.
public final class ListedObjects: Sendable {
    private struct State {
        /// The places of the pages in the file, in order.
        var pages: [Range<Int>] = []
        /// The number of times that the listing has begun anew.
        var restarts = 0
        /// The number of objects that were listed, or the error that ended the listing; nil while it goes on.
        var end: Result<Int, any Error>?
    }

    /// The error of a reader whose objects are no longer valid, since the listing has begun anew.
    public struct Restarted: Error {}

    /// The seconds after which a waiting reader asks whether its objects are still wanted.
    private static let patience = 0.1

    private let file: UnnamedFile
    private let state = Mutex(State())
    private let arrivals = TimedSemaphore()

    /// Makes an empty file on the file system of `folder`.
    /// - Throws: `FileError`.
    public init(in folder: Folder) throws(FileError) {
        file = try UnnamedFile(in: folder)
    }

    /// The number of objects that were listed, including those that were not selected; 0 before the end.
    public var listed: Int { state.withLock { (try? $0.end?.get()) ?? 0 } }

    /// True if no object was selected so far.
    public var isEmpty: Bool { state.withLock { $0.pages.allSatisfy(\.isEmpty) } }

    /// The number of times that the listing has begun anew.
    public var restarts: Int { state.withLock(\.restarts) }

    /// Appends a page of objects to the file, and returns its place, with which it can be added.
    /// - Throws: `FileError`.
    public func store(_ entries: [ObjectPage.Entry]) throws(FileError) -> Range<Int> {
        var records = Data()
        for entry in entries { ObjectRecords.append(entry, to: &records) }
        return try store(records)
    }

    /// Appends the records of a page to the file, and returns their place.
    func store(_ records: Data) throws(FileError) -> Range<Int> {
        let start = file.count
        if !records.isEmpty { try file.append(records) }
        return start..<file.count
    }

    /// Adds stored pages, which follow those that were added before.
    public func add(_ pages: [Range<Int>]) {
        guard !pages.isEmpty else { return }
        state.withLock { $0.pages += pages }
        arrivals.signal()
    }

    /// Takes all pages back, which were not in the order of the store; readers that have begun fail.
    ///
    /// Nothing happens if none was added.
    public func restart() {
        state.withLock { state in
            guard !state.pages.isEmpty else { return }
            (state.pages, state.restarts) = ([], state.restarts + 1)
        }
        arrivals.signal()
    }

    /// Ends the listing, unless it has ended.
    /// - Parameter result: The number of all objects that were looked at, or the error that every reader throws behind the last page.
    public func end(_ result: Result<Int, any Error>) {
        state.withLock { $0.end = $0.end ?? result }
        arrivals.signal()
    }

    /// Throws the error that ended the listing, if there is one.
    public func check() throws {
        _ = try state.withLock(\.end)?.get()
    }

    /// Returns a reader that begins with the first object.
    public func makeReader() -> Reader { Reader(self) }

    /// Returns the SHA-256 of the keys and facts in hexadecimal, which differs if one of them does.
    ///
    /// Blocks its thread while the listing goes on; `isStopped` is asked meanwhile.
    /// - Throws: As ``Reader/next(isStopped:)``.
    public func digest(isStopped: () -> Bool = { false }) throws -> String {
        while true {
            do {
                let (digest, restarts) = (RunningDigest(), restarts)
                var number = 0
                while let page = try page(number, restarts: restarts, isStopped: isStopped) {
                    digest.append(try file.read(page))
                    number += 1
                }
                return Digest.hex(Data(digest.value))
            } catch is Restarted {
                continue
            }
        }
    }

    /// Returns the place of a page; nil behind the last.
    private func page(_ number: Int, restarts: Int, isStopped: () -> Bool) throws -> Range<Int>? {
        while true {
            let (page, end) = try state.withLock { state in
                guard state.restarts == restarts else { throw Restarted() }
                return (state.pages.indices.contains(number) ? state.pages[number] : nil, state.end)
            }
            if let page { return page }
            if let end {
                _ = try end.get()
                return nil
            }
            if isStopped() { throw CancellationError() }
            // A signal for a page that was taken before, or of another reader, ends the wait early or late, which is harmless.
            _ = arrivals.wait(seconds: Self.patience)
        }
    }

    /// Reads the objects one after the other.
    public struct Reader {
        private let objects: ListedObjects
        private let restarts: Int
        private var number = 0
        private var records = ObjectRecords()

        fileprivate init(_ objects: ListedObjects) {
            (self.objects, restarts) = (objects, objects.restarts)
        }

        /// Reads the next object.
        ///
        /// Blocks its thread until the listing has come to it: it must be none of the pool of tasks, which bring the pages.
        /// - Parameter isStopped: Asked while it waits; true ends the wait.
        /// - Returns: The object; nil after the last.
        /// - Throws: The error that ended the listing; ``Restarted``; `CancellationError` if `isStopped` returns true; `FileError`.
        public mutating func next(isStopped: () -> Bool = { false }) throws -> ObjectPage.Entry? {
            while true {
                if let entry = records.next() { return entry }
                guard let page = try objects.page(number, restarts: restarts, isStopped: isStopped) else {
                    return nil
                }
                number += 1
                records = ObjectRecords(try objects.file.read(page))
            }
        }
    }
}
