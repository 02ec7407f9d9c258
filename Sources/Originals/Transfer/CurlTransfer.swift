import Files
import Foundation
import FoundationNetworking
import ObjectStorage
import Synchronization
import Transport

/// One transfer of a load, with its permit and its slot.
final class CurlTransfer: TransferDelegate {
    private struct Answer {
        var head: ResponseHead?
        /// The response that chunks are delivered with; nil before the head, and for an answer that is not accepted.
        var response: ReceivedResponse?
        /// The document with which an object store explains a refusal.
        var document = Data()
        /// The first bytes of an accepted body.
        var beginning = Data()

        /// True if the body has a coding after all, which was damaged when it was decoded.
        var isEncoded: Bool {
            beginning.starts(with: [0x1F, 0x8B]) || beginning.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
        }
    }

    /// The most bytes of an object store's document that are kept.
    private static let longestDocument = 64 * 1024
    /// The bytes by which gzip (RFC 1952, section 2.3.1) and zstd (RFC 8878, section 3.1.1) are known, at most.
    private static let longestMagic = 4

    let request: TransferRequest
    let hop: CurlHop
    private let load: CurlLoad
    private let permit: Permit?
    private let slot: SlotOperation?
    /// The record for the observer of transfers; nil without one.
    private let record: TransferRecord?
    private let answer = Mutex(Answer())

    init(
        _ request: TransferRequest,
        of hop: CurlHop,
        for load: CurlLoad,
        permit: Permit?,
        slot: SlotOperation?,
        record: TransferRecord?
    ) {
        self.request = request
        self.hop = hop
        self.load = load
        self.permit = permit
        self.slot = slot
        self.record = record
    }

    func transferDidReceive(_ head: ResponseHead) -> BodyHandling {
        let isAccepted = head.status == 0 || head.isSuccess
        let response = isAccepted ? ReceivedResponse(head, url: hop.url) : nil
        answer.withLock { $0 = Answer(head: head, response: response) }
        return isAccepted || hop.object != nil ? .deliver : .discard
    }

    func transferDidReceive(_ chunk: Data) {
        let response = answer.withLock { answer in
            if answer.response == nil, answer.document.count < Self.longestDocument {
                answer.document += chunk
            }
            if answer.beginning.count < Self.longestMagic {
                answer.beginning += chunk.prefix(Self.longestMagic)
            }
            return answer.response
        }
        if let response { load.deliver(chunk, response) }
    }

    /// Others must not wait for a host that does not answer: the slot is released, though the transfer continues.
    func transferDidStall() {
        slot?.finish()
    }

    func transferDidEnd(_ metrics: TransferMetrics, error: TransportError?) {
        let answer = answer.withLock { $0 }
        let head = answer.head
        var error = error
        if error == nil, hop.takesContentAsSent, answer.isEncoded {
            error = TransportError(.integrity, "the content's coding (Content-Encoding) is damaged")
        }
        if var record {
            (record.head, record.metrics, record.error) = (head, metrics, error)
            load.loader.configuration.observer?(record)
        }
        // Names such as `binary`, `aws-chunked` and also `gzip` are sent with images that have no coding at all.
        let isAsSent =
            error?.isContentCodingWrong == true && answer.beginning.isEmpty && hop.isIdempotent
            && !hop.takesContentAsSent
            && load.sends(hop.resent(after: metrics.total) { $0.takesContentAsSent = true })
        if isAsSent || error?.isConnectionStale == true && load.repeats(hop, after: metrics) {
            permit?.release(.unknown)
            slot?.finish()
            return
        }
        if let head, error == nil, hop.object != nil, !head.isSuccess,
            let refusal = S3Error(head, body: answer.document)
        {
            return refused(refusal, HopResult(head: head, metrics: metrics))
        }
        let result = result(head, error, metrics: metrics)
        // In this order: the download counts as complete before another one can have its slot.
        load.ended(self, result)
        slot?.finish()
    }

