import Files
import Foundation

/// A URL whose data is on this machine or in the URL itself.
struct LocalResource: Sendable {
    private let url: URL

    /// The resource at `url`; nil if it is to be loaded.
    init?(_ url: URL) {
        guard url.isFileURL || url.scheme?.lowercased() == "data" else { return nil }
        self.url = url
    }

    /// The bytes; more than `limit` are an error.
    func read(limit: Int?) throws -> Data {
        guard url.isFileURL else {
            guard let data = DataURL.data(of: url.absoluteString) else { throw URLError(.badURL) }
            guard data.count <= limit ?? .max else {
                throw ImagePipeline.Error.dataDownloadExceededMaximumSize
            }
            return data
        }
        // The folder follows no links, so they are followed here; a pipe or a device is refused by it.
        let file = url.resolvingSymlinksInPath()
        do throws(FileError) {
            let folder = try Folder(path: file.deletingLastPathComponent().path)
            return try folder.read(file.lastPathComponent, limit: limit ?? .max)
        } catch {
            throw error.code == EFBIG
                ? ImagePipeline.Error.dataDownloadExceededMaximumSize as any Error : error
        }
    }
}
