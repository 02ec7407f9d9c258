import Foundation
import FoundationNetworking
import Synchronization
import Transport

/// One transfer of a load, with what it holds: its host's turn and its place.
final class CurlTransfer: TransferDelegate {
    private struct Answer {
        var head: ResponseHead?
        /// What chunks are delivered with; nil while there is none, and for an answer that is not accepted.
        var response: URLResponse?
    }

    let request: TransferRequest
    let hop: CurlHop
    private let load: CurlLoad
    private let permit: Permit?
    private let slot: SlotOperation?
    private let observation: TransferObservation?
    private let answer = Mutex(Answer())

    init(
        _ request: TransferRequest,
        of hop: CurlHop,
        for load: CurlLoad,
        permit: Permit?,
        slot: SlotOperation?,
        observation: TransferObservation?
    ) {
        self.request = request
        self.hop = hop
        self.load = load
        self.permit = permit
        self.slot = slot
        self.observation = observation
    }

    func transferDidReceive(_ head: ResponseHead) -> BodyHandling {
        let isAccepted = head.status == 0 || (200..<300).contains(head.status)
        let response = isAccepted ? head.response(url: hop.url) : nil
        answer.withLock { $0 = Answer(head: head, response: response) }
        return isAccepted ? .deliver : .discard
    }

    func transferDidReceive(_ chunk: Data) {
        if let response = answer.withLock({ $0.response }) { load.deliver(chunk, response) }
    }

    /// Others are not to wait for a host that does not answer: the place is theirs, though the transfer goes on.
    func transferDidStall() {
        slot?.finish()
    }

    func transferDidEnd(_ metrics: TransferMetrics, error: TransportError?) {
        let head = answer.withLock { $0.head }
        observation?.end(request, head, metrics, error)
        let result = result(head, metrics, error)
        slot?.finish()
        load.ended(self, result)
    }

    /// What the end means, of which the host's turn is told as well.
    private func result(
        _ head: ResponseHead?,
        _ metrics: TransferMetrics,
        _ error: TransportError?
    ) -> Result<HopResult, any Error> {
        guard error == nil, let head else {
            permit?.release(head == nil && error?.isFromHost == true ? .unreachable : .unknown)
            if error?.reason == .cancelled { return .failure(CancellationError()) }
            let failure = error ?? TransportError(.empty, "the transfer ended without an answer")
            return .failure(DataLoadingError(failure, url: hop.url))
        }
        let result = HopResult(head: head, metrics: metrics)
        guard let pause = result.throttlePause else {
            permit?.release(.answered)
            return .success(result)
        }
        permit?.release(.refused(retryAfter: pause))
        var statusError = result.statusError(url: hop.url)
        statusError.isHostHeld = permit != nil && statusError.retryAfter != nil
        return .failure(statusError)
    }
}

extension TransportError {
    /// Whether it says that the host cannot be reached or does not answer, if no answer came.
    fileprivate var isFromHost: Bool {
        switch reason {
        case .dns, .refused, .timeout, .reset, .empty: true
        // A handshake that broke; a certificate that is not trusted is an answer.
        case .tls: isTransient
        default: false
        }
    }
}

/// How a transfer ended that got an answer.
struct HopResult: Sendable {
    let head: ResponseHead
    let metrics: TransferMetrics

    /// The place that the answer redirects to; nil if it is accepted.
    /// - Throws: ``DataLoadingError`` if it is neither.
    func redirection(from url: URL) throws(DataLoadingError) -> String? {
        if head.status == 0 || (200..<300).contains(head.status) { return nil }
        guard Redirect.isRedirect(head.status), let location = head.value(of: "Location") else {
            throw statusError(url: url)
        }
        return location
    }

    /// How long the host wants to be left alone, if it refused the request for its rate.
    ///
    /// 503 says so only together with `Retry-After`; 429 always does.
    var throttlePause: Duration? {
        switch head.status {
        case 429: retryAfter ?? .zero
        case 503: retryAfter
        default: nil
        }
    }

    private var retryAfter: Duration? {
        head.value(of: "Retry-After").flatMap { RetryAfter.duration($0) }
    }

    func statusError(url: URL) -> DataLoadingError {
        var error = DataLoadingError(
            status: head.status,
            response: head.response(url: url) as? HTTPURLResponse,
            url: url
        )
        error.retryAfter = retryAfter
        return error
    }
}