    /// Ends a transfer that an object store refused, and sends another request if that may succeed.
    private func refused(_ error: S3Error, _ result: HopResult) {
        defer { slot?.finish() }
        if error.isSlowDown {
            permit?.release(.refused(retryAfter: result.retryAfter ?? .zero))
            var statusError = DataLoadingError(error, result, url: hop.url)
            // Stores name no time: then the object waits, and of the others the rate alone is lowered.
            statusError.retryAfter = result.retryAfter ?? .seconds(1)
            statusError.isHostHeld = permit != nil && result.retryAfter != nil
            statusError.isSlowDown = permit != nil
            return load.ended(self, .failure(statusError))
        }
        permit?.release(.answered)
        if let next = load.loader.hop(after: hop, refused: request, by: error, result), load.sends(next) {
            return
        }
        load.ended(self, .failure(DataLoadingError(error, result, url: hop.url)))
    }

    /// Returns the result of the transfer, and reports it to the rate limiter.
    private func result(
        _ head: ResponseHead?,
        _ error: TransportError?,
        metrics: TransferMetrics
    ) -> Result<HopResult, any Error> {
        guard error == nil, let head else {
            // That the host has closed a kept connection says nothing about a new one.
            let isUnreachable = head == nil && error?.isFromHost == true && error?.isConnectionStale == false
            let isUnresolved = error?.isOfNameServers == true
            permit?.release(isUnresolved ? .unresolved : isUnreachable ? .unreachable : .unknown)
            if error?.reason == .cancelled { return .failure(CancellationError()) }
            let failure = error ?? TransportError(.empty, "the transfer ended without an answer")
            return .failure(DataLoadingError(load.loader.explained(failure, of: hop), url: hop.url))
        }
        let result = HopResult(head: head, metrics: metrics)
        let isError = (500..<600).contains(head.status)
        guard let pause = result.throttlePause else {
            permit?.release(isError ? .erred(retryAfter: nil) : .answered)
            return .success(result)
        }
        permit?.release(isError ? .erred(retryAfter: pause) : .refused(retryAfter: pause))
        var statusError = result.statusError(url: hop.url)
        statusError.isHostHeld = permit != nil && statusError.retryAfter != nil
        return .failure(statusError)
    }
}

extension TransportError {
    /// True if it means that the host cannot be reached or does not answer.
    fileprivate var isFromHost: Bool {
        switch reason {
        case .refused, .timeout, .reset, .empty: true
        // The transport itself distinguishes an outage of the name servers from domains that fail.
        case .dns: !isOfOneName
        // A handshake that broke; a certificate that is not trusted is an answer.
        case .tls: isTransient
        default: false
        }
    }
}

/// The result of a transfer that got an answer.
struct HopResult: Sendable {
    let head: ResponseHead
    let metrics: TransferMetrics

    /// The `Location` that the answer redirects to; nil if it is accepted.
    /// - Throws: ``DataLoadingError`` if it is neither.
    func redirection(from url: URL) throws(DataLoadingError) -> String? {
        if head.status == 0 || head.isSuccess { return nil }
        guard Redirect.isRedirect(head.status), let location = head.value(of: "Location") else {
            throw statusError(url: url)
        }
        return location
    }

    /// The pause that the host asks for, if it refused the request for its rate.
    ///
    /// A 503 does so only together with `Retry-After`; a 429 always does.
    var throttlePause: Duration? {
        switch head.status {
        case 429: retryAfter ?? .zero
        case 503: retryAfter
        default: nil
        }
    }

    var retryAfter: Duration? { head.value(of: "Retry-After").flatMap { RetryAfter.duration($0) } }

    /// Returns the error of a status that is not accepted; `message` says more than the status.
    func statusError(url: URL, _ message: String? = nil) -> DataLoadingError {
        var error = DataLoadingError(
            status: head.status,
            response: head.httpResponse(url: url),
            url: url,
            message
        )
        error.retryAfter = retryAfter
        return error
    }
}
