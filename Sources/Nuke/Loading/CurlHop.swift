import Foundation
import FoundationNetworking
import Synchronization
import Transport

/// One transfer of a load: the request to one URL.
final class CurlHop: TransferDelegate {
    private struct State {
        var head: ResponseHead?
        /// What chunks are delivered with; nil while there is none, and for an answer that is not accepted.
        var response: URLResponse?
        var transfer: Transfer?
        var isCancelled = false
        var continuation: CheckedContinuation<HopResult, any Error>?
    }

    private let request: TransferRequest
    private let url: URL
    private let start = Date()
    private let observer: (@Sendable (TransferRecord) -> Void)?
    private let didReceiveData: @Sendable (Data, URLResponse) -> Void
    private let state = Mutex(State())

    init(
        _ request: TransferRequest,
        url: URL,
        observer: (@Sendable (TransferRecord) -> Void)?,
        _ didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void
    ) {
        self.request = request
        self.url = url
        self.observer = observer
        self.didReceiveData = didReceiveData
    }

    /// Runs the transfer to its end.
    /// - Throws: ``TransportError``; of a cancelled task with the reason `cancelled`.
    func run(on transport: Transport) async throws -> HopResult {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.continuation = continuation }
                let transfer = transport.start(request, delegate: self)
                let isCancelled = state.withLock { state in
                    state.transfer = transfer
                    return state.isCancelled
                }
                if isCancelled { transfer.cancel() }
            }
        } onCancel: {
            let transfer = state.withLock { state in
                state.isCancelled = true
                return state.transfer
            }
            transfer?.cancel()
        }
    }

    func transferDidReceive(_ head: ResponseHead) -> BodyHandling {
        let isAccepted = head.status == 0 || (200..<300).contains(head.status)
        let response = isAccepted ? head.response(url: url) : nil
        state.withLock { state in
            state.head = head
            state.response = response
        }
        return isAccepted ? .deliver : .discard
    }

    func transferDidReceive(_ chunk: Data) {
        let response = state.withLock { $0.isCancelled ? nil : $0.response }
        if let response { didReceiveData(chunk, response) }
    }

    func transferDidEnd(_ metrics: TransferMetrics, error: TransportError?) {
        let (head, continuation) = state.withLock { state in
            defer { state.continuation = nil }
            return (state.head, state.continuation)
        }
        observer?(TransferRecord(request: request, start: start, head: head, metrics: metrics, error: error))
        if let error {
            continuation?.resume(throwing: error)
        } else if let head {
            continuation?.resume(returning: HopResult(head: head, metrics: metrics))
        } else {
            continuation?.resume(throwing: TransportError(.empty, "the transfer ended without an answer"))
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

extension ResponseHead {
    /// Foundation's form of the head: names of header fields in their canonical case, equal ones joined.
    func response(url: URL) -> URLResponse {
        guard status != 0 else { return plainResponse(url: url) }
        var fields: [String: String] = [:]
        fields.reserveCapacity(headers.count)
        for header in headers {
            let name = Self.canonicalName(header.name)
            // Only equal lengths may repeat (RFC 9110, section 8.6), so the first says it all.
            if let value = fields[name] {
                if name != "Content-Length" { fields[name] = value + ", " + header.value }
            } else {
                fields[name] = header.value
            }
        }
        return HTTPURLResponse(url: url, statusCode: status, httpVersion: version, headerFields: fields)
            ?? plainResponse(url: url)
    }

    private func plainResponse(url: URL) -> URLResponse {
        URLResponse(
            url: url,
            mimeType: nil,
            expectedContentLength: contentLength ?? -1,
            textEncodingName: nil
        )
    }

    /// As `Content-Type`, `Etag`: a capital at the beginning of each word.
    static func canonicalName(_ name: String) -> String {
        var isFirst = true
        let bytes = name.utf8.map { byte -> UInt8 in
            defer { isFirst = byte == UInt8(ascii: "-") }
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): return isFirst ? byte - 32 : byte
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): return isFirst ? byte : byte + 32
            default: return byte
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
