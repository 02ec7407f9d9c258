import Files
package import Foundation
import FoundationNetworking

/// A URL whose data is on this machine or in the URL itself.
package struct LocalResource: Sendable {
    private let url: URL

    /// Creates the resource at `url`; nil if it must be loaded.
    package init?(_ url: URL) {
        guard url.isFileURL || url.scheme?.lowercased() == "data" else { return nil }
        self.url = url
    }

    /// Returns the bytes, and the media type in the URL; fails for more than `limit` bytes.
    func read(limit: Int?) throws(DataLoadingError) -> (data: Data, type: String?) {
        try url.isFileURL ? (readFile(limit), nil) : readText(limit)
    }

    /// Returns the bytes.
    /// - Throws: `FetchError.tooLarge` for more than `limit`, or `DataLoadingError`.
    package func bytes(limit: Int?) throws -> Data {
        do throws(DataLoadingError) {
            return try read(limit: limit).data
        } catch {
            throw error.reason == .tooLarge ? FetchError.tooLarge as any Error : error
        }
    }

    /// Returns the bytes with a response that describes them.
    func load(limit: Int?) throws(DataLoadingError) -> (Data, URLResponse) {
        let (data, type) = try read(limit: limit)
        let response = URLResponse(
            url: url,
            mimeType: type,
            expectedContentLength: data.count,
            textEncodingName: nil
        )
        return (data, response)
    }

    /// Reads a file of this machine (RFC 8089), not a folder, pipe or device.
    private func readFile(_ limit: Int?) throws(DataLoadingError) -> Data {
        let host = url.host?.lowercased() ?? ""
        guard host.isEmpty || host == "localhost" else {
            throw DataLoadingError(.badURL, url: url, "a file URL must not name another host")
        }
        guard !url.path(percentEncoded: true).contains("%00") else {
            throw DataLoadingError(.badURL, url: url, "the path holds a zero byte")
        }
        // The folder follows no links, so they are followed here.
        let file = url.resolvingSymlinksInPath()
        do throws(FileError) {
            let folder = try Folder(path: file.deletingLastPathComponent().path)
            return try folder.read(file.lastPathComponent, limit: limit ?? .max)
        } catch {
            throw DataLoadingError(error, url: url)
        }
    }

    /// Returns the data of a `data:` URL, and its media type.
    private func readText(_ limit: Int?) throws(DataLoadingError) -> (data: Data, type: String?) {
        let text = url.absoluteString
        guard let data = DataURL.data(of: text) else {
            let message = "the data URL has no comma, or its text is encoded wrongly"
            throw DataLoadingError(.badURL, url: nil, message)
        }
        if let limit, data.count > limit {
            let message = "the data URL holds \(data.count) bytes, allowed are \(limit)"
            throw DataLoadingError(.tooLarge, url: nil, message)
        }
        let type = text.dropFirst("data:".count).prefix { $0 != "," && $0 != ";" }.lowercased()
        return (data, type.isEmpty ? "text/plain" : type)
    }
}

extension DataLoadingError {
    fileprivate init(_ error: FileError, url: URL) {
        switch error.code {
        case EFBIG: self.init(.tooLarge, url: url, "the file has more bytes than allowed")
        case ENOENT, ENOTDIR, EACCES, EPERM, EISDIR, ELOOP, EXDEV, EINVAL, ENXIO:
            self.init(.notFound, url: url, "\(error)")
        default: self.init(.local, url: url, "\(error)", isTransient: true, systemError: error.code)
        }
    }
}
