public import Dispatch
public import Foundation
public import FoundationNetworking

/// The same with closures, for code that was written so.
///
/// They are called one at a time: on `queue` where that is given, else on no certain thread.
extension ImagePipeline {
    /// Brings the image at `url`.
    @discardableResult
    public func loadImage(
        with url: URL,
        completion: @escaping @Sendable (Result<ImageResponse, Error>) -> Void
    ) -> ImageTask {
        loadImage(with: ImageRequest(url: url), progress: nil, completion: completion)
    }

    /// Brings the image of `request`.
    @discardableResult
    public func loadImage(
        with request: ImageRequest,
        completion: @escaping @Sendable (Result<ImageResponse, Error>) -> Void
    ) -> ImageTask {
        loadImage(with: request, progress: nil, completion: completion)
    }

    /// Brings the image of `request`.
    ///
    /// - Parameters:
    ///   - request: what to bring.
    ///   - queue: where the closures are called, a serial one; nil for no certain thread.
    ///   - progress: told of each preview, and of each chunk with the bytes that have come and those in all.
    ///   - completion: told of the end, once.
    /// - Returns: the task.
    @discardableResult
    public func loadImage(
        with request: ImageRequest,
        queue: DispatchQueue? = nil,
        progress: (@Sendable (ImageResponse?, Int64, Int64) -> Void)?,
        completion: @escaping @Sendable (Result<ImageResponse, Error>) -> Void
    ) -> ImageTask {
        let task = ImageTask(request: request, pipeline: self)
        let events = task.events
        begin(task)
        Task {
            // As in Nuke 12, who cancels is told nothing more, not even of the end.
            for await event in events where task.state != .cancelled {
                switch event {
                case .started: break
                case .progress(let value):
                    queue.call { progress?(nil, value.completed, value.total) }
                case .preview(let response):
                    let value = task.currentProgress
                    queue.call { progress?(response, value.completed, value.total) }
                case .finished(let result): queue.call { completion(result) }
                }
            }
        }
        return task
    }

    /// Brings the data of `request`.
    @discardableResult
    public func loadData(
        with request: ImageRequest,
        completion: @escaping @Sendable (Result<(data: Data, response: URLResponse?), Error>) -> Void
    ) -> DataTask {
        loadData(with: request, progress: nil, completion: completion)
    }

    /// Brings the data of `request`.
    ///
    /// - Parameters:
    ///   - request: what to bring.
    ///   - queue: where the closures are called, a serial one; nil for no certain thread.
    ///   - progress: told of each chunk with the bytes that have come and those in all.
    ///   - completion: told of the end, once.
    /// - Returns: the task.
    @discardableResult
    public func loadData(
        with request: ImageRequest,
        queue: DispatchQueue? = nil,
        progress: (@Sendable (Int64, Int64) -> Void)?,
        completion: @escaping @Sendable (Result<(data: Data, response: URLResponse?), Error>) -> Void
    ) -> DataTask {
        let task = DataTask(request: request, pipeline: self) { value in
            queue.call { progress?(value.completed, value.total) }
        }
        Task {
            await start(task)
            _ = try? await task.value
            guard !task.isCancelled else { return }
            do throws(Error) {
                let (data, response) = try await task.value
                queue.call { completion(.success((data, response))) }
            } catch {
                queue.call { completion(.failure(error)) }
            }
        }
        return task
    }
}

extension DispatchQueue? {
    /// Calls `work` there, or at once without a queue.
    fileprivate func call(_ work: @escaping @Sendable () -> Void) {
        if let self { self.async(execute: work) } else { work() }
    }
}
