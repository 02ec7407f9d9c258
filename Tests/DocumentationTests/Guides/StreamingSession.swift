import Foundation
import FoundationNetworking
import Synchronization

// A small streaming client as third parties write them: it stands on URLSession and knows nothing of Nuke.

/// Makes requests whose bodies come in parts.
final class StreamingSession: Sendable {
    private let events = SessionEvents()
    private let session: URLSession

    init(configuration: URLSessionConfiguration = .default) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: configuration, delegate: events, delegateQueue: queue)
    }

    deinit {
        session.invalidateAndCancel()
    }

    /// A request that begins with `responseStream`.
    func streamRequest(_ request: URLRequest) -> StreamRequest {
        StreamRequest(task: session.dataTask(with: request), events: events)
    }
}

/// One request of a session.
final class StreamRequest: Sendable {
    /// The events of the request.
    enum Event: Sendable {
        case stream(Data)
        case complete((any Error)?)
    }

    /// The server answered with a status that is not accepted.
    struct UnacceptableStatus: Error, Equatable {
        let code: Int
    }

    private struct State {
        var validates = false
        var isComplete = false
        var isCancelled = false
        var handler: (@Sendable (Event) -> Void)?
    }

    private let task: URLSessionDataTask
    private let events: SessionEvents
    private let state = Mutex(State())

    fileprivate init(task: URLSessionDataTask, events: SessionEvents) {
        self.task = task
        self.events = events
    }

    /// The response, once it is there.
    var response: URLResponse? { task.response }

    /// Has statuses refused that are not 200 to 299.
    func validate() -> StreamRequest {
        state.withLock { $0.validates = true }
        return self
    }

    /// Begins, and tells what happens.
    func responseStream(_ handler: @escaping @Sendable (Event) -> Void) {
        state.withLock { $0.handler = handler }
        events.add(self, to: task)
        task.resume()
    }

    /// True once the request was cancelled.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        task.cancel()
    }

    fileprivate func accepts(_ response: URLResponse) -> Bool {
        guard state.withLock({ $0.validates }), let code = (response as? HTTPURLResponse)?.statusCode,
            !(200..<300).contains(code)
        else { return true }
        complete(UnacceptableStatus(code: code))
        task.cancel()
        return false
    }

    fileprivate func receive(_ data: Data) {
        state.withLock { $0.isComplete ? nil : $0.handler }?(.stream(data))
    }

    fileprivate func complete(_ error: (any Error)?) {
        let handler = state.withLock { state in
            defer { (state.isComplete, state.handler) = (true, nil) }
            return state.handler
        }
        handler?(.complete(error))
    }
}

/// Hands the events of a session to its requests.
private final class SessionEvents: NSObject, URLSessionDataDelegate, Sendable {
    private let requests = Mutex<[Int: StreamRequest]>([:])

    func add(_ request: StreamRequest, to task: URLSessionTask) {
        requests.withLock { $0[task.taskIdentifier] = request }
    }

    private func request(of task: URLSessionTask) -> StreamRequest? {
        requests.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(request(of: dataTask)?.accepts(response) == true ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        request(of: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        requests.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.complete(error)
    }
}
