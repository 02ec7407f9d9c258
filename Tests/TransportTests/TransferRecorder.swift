import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Transport

/// The record of one transfer.
struct TransferOutcome: Sendable {
    var head: ResponseHead?
    var chunks: [Data] = []
    var metrics = TransferMetrics()
    var error: TransportError?
    /// The number of reported ends, which must be 1.
    var ends = 0
    /// True if anything was reported after the end, which must not happen.
    var isLate = false
    /// The number of reported stalls.
    var stalls = 0

    var body: Data { chunks.reduce(Data(), +) }
}

/// Records a transfer and lets a test await its moments.
final class TransferRecorder: TransferDelegate {
    private struct State {
        var outcome = TransferOutcome()
        var waiters: [(chunks: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    private let handling: BodyHandling
    private let onHead: @Sendable () -> Void

    /// `onHead` is called on the event thread when the head has arrived.
    init(handling: BodyHandling = .deliver, onHead: @escaping @Sendable () -> Void = {}) {
        (self.handling, self.onHead) = (handling, onHead)
    }

    var outcome: TransferOutcome { state.withLock { $0.outcome } }

    func transferDidReceive(_ head: ResponseHead) -> BodyHandling {
        update { $0.head = head }
        onHead()
        return handling
    }

    func transferDidReceive(_ chunk: Data) {
        update { $0.chunks.append(chunk) }
    }

    func transferDidStall() {
        update { $0.stalls += 1 }
    }

    func transferDidEnd(_ metrics: TransferMetrics, error: TransportError?) {
        update {
            $0.isLate = false
            $0.metrics = metrics
            $0.error = error
            $0.ends += 1
        }
    }

    /// Suspends until `count` chunks have arrived, or until the end.
    func wait(forChunks count: Int) async {
        await withCheckedContinuation { continuation in
            update(isEvent: false) { _ in [(count, continuation)] }
        }
    }

    /// Suspends until a stall was reported, or until the end.
    func waitForStall() async throws {
        try await eventually { outcome.stalls > 0 || outcome.ends > 0 }
    }

    /// Suspends until the end.
    func end() async -> TransferOutcome {
        await wait(forChunks: .max)
        return outcome
    }

    private func update(_ change: (inout TransferOutcome) -> Void) {
        update(isEvent: true) {
            change(&$0)
            return []
        }
    }

    private func update(
        isEvent: Bool,
        _ change: (inout TransferOutcome) -> [(chunks: Int, continuation: CheckedContinuation<Void, Never>)]
    ) {
        let ready = state.withLock { state in
            if isEvent, state.outcome.ends > 0 { state.outcome.isLate = true }
            state.waiters += change(&state.outcome)
            let (outcome, waiters) = (state.outcome, state.waiters)
            let isReady = { (count: Int) in outcome.ends > 0 || outcome.chunks.count >= count }
            state.waiters = waiters.filter { !isReady($0.chunks) }
            return waiters.filter { isReady($0.chunks) }
        }
        for waiter in ready { waiter.continuation.resume() }
    }
}

extension Transport {
    /// Runs one transfer to its end.
    func run(_ request: TransferRequest, handling: BodyHandling = .deliver) async -> TransferOutcome {
        let recorder = TransferRecorder(handling: handling)
        _ = start(request, delegate: recorder)
        return await recorder.end()
    }
}

extension TransferRequest {
    /// A GET of a path of the server.
    init(_ server: LoopbackServer, _ path: String = "/") {
        self.init(url: server.address + path, host: "127.0.0.1")
    }
}
