import Foundation
import FoundationNetworking
import Synchronization

/// Passes the events of a session to their loads and to the user's delegate.
final class DataLoaderDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        /// The loads of the running tasks, by task identifier.
        var loads: [Int: SessionLoad] = [:]
        var forwarded: (any URLSessionDelegate)?
    }

    private let state = Mutex(State())
    let validate: @Sendable (URLResponse) -> (any Swift.Error)?

    init(validate: @escaping @Sendable (URLResponse) -> (any Swift.Error)?) {
        self.validate = validate
    }

    var forwarded: (any URLSessionDelegate)? {
        get { state.withLock { $0.forwarded } }
        set { state.withLock { $0.forwarded = newValue } }
    }

    /// Sends the events of `task` to `load`.
    func register(_ task: URLSessionTask, for load: SessionLoad) {
        state.withLock { $0.loads[task.taskIdentifier] = load }
    }

    /// Returns the load of a task; nil after its end, and for a task that another one has replaced.
    private func load(of task: URLSessionTask) -> SessionLoad? {
        state.withLock { $0.loads[task.taskIdentifier] }
    }

    /// Stops sending the events of a task, and returns its load.
    private func removeLoad(of task: URLSessionTask) -> SessionLoad? {
        state.withLock { $0.loads.removeValue(forKey: task.taskIdentifier) }
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
        // Foundation on Linux continues in any case, unless the task itself is cancelled.
        completionHandler(.allow)
        guard let load = load(of: dataTask) else { return }
        if let response = response as? HTTPURLResponse {
            // Early hints, say, come before the answer (RFC 9110, section 15.2).
            guard response.statusCode >= 200 else { return }
            if login(to: response, of: dataTask, for: load) { return }
        }
        accept(response, validate(response), of: dataTask, for: load)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let load = load(of: dataTask), !load.hold(data), let response = dataTask.response else {
            return
        }
        deliver(data, response, of: dataTask, for: load)
    }

    /// Shows a response that is the answer, and ends its load with the error that it is judged by, if there is one.
    private func accept(
        _ response: URLResponse,
        _ verdict: (any Error)?,
        of task: URLSessionDataTask,
        for load: SessionLoad
    ) {
        forwardedData?.urlSession(load.session, dataTask: task, didReceive: response) { _ in }
        load.sink?.didReceiveResponse?(response)
        guard let verdict else { return }
        load.session.cancel(task)
        load.end(verdict)
    }

    private func deliver(
        _ data: Data,
        _ response: URLResponse,
        of task: URLSessionDataTask,
        for load: SessionLoad
    ) {
        forwardedData?.urlSession(load.session, dataTask: task, didReceive: data)
        load.sink?.didReceiveData(data, response)
    }

    private func end(_ task: URLSessionTask, with error: (any Error)?) {
        guard let load = removeLoad(of: task) else { return }
        forwardedTask?.urlSession(load.session, task: task, didCompleteWithError: error)
        load.end(error)
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
        // Without an error, a response that is held ends once it is decided about.
        if error == nil, load(of: task)?.holdEnd() == true { return }
        end(task, with: error)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let load = load(of: task) else { return }
        let request = load.redirected(request).withLowerCaseScheme
        // A cancelled task must not be answered (`URLSession.cancel`), however late the user's delegate decides.
        let answer: @Sendable (URLRequest?) -> Void = { request in
            session.delegateQueue.addOperation {
                if !load.isOver { completionHandler(request) }
            }
        }
        guard let forwardedTask else { return answer(request) }
        forwardedTask.urlSession(
            session,
            task: task,
            willPerformHTTPRedirection: response,
            newRequest: request,
            completionHandler: answer
        )
    }

    /// Foundation asks at the end of a 401, when the load has decided about it or holds it.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // The body is complete, but Foundation would not say so; an answer could end the process (`LoginScheme`).
        guard load(of: task)?.holdEnd() != true else { return }
        end(task, with: nil)
        session.cancel(task)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        forwardedTask?.urlSession(session, task: task, didFinishCollecting: metrics)
    }

    // MARK: Authentication

    /// Answers the challenge of a response, or asks the user's delegate about it.
    /// - Returns: False if the response is the answer.
    private func login(to response: HTTPURLResponse, of task: URLSessionDataTask, for load: SessionLoad)
        -> Bool
    {
        let session = load.session
        guard let forwardedTask, let request = task.currentRequest else { return false }
        switch load.step(after: response, to: request) {
        case .judge: return false
        case .answer(let question, let credential):
            guard load.answer(question, with: credential) else { return false }
            replace(task, of: load)
        case .ask(let question):
            load.hold(response, verdict: validate(response))
            let challenge = URLAuthenticationChallenge(question)
            forwardedTask.urlSession(session, task: task, didReceive: challenge) { disposition, credential in
                // On the session's queue, after the chunks that have arrived meanwhile.
                session.delegateQueue.addOperation { [self] in
                    guard let held = load.takeHeld() else { return }
                    if disposition == .cancelAuthenticationChallenge {
                        let error = URLError(.cancelled)
                        // Foundation says nothing more of a task that is complete.
                        if held.isComplete { end(task, with: error) }
                        session.cancel(task)
                        return load.end(error)
                    }
                    if disposition == .useCredential, let credential, load.answer(question, with: credential)
                    {
                        return replace(task, of: load)
                    }
                    settle(held, of: task, for: load)
                }
            }
        }
        return true
    }

    /// Ends a task whose load goes on with another one, unseen by the user's delegate.
    private func replace(_ task: URLSessionTask, of load: SessionLoad) {
        _ = removeLoad(of: task)
        load.session.cancel(task)
    }

    /// Delivers a response whose challenge was not answered.
    private func settle(_ held: SessionLoad.Held, of task: URLSessionDataTask, for load: SessionLoad) {
        accept(held.response, held.verdict, of: task, for: load)
        for chunk in held.chunks { deliver(chunk, held.response, of: task, for: load) }
        guard held.isComplete else { return }
        end(task, with: nil)
        // Foundation may still wait for a credential.
        load.session.cancel(task)
    }
}
