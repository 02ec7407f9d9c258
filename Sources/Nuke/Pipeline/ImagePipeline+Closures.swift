public import Foundation
public import FoundationNetworking

/// The same with closures, for code that was written so; they are called one at a time, on no certain thread.
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
    ///   - progress: told of each preview, and of each chunk with the bytes that have come and those in all.
    ///   - completion: told of the end, once.
    /// - Returns: the task.
    @discardableResult
    public func loadImage(
        with request: ImageRequest,
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
                case .progress(let value): progress?(nil, value.completed, value.total)
                case .preview(let response):
                    let value = task.currentProgress
                    progress?(response, value.completed, value.total)
                case .finished(let result): completion(result)
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
    ///   - progress: told of each chunk with the bytes that have come and those in all.
    ///   - completion: told of the end, once.
    /// - Returns: the task.
    @discardableResult
    public func loadData(
        with request: ImageRequest,
        progress: (@Sendable (Int64, Int64) -> Void)?,
        completion: @escaping @Sendable (Result<(data: Data, response: URLResponse?), Error>) -> Void
    ) -> DataTask {
        let task = DataTask(request: request, pipeline: self) { progress?($0.completed, $0.total) }
        Task {
            await start(task)
            do throws(Error) {
                let (data, response) = try await task.value
                completion(.success((data, response)))
            } catch {
                completion(.failure(error))
            }
        }
        return task
    }
}
