package import Files
package import Foundation
import JobManifest
import Transport

/// Reads the files that a job may read: those below its roots, without following links.
package struct LocalFiles: Sendable {
    private struct Root {
        let path: String
        /// The folder, nil if it is opened for each file; or the reason why it cannot be opened.
        let folder: Result<Folder?, FileError>
    }

    /// The most folders that are kept open, since there may be one for each file of a manifest.
    private static let mostOpen = 64

    private let roots: [Root]

    /// Opens the folders at the absolute `paths`; a missing one has no files.
    package init(roots paths: [String]) {
        roots = paths.sorted { $0.count > $1.count }.enumerated().compactMap { index, path in
            do throws(FileError) {
                guard let folder = try Presence.folder(path) else { return nil }
                return Root(path: path, folder: .success(index < Self.mostOpen ? folder : nil))
            } catch {
                return Root(path: path, folder: .failure(error))
            }
        }
    }

    /// Returns the bytes of the file that the `file:` URL `url` names, at most `limit`.
    package func read(_ url: String, limit: Int) throws(ItemError) -> Data {
        try find(url) { (root, name) throws(FileError) in try root.read(name, limit: limit) }
    }

    /// Returns the size of the file in bytes; 0 if it does not exist.
    package func size(_ url: String) throws(ItemError) -> Int {
        try find(url) { (root, name) throws(FileError) in try root.examine(name)?.size ?? 0 }
    }

    /// Returns the time of the last change of the file's content, in nanoseconds since 1970; nil if it does not exist.
    package func modified(_ url: String) throws(ItemError) -> Int64? {
        try find(url) { (root, name) throws(FileError) in try root.examine(name)?.modified }
    }

    /// Returns true if the file exists, and may be looked at.
    package func exists(_ url: String) -> Bool {
        (try? find(url) { (root, name) throws(FileError) in try root.examine(name) }) ?? nil != nil
    }

    /// Appends the bytes of the file, at most `limit`, to `copy`; `each` receives the pieces in order.
    package func copy(
        _ url: String,
        to copy: UnnamedFile,
        limit: Int,
        _ each: (Data) -> Void
    ) throws(ItemError) {
        try find(url) { (root, name) throws(FileError) in
            try root.copy(name, to: copy, limit: limit, each)
        }
    }

    private func find<Value>(
        _ url: String,
        _ body: (Folder, _ name: BytePath) throws(FileError) -> Value
    ) throws(ItemError) -> Value {
        guard let path = Self.path(of: url) else { throw ItemError(.badURL, "\(url) names no file") }
        let bytes = path.bytes
        let root = roots.first { root in
            let folder = root.path == "/" ? "/" : root.path + "/"
            return bytes.elementsEqual(root.path.utf8) || bytes.starts(with: folder.utf8)
        }
        guard let root else {
            throw ItemError(
                .address,
                "\(path) is in none of network.fileRoots: add its folder there (--file-root of resize and convert)"
            )
        }
        let name = bytes.dropFirst(root.path.utf8.count).drop { $0 == UInt8(ascii: "/") }
        do throws(FileError) {
            let opened = try root.folder.get()
            let folder = if let opened { opened } else { try Folder(path: root.path) }
            return try body(folder, BytePath(bytes: Array(name)))
        } catch {
            throw ItemError(error)
        }
    }

    /// The path of a `file:` URL, absolute; nil if it has none.
    private static func path(of url: String) -> BytePath? {
        guard let parsed = URL(encoded: url) else { return nil }
        let path = PercentEncoding.decoded(parsed.path(percentEncoded: true))
        guard let text = String(validating: path, as: UTF8.self) else {
            // The root is opened, and nothing outside it is reached, whatever folders the bytes name.
            return BytePath(bytes: path)
        }
        return BytePath(FilePath.absolute(text, in: "/"))
    }
}
