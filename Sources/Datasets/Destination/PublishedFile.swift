import Files
import Foundation
import ObjectStorage

/// A file that is written piece by piece under another name, and seen in the destination when it is complete.
struct PublishedFile {
    /// The place where it is seen.
    enum Target {
        /// A name in its folder.
        case file(String)
        /// A key of a store.
        case object(String, S3Store, ObjectAttributes)
    }

    private let name: String
    private let folder: Folder
    private let target: Target
    private let file: HeldFile
    private(set) var size = 0

    /// Opens the file that is being written.
    /// - Throws: `FileError`.
    init(_ name: String, in folder: Folder, as target: Target) throws(FileError) {
        // Until it is an object, it is beside the state.
        let permissions = if case .file = target { Permissions.file } else { Permissions.privateFile }
        guard let file = try HeldFile(name, in: folder, create: true, permissions: permissions) else {
            throw FileError("write", "\(folder.path)/\(name)", code: EWOULDBLOCK)
        }
        (self.name, self.folder, self.target, self.file) = (name, folder, target, file)
    }

    /// Appends a piece.
    /// - Throws: `FileError`.
    mutating func write(_ piece: Data) throws(FileError) {
        try file.write(piece, at: size)
        size += piece.count
    }

    /// The piece of the file seen in a folder that stands where the next one is to be written; nil if there is none.
    func replaced(count: Int) -> Data? {
        guard case .file(let name) = target else { return nil }
        return try? folder.read(name, from: size, count: count)
    }

    /// True if the file seen in a folder has as many bytes as this one.
    var replacesEqualSize: Bool {
        get throws(FileError) {
            guard case .file(let name) = target else { return false }
            return try folder.examine(name)?.size == size
        }
    }

    /// Gives the complete file its name, or stores it as an object.
    /// - Throws: `FileError`, `StoreError`.
    func publish() async throws {
        switch target {
        case .file(let name):
            try folder.publish(self.name, as: name)
        case .object(let key, let store, let attributes):
            try await store.putWhole(Payload(file: "\(folder.path)/\(name)"), at: key, attributes)
            try file.remove()
        }
        try folder.sync()
    }

    /// Removes what was written.
    /// - Throws: `FileError`.
    func discard() throws(FileError) {
        try file.remove()
        try folder.sync()
    }
}
