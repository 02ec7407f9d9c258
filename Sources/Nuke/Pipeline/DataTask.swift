public import Foundation
public import FoundationNetworking
import Synchronization

/// A request for data that is under way, whose priority can be changed.
///
/// May be used from any thread. Dropping it does not cancel it.
public final class DataTask: Cancellable {
    /// The request.
    public let request: ImageRequest
    let pipeline: ImagePipeline
    private let state: Mutex<State>

    private struct State {
        var priority: ImageRequest.Priority
        var work: Task<Result<Response, ImagePipeline.Error>, Never>?
    }

    private struct Response: Sendable {
        let data: Data
        let response: URLResponse?
    }

    init(request: ImageRequest, pipeline: ImagePipeline) {
        self.request = request
        self.pipeline = pipeline
        state = Mutex(State(priority: request.priority))
    }

    /// The place among the requests that wait; a change acts at once on what waits.
    public var priority: ImageRequest.Priority {
        get { state.withLock { $0.priority } }
        set {
            state.withLock { $0.priority = newValue }
            pipeline.setPriority(of: self)
        }
    }

    /// The data, and the response if it was loaded now; waits for them.
    /// - Throws: `ImagePipeline.Error`.
    public var value: (Data, URLResponse?) {
        get async throws(ImagePipeline.Error) {
            guard let work = state.withLock({ $0.work }) else { throw .cancelled }
            let response = try await work.value.get()
            return (response.data, response.response)
        }
    }

    /// Cancels the request; the download goes on while others want it.
    public func cancel() {
        state.withLock { $0.work }?.cancel()
    }

    func start() {
        let work = Task { () async -> Result<Response, ImagePipeline.Error> in
            do throws(ImagePipeline.Error) {
                let (data, response) = try await pipeline.data(for: self)
                return .success(Response(data: data, response: response))
            } catch {
                return .failure(error)
            }
        }
        state.withLock { $0.work = work }
    }
}
