public import Dispatch
public import Foundation
public import FoundationNetworking

/// The closure-based API.
///
/// Closures are called one at a time: on `queue` if given, or else on an unspecified thread. None is called once
/// the task was cancelled; only a call that another thread has already begun goes on.
extension ImagePipeline {
    /// Loads the image at `url`.
    @discardableResult
    public func loadImage(
        with url: URL,
        completion: @escaping @Sendable (Result<ImageResponse, Error>) -> Void
    ) -> ImageTask {
        loadImage(with: ImageRequest(url: url), progress: nil, completion: completion)
    }

    /// Loads the image of `request`.
    @discardableResult
    public func loadImage(
        with request: ImageRequest,
        completion: @escaping @Sendable (Result<ImageResponse, Error>) -> Void
    ) -> ImageTask {
        loadImage(with: request, progress: nil, completion: completion)
    }

    /// Loads the image of `request`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - queue: The serial queue for the closures; nil for an unspecified thread.
    ///   - progress: Called for each preview, and for each chunk with the bytes received and the total.
    ///   - completion: Called once with the result; never after a cancellation.
    /// - Returns: The task.
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
            for await event in events {
                switch event {
                case .started: break
                case .progress(let value):
                    task.call(on: queue) { progress?(nil, value.completed, value.total) }
                case .preview(let response):
                    let value = task.currentProgress
                    task.call(on: queue) { progress?(response, value.completed, value.total) }
                case .finished(let result): task.call(on: queue) { completion(result) }
                }
            }
        }
        return task
    }

    /// Loads the data of `request`.
    @discardableResult
    public func loadData(
        with request: ImageRequest,
        completion: @escaping @Sendable (Result<(data: Data, response: URLResponse?), Error>) -> Void
    ) -> ImageTask {
        loadData(with: request, progress: nil, completion: completion)
    }

    /// Loads the data of `request`.
    ///
    /// The task's image is empty, and its container has the data. Delegates hear nothing of the task.
    /// - Parameters:
    ///   - request: The request.
    ///   - queue: The serial queue for the closures; nil for an unspecified thread.
    ///   - progress: Called for each chunk with the bytes received and the total.
    ///   - completion: Called once with the result; never after a cancellation.
    /// - Returns: The task.
    @discardableResult
    public func loadData(
        with request: ImageRequest,
        queue: DispatchQueue? = nil,
        progress: (@Sendable (Int64, Int64) -> Void)?,
        completion: @escaping @Sendable (Result<(data: Data, response: URLResponse?), Error>) -> Void
    ) -> ImageTask {
        let load = DataTask(request: request, pipeline: self)
        let task = ImageTask(request: request, pipeline: self, dataTask: load)
        let events = task.events
        // On the actor of all pipelines, where no closure of a caller may be called.
        load.onProgress = { _ = task.tell(.progress($0)) }
        Task {
            for await event in events {
                switch event {
                case .started, .preview: break
                case .progress(let value): task.call(on: queue) { progress?(value.completed, value.total) }
                case .finished(let result):
                    // Of a task that its pipeline has cancelled, too, the completion hears nothing.
                    guard task.state != .cancelled else { break }
                    let loaded = result.map { (data: $0.container.data ?? Data(), response: $0.urlResponse) }
                    task.call(on: queue) { completion(loaded) }
                }
            }
        }
        Task {
            await start(load)
            let response: Result<ImageResponse, Error>
            do throws(Error) {
                let (data, urlResponse) = try await load.value
                let container = ImageContainer(image: PlatformImage(), data: data)
                response = .success(
                    ImageResponse(container: container, request: request, urlResponse: urlResponse)
                )
            } catch {
                response = .failure(error)
            }
            _ = task.end(response, as: load.isCancelled ? .cancelled : .completed)
        }
        return task
    }
}

extension ImageTask {
    /// Calls `work` on the queue, or at once without one.
    ///
    /// As in Nuke 12, nothing is called after a cancellation, not even the completion, also if the call waits on
    /// the queue already.
    fileprivate func call(on queue: DispatchQueue?, _ work: @escaping @Sendable () -> Void) {
        let work = { @Sendable [self] in if !isCancelled { work() } }
        if let queue { queue.async(execute: work) } else { work() }
    }
}
