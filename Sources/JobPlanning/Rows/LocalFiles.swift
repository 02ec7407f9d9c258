package import Files
package import Foundation
import JobManifest

/// Reads the files that a job may read: those below its roots, without following links.
package struct LocalFiles: Sendable {
    /// The error of a file that cannot be read.
    package enum Failure: Error {
        /// The URL has no path.
        case noPath(String)
        /// The absolute path is below none of the roots.
        case outsideRoots(String)
        /// The system's error.
        case file(FileError)
    }

    private struct Root {
        let path: String
        /// Nil if the folder is opened for each file.
        let folder: Folder?
    }

    /// The most folders that are kept open, since there may be one for each file of a manifest.
    private static let mostOpen = 64

    private let roots: [Root]

    /// Opens the folders at the absolute `paths`; a missing one has no files.
    package init(roots paths: [String]) {
        roots = paths.sorted { $0.count > $1.count }.enumerated().compactMap { index, path in
            (try? Folder(path: path)).map { Root(path: path, folder: index < Self.mostOpen ? $0 : nil) }
        }
    }

    /// Returns the bytes of the file that the `file:` URL `url` names, at most `limit`.
    package func read(_ url: String, limit: Int) throws(Failure) -> Data {
        try find(url) { (root, name) throws(FileError) in try root.read(name, limit: limit) }
    }

    /// Returns the size of the file in bytes; 0 if it does not exist.
    package func size(_ url: String) throws(Failure) -> Int {
        try find(url) { (root, name) throws(FileError) in root.status(of: name)?.size ?? 0 }
    }

    /// Appends the bytes of the file, at most `limit`, to `copy`; `each` receives the pieces in order.
    package func copy(
        _ url: String,
        to copy: UnnamedFile,
        limit: Int,
        _ each: (Data) -> Void
    ) throws(Failure) {
        try find(url) { (root, name) throws(FileError) in
            try root.copy(name, to: copy, limit: limit, each)
        }
    }

    private func find<Value>(
        _ url: String,
        _ body: (Folder, _ name: String) throws(FileError) -> Value
    ) throws(Failure) -> Value {
        guard let path = URL(string: url)?.path else { throw .noPath(url) }
        let absolute = FilePath.absolute(path, in: "/")
        let root = roots.first { root in
            let folder = root.path == "/" ? "/" : root.path + "/"
            return absolute == root.path || absolute.hasPrefix(folder)
        }
        guard let root else { throw .outsideRoots(absolute) }
        let name = String(absolute.dropFirst(root.path.count).drop { $0 == "/" })
        do throws(FileError) {
            let folder = if let opened = root.folder { opened } else { try Folder(path: root.path) }
            return try body(folder, name)
        } catch {
            throw .file(error)
        }
    }
}
