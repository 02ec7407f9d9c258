import Files
import Foundation

/// The files that a job may read: those below its roots, reached without following links.
struct LocalFiles: Sendable {
    private let roots: [Folder]

    /// Opens the folders of `paths`, absolute; one that is not there holds no files.
    init(roots paths: [String]) {
        roots = paths.sorted { $0.count > $1.count }.compactMap { try? Folder(path: $0) }
    }

    /// The bytes of the file that the `file:` URL `url` names, at most `limit`.
    /// - Throws: `ItemError`: `not_found`, `too_large`, or `address` for a file outside the roots.
    func read(_ url: String, limit: Int) throws(ItemError) -> Data {
        guard let path = URL(string: url)?.path else { throw ItemError("bad_url", "\(url) names no file") }
        let absolute = FilePath.absolute(path, in: "/")
        let root = roots.first {
            absolute == $0.path || absolute.hasPrefix($0.path == "/" ? "/" : $0.path + "/")
        }
        guard let root else {
            throw ItemError("address", "\(absolute) is in none of network.fileRoots: add its folder there")
        }
        do {
            return try root.read(String(absolute.dropFirst(root.path.count).drop { $0 == "/" }), limit: limit)
        } catch {
            throw ItemError(error)
        }
    }
}
