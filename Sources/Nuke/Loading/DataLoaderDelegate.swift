import Foundation
import FoundationNetworking
import Synchronization

/// Passes the events of a session to their loads and to the user's delegate.
final class DataLoaderDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        /// The consumers of the running tasks, by task identifier.
        var sinks: [Int: LoadSink] = [:]
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

    /// Sends the events of `task` to `sink`.
    func register(_ task: URLSessionTask, for sink: LoadSink) {
        state.withLock { $0.sinks[task.taskIdentifier] = sink }
    }

    private func removeSink(of task: URLSessionTask) -> LoadSink? {
        state.withLock { $0.sinks.removeValue(forKey: task.taskIdentifier) }
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
        state.withLock { $0.sinks[dataTask.taskIdentifier] }?.didReceiveResponse?(response)
        guard let error = validate(response) else { return completionHandler(.allow) }
        let sink = removeSink(of: dataTask)
        completionHandler(.cancel)
        // Foundation on Linux continues with the body unless the task itself is cancelled.
        dataTask.cancelOnItsOwnThread()
        sink?.completion(error)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        forwardedData?.urlSession(session, dataTask: dataTask, didReceive: data)
        let sink = state.withLock { $0.sinks[dataTask.taskIdentifier] }
        guard let sink, let response = dataTask.response else { return }
        sink.didReceiveData(data, response)
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
        removeSink(of: task)?.completion(error)
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
    /// `cancel()` waits for the session's queue, which needs a thread of the pool: a call from one of
    /// those threads may block the last of them.
    func cancelOnItsOwnThread() {
        Thread.detachNewThread { self.cancel() }
    }
}
