import Foundation
import FoundationNetworking
import Synchronization

/// One load of a ``DataLoader``: a task of its session, and one more for each challenge that is answered.
final class SessionLoad: Cancellable {
    /// A response that is judged only when the user's delegate has decided about its challenge.
    struct Held {
        let response: URLResponse
        /// The error of the response, if it is not accepted: then its body is not wanted.
        let verdict: (any Error)?
        var chunks: [Data] = []
        var isComplete = false
    }

    private struct State {
        var sink: LoadSink?
        /// The number of tasks so far, and the last one; nil until it runs.
        var taskCount = 0
        var task: URLSessionTask?
        var isCancelled = false
        var held: Held?
        var login = SessionLogin()
    }

    private let state: Mutex<State>
    /// Makes another task of the load, with another request.
    private let resend: @Sendable (URLRequest, SessionLoad) -> Void

    let session: URLSession

    init(
        _ sink: LoadSink,
        on session: URLSession,
        resend: @escaping @Sendable (URLRequest, SessionLoad) -> Void
    ) {
        state = Mutex(State(sink: sink))
        self.session = session
        self.resend = resend
    }

    /// The consumer; nil after the end.
    var sink: LoadSink? { state.withLock { $0.sink } }

    /// Ends the load; only the first call counts.
    func end(_ error: (any Error)?) {
        let sink = state.withLock { state in
            defer { (state.sink, state.held) = (nil, nil) }
            return state.sink
        }
        sink?.completion(error)
    }

    // MARK: tasks

    /// Returns the number of a task that is about to be made; nil if the load was cancelled.
    func nextTask() -> Int? {
        state.withLock { state in
            guard !state.isCancelled else { return nil }
            state.taskCount += 1
            state.task = nil
            return state.taskCount
        }
    }

    /// Notes that the task of this number runs.
    func begin(_ task: URLSessionTask, number: Int) {
        let isCancelled = state.withLock { state in
            if number == state.taskCount { state.task = task }
            return state.isCancelled
        }
        if isCancelled { session.cancel(task) }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            // The consumer hears nothing more; the user's delegate hears how the task ends.
            (state.sink, state.held) = (nil, nil)
            return state.task
        }
        if let task { session.cancel(task) }
    }

    /// True after the end and after ``cancel()``.
    var isOver: Bool { state.withLock { $0.isCancelled || $0.sink == nil } }

    // MARK: challenges

    /// Decides about a response, before anybody sees it.
    func step(after response: HTTPURLResponse, to request: URLRequest) -> SessionLogin.Step {
        state.withLock { $0.login.step(after: response, to: request) }
    }

    /// Sends the request again with a credential.
    /// - Returns: False if the credential cannot be used, or has just been refused.
    func answer(_ question: SessionLogin.Question, with credential: URLCredential) -> Bool {
        let request = state.withLock { state -> URLRequest? in
            guard state.sink != nil, !state.isCancelled else { return nil }
            guard let request = state.login.answer(question, with: credential) else { return nil }
            state.held = nil
            return request
        }
        guard let request else { return false }
        resend(request, self)
        return true
    }

    /// Returns a redirect's request as it may be sent.
    func redirected(_ request: URLRequest) -> URLRequest {
        state.withLock { $0.login.redirected(request) }
    }

    /// Keeps a response back until its challenge is decided.
    func hold(_ response: URLResponse, verdict: (any Error)?) {
        state.withLock { $0.held = Held(response: response, verdict: verdict) }
    }

    /// Returns the response that was kept back, once.
    func takeHeld() -> Held? {
        state.withLock { $0.held.take() }
    }

    /// Keeps a chunk of the response that is kept back.
    /// - Returns: False if none is.
    func hold(_ chunk: Data) -> Bool {
        state.withLock { state in
            guard let held = state.held else { return false }
            if held.verdict == nil { state.held?.chunks.append(chunk) }
            return true
        }
    }

    /// Notes the end of the response that is kept back.
    /// - Returns: False if none is.
    func holdEnd() -> Bool {
        state.withLock { state in
            state.held?.isComplete = true
            return state.held != nil
        }
    }
}

extension URLSession {
    /// Cancels a task without waiting, in turn with the events that its delegate receives.
    ///
    /// Foundation on Linux (6.3) ends the process if a redirect is answered after the task was cancelled
    /// (HTTPURLProtocol.swift), or if the task ends while it is being cancelled (TaskRegistry.swift). In the delegate's queue,
    /// neither happens. Nor does the caller wait: `cancel()` itself waits for the session's queue.
    func cancel(_ task: URLSessionTask) {
        delegateQueue.addOperation { task.cancel() }
    }
}
