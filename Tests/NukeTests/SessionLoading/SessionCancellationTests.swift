import Foundation
import FoundationNetworking
import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

/// Cancelling a ``DataLoader``'s load at moments at which Foundation on Linux would end the process.
@Suite(.timeLimit(.minutes(10))) struct SessionCancellationTests {
    @Test func aRedirectMayBeAnsweredAfterTheLoadIsCancelled() async throws {
        let server = try LoopbackServer { request in
            request.path == "/there" ? .data(Data("x".utf8)) : .redirect(to: "/there")
        }
        let loader = DataLoader()
        let delegate = RedirectKeeper()
        loader.delegate = delegate
        let recorder = LoadRecorder()
        let load = recorder.start(URLRequest(url: server.url("/here")), on: loader)
        let answer = try await delegate.answer()
        load.cancel()
        answer(URLRequest(url: server.url("/there")))

        delegate.passesOn = true
        #expect(await loader.load(server.url("/here")).text == "x")
        #expect(server.requests.map(\.path) == ["/here", "/here", "/there"])
        #expect(recorder.outcome.completions == 0)
    }

    @Test func loadsMayBeCancelledAtAnyMoment() async throws {
        let server = try LoopbackServer { request in
            request.path == "/there" ? .data(Data("x".utf8)) : .redirect(to: "/there")
        }
        var random = SeededGenerator(seed: .random(in: 0 ... .max))
        print("seed \(random)")
        let loader = DataLoader()
        let recorders = (0..<300).map { _ in LoadRecorder() }
        for recorder in recorders {
            let load = recorder.start(URLRequest(url: server.url("/here")), on: loader)
            for _ in 0..<UInt.random(in: 0..<400, using: &random) { await Task.yield() }
            load.cancel()
        }
        // What is late comes before the end of a later load.
        #expect(await loader.load(server.url("/here")).text == "x")
        for outcome in recorders.map(\.outcome) {
            // One that came to its end before it was cancelled has told all.
            #expect(outcome.completions == 0 || outcome.text == "x")
            #expect(outcome.completions <= 1 && !outcome.isLate)
        }
    }
}

/// A delegate that keeps the answer to a redirect back.
private final class RedirectKeeper: NSObject, URLSessionTaskDelegate, Sendable {
    typealias Answer = @Sendable (URLRequest?) -> Void

    private struct State {
        var answer: Answer?
        var passesOn = false
    }

    private let state = Mutex(State())

    var passesOn: Bool {
        get { state.withLock { $0.passesOn } }
        set { state.withLock { $0.passesOn = newValue } }
    }

    private var keptAnswer: Answer? { state.withLock { $0.answer } }

    func answer() async throws -> Answer {
        try await eventually { keptAnswer != nil }
        return try #require(keptAnswer)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        if passesOn { return completionHandler(request) }
        state.withLock { $0.answer = completionHandler }
    }
}
