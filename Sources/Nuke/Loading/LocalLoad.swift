import Files
import Foundation
import FoundationNetworking
import Synchronization

/// A load of ``CurlDataLoader`` from a file or from the URL itself, on a thread of a queue.
final class LocalLoad: PrioritizedCancellable {
    private let url: URL
    private let limit: Int?
    private let handle = WorkHandle()
    private let state = Mutex<(task: Task<Void, Never>?, isCancelled: Bool)>((nil, false))

    /// A load of at most `limit` bytes.
    init(url: URL, limit: Int?) {
        self.url = url
        self.limit = limit
    }

    func start(
        in queue: WorkQueue,
        priority: Operation.QueuePriority,
        _ receive: @escaping @Sendable (Data, URLResponse) -> Void,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let task = Task {
            do {
                let (data, response) = try await queue.run(priority: priority, handle: handle) {
                    try self.read()
                }
                try Task.checkCancellation()
                if !data.isEmpty { receive(data, response) }
                completion(nil)
            } catch {
                completion(error)
            }
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    func setPriority(_ priority: Operation.QueuePriority) {
        handle.setPriority(priority)
    }

    private func read() throws(DataLoadingError) -> (Data, URLResponse) {
        let (data, type) = try url.isFileURL ? (readFile(), nil) : readText()
        let response = URLResponse(
            url: url,
            mimeType: type,
            expectedContentLength: data.count,
            textEncodingName: nil
        )
        return (data, response)
    }

    /// A file of this machine (RFC 8089): no folder, no pipe and no device.
    private func readFile() throws(DataLoadingError) -> Data {
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

    /// The data that a `data:` URL holds, and its media type.
    private func readText() throws(DataLoadingError) -> (Data, String?) {
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
        default:
            self.init(.local, url: url, "\(error)", isTransient: true, systemError: error.code)
        }
    }
}
