public import Foundation
public import FoundationNetworking

extension ImagePipeline {
    /// Starts loading the image at `url`.
    public func imageTask(with url: URL) -> ImageTask {
        imageTask(with: ImageRequest(url: url))
    }

    /// Starts loading the image of `request`.
    public func imageTask(with request: ImageRequest) -> ImageTask {
        let task = ImageTask(request: request, pipeline: self)
        begin(task)
        return task
    }

    /// Returns the image at `url`; cancelling the calling task cancels the request.
    ///
    /// - Throws: `ImagePipeline.Error`.
    public func image(for url: URL) async throws(ImagePipeline.Error) -> PlatformImage {
        try await image(for: ImageRequest(url: url))
    }

    /// Returns the image of `request`; cancelling the calling task cancels the request.
    ///
    /// - Throws: `ImagePipeline.Error`.
    public func image(for request: ImageRequest) async throws(ImagePipeline.Error) -> PlatformImage {
        try await imageTask(with: request).image
    }

    /// Returns the data at `url`, and the response if it was loaded now.
    ///
    /// - Throws: `ImagePipeline.Error`.
    public func data(for url: URL) async throws(ImagePipeline.Error) -> (Data, URLResponse?) {
        try await data(for: ImageRequest(url: url))
    }

    /// Returns the data of `request`, and the response if it was loaded now.
    ///
    /// Checks the disk cache first. Cancelling the calling task cancels the request; the download
    /// continues while other requests need it.
    /// - Throws: `ImagePipeline.Error`.
    public func data(for request: ImageRequest) async throws(ImagePipeline.Error) -> (Data, URLResponse?) {
        let task = DataTask(request: request, pipeline: self)
        do {
            return try await withTaskCancellationHandler {
                await start(task)
                return try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            throw Error(loading: error)
        }
    }

    /// Starts loading the data of `request`, and returns a task whose priority can change.
    public func dataTask(with request: ImageRequest) -> DataTask {
        let task = DataTask(request: request, pipeline: self)
        Task { await start(task) }
        return task
    }
}
