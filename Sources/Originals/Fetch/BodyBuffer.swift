package import Files
import Foundation
import Synchronization

/// The place for the bodies of a pipeline's downloads while they arrive.
package struct BodyStorage: Sendable {
    /// The folder on whose file system large bodies are written; nil to hold all of them in memory.
    package var folder: Folder?
    /// Counts the bodies in memory; nil for no limit.
    package var accounting: (any DownloadAccounting)?

    package init(folder: Folder? = nil, accounting: (any DownloadAccounting)? = nil) {
        (self.folder, self.accounting) = (folder, accounting)
    }
}

/// The bytes of one body so far: in memory, or in a file if they are many.
///
/// A body goes to a file if it has 1 MiB or more, or if the bodies in memory exceed their limit. Its declared length
/// counts from the beginning. If the file cannot be made or written, the body stays in memory; with accounts it fails,
/// since nothing else bounds the memory then.
struct BodyBuffer {
    /// The most bytes reserved for a declared length.
    private static let largestReservation = 16 * 1024 * 1024

    /// The body in the accounts; nil without accounts.
    let hold: DownloadHold?
    /// The file; nil for a body in memory.
    private(set) var file: UnnamedFile?
    private let folder: Folder?
    private var memory = Data()
    private var declared = 0
    private var hasFailed = false

    init(_ storage: BodyStorage) {
        folder = storage.folder
        hold = storage.accounting.map { DownloadHold($0) }
    }

    var count: Int { file?.count ?? memory.count }

    /// Prepares for a body that will have `length` bytes in all, of which `first` arrive at once.
    /// - Throws: `FileError` if it must go to a file and cannot.
    mutating func expect(_ length: Int, first: Int) throws {
        declared = length
        guard try account(for: length) else { return }
        if length > max(first, memory.count) { memory.reserveCapacity(min(length, Self.largestReservation)) }
    }

    /// Appends a chunk.
    /// - Throws: `FileError` if it must go to a file and cannot.
    mutating func append(_ chunk: Data) throws {
        if let file {
            do {
                return try file.append(chunk)
            } catch {
                guard hold == nil else { throw error }
                memory = try file.read(0..<file.count)
                (self.file, hasFailed) = (nil, true)
            }
        }
        if try !account(for: max(memory.count + chunk.count, declared)) { return try append(chunk) }
        if memory.isEmpty, declared <= chunk.count { memory = chunk } else { memory.append(chunk) }
    }

    /// The bytes so far, mapped if they are in a file.
    func contents() throws -> (data: Data, mapping: MappedFile?) {
        guard let file else { return (memory, nil) }
        let mapping = try file.mapped()
        return (mapping.data, mapping)
    }

    /// Counts `bytes` in memory; false if the body has moved to a file instead.
    private mutating func account(for bytes: Int) throws -> Bool {
        let isLarge = bytes >= PartialDownloads.minimumSize
        if isLarge, try moveToFile() { return false }
        let isWithinLimit = hold?.hold(bytes) ?? true
        guard !isWithinLimit, !isLarge, try moveToFile() else { return true }
        return false
    }

    private mutating func moveToFile() throws -> Bool {
        guard !hasFailed, let folder else { return false }
        do {
            let file = try UnnamedFile(in: folder)
            if !memory.isEmpty { try file.append(memory) }
            (self.file, memory) = (file, Data())
            _ = hold?.hold(0)
            return true
        } catch {
            guard hold == nil else { throw error }
            hasFailed = true
            return false
        }
    }
}

/// Counts the downloads of a pipeline that are in memory, and those that are complete and not yet stored.
///
/// Its methods are called on any thread and must not block.
package protocol DownloadAccounting: AnyObject, Sendable {
    /// Counts `bytes` more in memory, or fewer if negative.
    /// - Returns: False if all together exceed the limit: the download then goes on in a file, where that is possible.
    func count(bytes: Int) -> Bool
    /// Counts complete downloads: one more before the slot of its transfer is free, one less when nobody holds it.
    func count(complete: Int)
}

/// One download in the accounts, until its last reference is released.
package final class DownloadHold: Sendable {
    private let accounting: any DownloadAccounting
    private let state = Mutex((bytes: 0, isComplete: false))

    init(_ accounting: any DownloadAccounting) {
        self.accounting = accounting
    }

    deinit {
        let (bytes, isComplete) = state.withLock { $0 }
        if bytes > 0 { _ = accounting.count(bytes: -bytes) }
        if isComplete { accounting.count(complete: -1) }
    }

    /// Counts all bytes of the body in memory, those to come included; false if the limit is exceeded.
    func hold(_ bytes: Int) -> Bool {
        let change = bytes - state.withLock { exchange(&$0.bytes, with: bytes) }
        return change == 0 || accounting.count(bytes: change)
    }

    /// Counts the download as complete.
    func complete() {
        if !state.withLock({ exchange(&$0.isComplete, with: true) }) { accounting.count(complete: 1) }
    }
}
