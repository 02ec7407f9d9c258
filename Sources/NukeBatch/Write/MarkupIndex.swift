import Files
import Foundation
import JobManifest
import JobStorage

/// An index of markup: a JSON object with an entry for each item, one a line, in the manifest's order.
///
/// It is written to a temporary file that replaces the old one when it is complete; an equal one stays as it is.
struct MarkupIndex {
    /// Entries are written in chunks of this many bytes.
    private static let chunkSize = 4 << 20

    /// The path below the destination.
    let path: String
    private let name: String
    private let folder: Folder
    private let file: HeldFile
    private let digest = RunningDigest()
    private var chunk = Data("{".utf8)
    private var size = 0
    private var isEmpty = true
    /// True as long as the old file begins with what has been written.
    private var isEqual = true

    /// Opens the temporary file.
    /// - Throws: `FileError`.
    init(_ path: String, in destination: Folder) throws(FileError) {
        self.path = path
        let parts = path.split(separator: "/").map(String.init)
        name = parts.last ?? path
        folder =
            parts.count > 1
            ? try destination.folder(parts.dropLast().joined(separator: "/"), create: true) : destination
        guard let file = try HeldFile("\(name).part", in: folder, create: true, permissions: 0o644) else {
            throw FileError("write", "\(destination.path)/\(path)", code: EWOULDBLOCK)
        }
        self.file = file
    }

    /// Adds the entry of the item with this key, which no other entry has.
    /// - Throws: `FileError`.
    mutating func add(_ key: String, _ picture: Picture) throws(FileError) {
        let separator = isEmpty ? "\n" : ",\n"
        chunk += Data("\(separator)\(CanonicalJSON.string(key).text): \(picture.json.text)".utf8)
        isEmpty = false
        if chunk.count >= Self.chunkSize { try flush() }
    }

    /// Completes the temporary file.
    /// - Throws: `FileError`.
    mutating func finish(of markup: Markup) throws(FileError) -> MarkupRecord {
        chunk += Data("\n}\n".utf8)
        try flush()
        return MarkupRecord(
            path: path,
            itemID: nil,
            name: markup.name,
            bytes: size,
            sha256: Digest.hex(digest.value)
        )
    }

    /// Gives the complete file its name, unless the old one has the same bytes.
    /// - Throws: `FileError`.
    func publish() throws(FileError) {
        if isEqual, folder.status(of: name)?.size == size {
            try file.remove()
        } else {
            try folder.rename("\(name).part", to: name)
        }
        try folder.sync()
    }

    private mutating func flush() throws(FileError) {
        if isEqual { isEqual = (try? folder.read(name, from: size, count: chunk.count)) == chunk }
        try file.write(chunk, at: size)
        digest.append(chunk)
        size += chunk.count
        chunk.removeAll(keepingCapacity: true)
    }
}
