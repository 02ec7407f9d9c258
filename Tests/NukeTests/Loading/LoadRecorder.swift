import Foundation
import LoopbackServer
import Nuke
import Synchronization

/// The calls that a loader made for one load.
struct LoadOutcome: Sendable {
    var chunks: [Data] = []
    var response: URLResponse?
    var error: (any Error)?
    /// The number of calls of `completion`; must be 1.
    var completions = 0
    /// True if there was any call after `completion`; must be false.
    var isLate = false

    var body: Data { chunks.reduce(Data(), +) }
    var text: String { String(decoding: body, as: UTF8.self) }
    var httpResponse: HTTPURLResponse? { response as? HTTPURLResponse }
    var loadingError: DataLoadingError? { error as? DataLoadingError }

    /// The value of a field of the response.
    func field(_ name: String) -> String? { httpResponse?.value(forHTTPHeaderField: name) }
}

/// Records one load and lets a test await its moments.
final class LoadRecorder: Sendable {
    private typealias Waiter = (bytes: Int, continuation: CheckedContinuation<Void, Never>)

    private let state = Mutex<(outcome: LoadOutcome, waiters: [Waiter])>((LoadOutcome(), []))

    var outcome: LoadOutcome { state.withLock { $0.outcome } }

    func start(_ request: URLRequest, on loader: any DataLoading) -> any Cancellable {
        loader.loadData(with: request, didReceiveData: receive, completion: complete)
    }

    @Sendable func receive(_ data: Data, _ response: URLResponse) {
        update {
            $0.isLate = $0.isLate || $0.completions > 0
            $0.chunks.append(data)
            $0.response = response
        }
    }

    @Sendable func complete(_ error: (any Error)?) {
        update {
            $0.completions += 1
            $0.error = error
        }
    }

    /// Suspends until so many bytes have come, or the end.
    func wait(forBytes count: Int) async {
        await withCheckedContinuation { continuation in
            resume(
                state.withLock { state in
                    state.waiters.append((count, continuation))
                    return Self.takeReady(&state.outcome, &state.waiters)
                }
            )
        }
    }

    /// Suspends until the end.
    func end() async -> LoadOutcome {
        await wait(forBytes: .max)
        return outcome
    }

    private func update(_ change: (inout LoadOutcome) -> Void) {
        resume(
            state.withLock { state in
                change(&state.outcome)
                return Self.takeReady(&state.outcome, &state.waiters)
            }
        )
    }

    private static func takeReady(_ outcome: inout LoadOutcome, _ waiters: inout [Waiter]) -> [Waiter] {
        let bytes = outcome.completions > 0 ? Int.max : outcome.body.count
        let ready = waiters.filter { $0.bytes <= bytes }
        waiters.removeAll { $0.bytes <= bytes }
        return ready
    }

    private func resume(_ waiters: [Waiter]) {
        for waiter in waiters { waiter.continuation.resume() }
    }
}

extension DataLoading {
    /// Runs one load to its end.
    func load(_ request: URLRequest) async -> LoadOutcome {
        let recorder = LoadRecorder()
        _ = recorder.start(request, on: self)
        return await recorder.end()
    }

    /// Runs a GET of a URL to its end.
    func load(_ url: URL) async -> LoadOutcome {
        await load(URLRequest(url: url))
    }
}
