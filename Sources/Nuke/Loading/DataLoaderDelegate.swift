import Foundation
import FoundationNetworking
import Synchronization

/// Hands the events of a session to the loads they belong to, and to the delegate of the loader's user.
final class DataLoaderDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private struct Handler: Sendable {
        let didReceiveResponse: @Sendable (URLResponse) -> Void
        let didReceiveData: @Sendable (Data, URLResponse) -> Void
        let completion: @Sendable ((any Swift.Error)?) -> Void
    }

    private struct State {
        var handlers: [Int: Handler] = [:]
        var forwarded: (any URLSessionDelegate)?
    }

    private let state = Mutex(State())
    private let validate: @Sendable (URLResponse) -> (any Swift.Error)?

    init(validate: @escaping @Sendable (URLResponse) -> (any Swift.Error)?) {
        self.validate = validate
    }

    var forwarded: (any URLSessionDelegate)? {
        get { state.withLock { $0.forwarded } }
        set { state.withLock { $0.forwarded = newValue } }
    }

    func register(
        _ task: URLSessionTask,
        didReceiveResponse: @escaping @Sendable (URLResponse) -> Void,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) {
        let handler = Handler(
            didReceiveResponse: didReceiveResponse,
            didReceiveData: didReceiveData,
            completion: completion
        )
        state.withLock { $0.handlers[task.taskIdentifier] = handler }
    }

    private func removeHandler(of task: URLSessionTask) -> Handler? {
        state.withLock { $0.handlers.removeValue(forKey: task.taskIdentifier) }
    }

    private var forwardedData: (any URLSessionDataDelegate)? { forwarded as? any URLSessionDataDelegate }
    private var forwardedTask: (any URLSessionTaskDelegate)? { forwarded as? any URLSessionTaskDelegate }

    // MARK: URLSessionDataDelegate

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        forwardedData?.urlSession(session, dataTask: dataTask, didReceive: response) { _ in }
        state.withLock { $0.handlers[dataTask.taskIdentifier] }?.didReceiveResponse(response)
        guard let error = validate(response) else { return completionHandler(.allow) }
        let handler = removeHandler(of: dataTask)
        completionHandler(.cancel)
        // Foundation on Linux goes on with the body unless the task itself is cancelled.
        dataTask.cancelOnItsOwnThread()
        handler?.completion(error)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        forwardedData?.urlSession(session, dataTask: dataTask, didReceive: data)
        let handler = state.withLock { $0.handlers[dataTask.taskIdentifier] }
        guard let handler, let response = dataTask.response else { return }
        handler.didReceiveData(data, response)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        guard let forwardedData else { return completionHandler(proposedResponse) }
        forwardedData.urlSession(
            session,
            dataTask: dataTask,
            willCacheResponse: proposedResponse,
            completionHandler: completionHandler
        )
    }

    // MARK: URLSessionTaskDelegate

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        forwardedTask?.urlSession(session, task: task, didCompleteWithError: error)
        removeHandler(of: task)?.completion(error)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let forwardedTask else { return completionHandler(request) }
        forwardedTask.urlSession(
            session,
            task: task,
            willPerformHTTPRedirection: response,
            newRequest: request,
            completionHandler: completionHandler
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let forwardedTask else { return completionHandler(.performDefaultHandling, nil) }
        forwardedTask.urlSession(
            session,
            task: task,
            didReceive: challenge,
            completionHandler: completionHandler
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        forwardedTask?.urlSession(session, task: task, didFinishCollecting: metrics)
    }
}

extension URLSessionTask {
    /// Cancels without waiting.
    ///
    /// `cancel()` waits for the session's queue, which needs a thread of the pool: who calls it from one of
    /// those threads may take the last of them.
    func cancelOnItsOwnThread() {
        Thread.detachNewThread { self.cancel() }
    }
}
