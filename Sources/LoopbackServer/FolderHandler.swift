import Foundation

/// Serves the files of a folder over GET and HEAD, with entity tags and ranges.
///
/// Files outside it are not reachable.
public struct FolderHandler: Sendable {
    /// The folder's absolute path with all links resolved.
    private let root: String

    /// Serves the files below `folder`.
    /// - Throws: ``SocketError`` if there is no such folder.
    public init(folder: String) throws {
        guard let path = realpath(folder, nil) else { throw SocketError("open the folder \(folder)") }
        defer { free(path) }
        root = String(cString: path)
    }

    /// Returns the file that the request's path names, 404 if there is none, or 405 for other methods.
    public func respond(to request: LoopbackServer.Request) -> LoopbackServer.Response {
        guard request.method == "GET" || request.method == "HEAD" else {
            return .status(405, headers: [("Allow", "GET, HEAD")])
        }
        guard let path = file(at: request.path) else { return .status(404) }
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return .status(404) }
        let modified = facts.st_mtim
        let stamp = [modified.tv_sec, modified.tv_nsec, Int(facts.st_size)].map { String($0, radix: 16) }
        let etag = "\"\(stamp.joined(separator: "-"))\""
        return .resource(type: type(of: path), etag: etag, size: Int(facts.st_size), for: request) { range in
            .file(path: path, offset: range.lowerBound, count: range.count)
        }
    }

    /// The absolute path of the file, with links resolved; nil if it does not exist or is outside the folder.
    private func file(at path: String) -> String? {
        guard let decoded = path.removingPercentEncoding, !decoded.utf8.contains(0),
            let resolved = realpath(root + decoded, nil)
        else { return nil }
        defer { free(resolved) }
        let file = String(cString: resolved)
        return file.hasPrefix(root == "/" ? root : root + "/") ? file : nil
    }

    private func type(of path: String) -> String {
        switch path.lowercased().split(separator: ".").last {
        case "jpg", "jpeg": "image/jpeg"
        case "png": "image/png"
        case "webp": "image/webp"
        case "gif": "image/gif"
        case "avif": "image/avif"
        case "jxl": "image/jxl"
        case "svg": "image/svg+xml"
        case "html": "text/html; charset=utf-8"
        case "txt", "md": "text/plain; charset=utf-8"
        case "json": "application/json"
        case "xml": "application/xml"
        default: "application/octet-stream"
        }
    }
}
