package import Files
import Foundation

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
