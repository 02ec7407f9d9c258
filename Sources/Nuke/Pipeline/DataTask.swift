public import Foundation
public import FoundationNetworking
import Synchronization

/// A running request for data, whose priority can change.
///
/// Safe to use from any thread. Releasing it does not cancel it.
public final class DataTask: Cancellable {
    /// The request.
    public let request: ImageRequest
    let pipeline: ImagePipeline

    private struct Book {
        var priority: ImageRequest.Priority
        var isCancelled = false
        var result: Result<LoadedData, ImagePipeline.Error>?
        var waiting: [CheckedContinuation<Result<LoadedData, ImagePipeline.Error>, Never>] = []
        var onProgress: (@Sendable (ImageTask.Progress) -> Void)?
    }

    private let book: Mutex<Book>

    /// Receives the progress of the load; released at the end.
    var onProgress: (@Sendable (ImageTask.Progress) -> Void)? {
        get { book.withLock { $0.onProgress } }
        set { book.withLock { $0.onProgress = $0.result == nil ? newValue : nil } }
    }

    init(request: ImageRequest, pipeline: ImagePipeline) {
        self.request = request
        self.pipeline = pipeline
        book = Mutex(Book(priority: request.priority))
    }

    /// The priority among waiting requests; a change takes effect at once.
    public var priority: ImageRequest.Priority {
        get { book.withLock { $0.priority } }
        set {
            book.withLock { $0.priority = newValue }
            pipeline.updatePriority(of: self)
        }
    }

    /// The data, and the response if it was loaded now; waits for them.
    ///
    /// Cancelling the task that waits does not cancel this one.
    /// - Throws: `ImagePipeline.Error`.
    public var value: (Data, URLResponse?) {
        get async throws(ImagePipeline.Error) {
            let loaded = try await loaded
            return (loaded.data, loaded.response)
        }
    }

    /// The data and its origin; waits for them, as ``value`` does.
    var loaded: LoadedData {
        get async throws(ImagePipeline.Error) {
            let result = await withCheckedContinuation { continuation in
                let result = book.withLock { book in
                    if book.result == nil { book.waiting.append(continuation) }
                    return book.result
                }
                if let result { continuation.resume(returning: result) }
            }
            return try result.get()
        }
    }

    /// Cancels the request; the download continues while other requests need it.
    public func cancel() {
        book.withLock { $0.isCancelled = $0.result == nil }
        guard end(.failure(.cancelled)) else { return }
        pipeline.forget(self)
    }

    /// Ends the task; only the first call counts.
    ///
    /// - Returns: True for the first call.
    @discardableResult
    func end(_ result: Result<LoadedData, ImagePipeline.Error>) -> Bool {
        let waiting: [CheckedContinuation<Result<LoadedData, ImagePipeline.Error>, Never>]? = book.withLock {
            book in
            guard book.result == nil else { return nil }
            defer { (book.waiting, book.onProgress) = ([], nil) }
            book.result = result
            return book.waiting
        }
        for continuation in waiting ?? [] { continuation.resume(returning: result) }
        return waiting != nil
    }

    /// True if its owner cancelled it.
    var isCancelled: Bool { book.withLock { $0.isCancelled } }

    var isOver: Bool { book.withLock { $0.result != nil } }
}
