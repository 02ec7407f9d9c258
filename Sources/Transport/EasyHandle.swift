import CTransport
import Foundation

/// A libcurl easy handle, used for one transfer after another on the event thread.
final class EasyHandle {
    /// The most bytes of a discarded body to read.
    ///
    /// Reading that much costs about as much as a new connection.
    static let discardedBytes = 64 * 1024
    /// The longest time to read a discarded body.
    static let discardTime: Duration = .seconds(1)

    let easy: UnsafeMutableRawPointer
    let configuration: TransportConfiguration
    let round: EventRound
    let errorBuffer: UnsafeMutablePointer<CChar>
    var headerLines: [TransferRequest.Header] = []
    /// The header fields of the request, with those of its signature.
    var sentHeaders: [TransferRequest.Header] = []
    var headerList: UnsafeMutablePointer<curl_slist>?
    var addressList: UnsafeMutablePointer<curl_slist>?
    var state = TransferState(request: TransferRequest(url: "", host: ""), delegate: nil)
    /// True if libcurl holds authentication data.
    var holdsSecrets = false
    /// True if the options that never change are set.
    private var isPrepared = false

    /// Creates a handle with the options that never change.
    ///
    /// Nil if out of memory.
    init?(configuration: TransportConfiguration, round: EventRound) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.configuration = configuration
        self.round = round
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        guard setConstantOptions() == CURLE_OK else { return nil }
        isPrepared = true
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headerList)
        curl_slist_free_all(addressList)
        errorBuffer.deallocate()
    }

    /// Prepares the next transfer, to one of `addresses`; libcurl finds them if that is nil.
    ///
    /// Returns false if out of memory.
    func begin(_ transfer: TransferState, addresses: AddressList?) -> Bool {
        errorBuffer[0] = 0
        let lookup = ContinuousClock.now - transfer.began
        guard isPrepared, setOptions(of: transfer.request, after: lookup) == CURLE_OK,
            setAddresses(addresses, of: transfer.request) == CURLE_OK
        else { return false }
        state = transfer
        state.began = .now
        if addresses != nil { state.lookup = lookup }
        return true
    }

    /// Delivers the buffered bytes.
    func flush() {
        guard let buffer = state.buffer else { return }
        let data = round.buffers.data(buffer, count: state.bufferedBytes)
        (state.buffer, state.bufferedBytes) = (nil, 0)
        state.delegate?.transferDidReceive(data)
    }

    /// The time at which the transfer fails if no bytes arrive.
    func deadline() -> ContinuousClock.Instant {
        let limit = state.request.idleTimeout
        // A paused transfer receives nothing because nothing is read.
        if state.isPaused { return .now + limit }
        if let deadline = state.discardDeadline { return deadline }
        // Until there is a connection, libcurl's own time limit applies.
        guard let lastActivity = state.lastActivity else { return .now + limit }
        guard state.request.body != nil else { return lastActivity + limit }
        let uploaded = facts().uploaded_bytes
        if uploaded != state.uploadedBytes {
            state.uploadedBytes = uploaded
            state.lastActivity = .now
        }
        return (state.lastActivity ?? .now) + limit
    }

    /// Notifies the delegate once if no byte has arrived for a while.
    ///
    /// Returns false if there is nothing left to report.
    func reportStall() -> Bool {
        guard !state.isStalled else { return false }
        let isWaiting = state.isPaused || state.discardDeadline != nil
        guard !isWaiting, (state.lastActivity ?? state.began) + configuration.stallTime <= .now else {
            return true
        }
        state.isStalled = true
        state.delegate?.transferDidStall()
        return false
    }

    /// Moves the transfer's time limits, but that of its whole duration.
    func forgive(_ standstill: Duration) {
        state.began += standstill
        state.lastActivity = state.lastActivity.map { $0 + standstill }
        state.discardDeadline = state.discardDeadline.map { $0 + standstill }
        guard state.lastActivity == nil else { return }
        // libcurl reads it whenever it looks whether the time for connecting has passed.
        state.forgiven += standstill
        nb_easy_set_long(
            easy,
            CURLOPT_CONNECTTIMEOUT_MS,
            max(1, (state.request.connectTimeout - state.lookup + state.forgiven).wholeMilliseconds)
        )
    }

    /// The error for a passed ``deadline()``.
    var overdueError: TransportError {
        TransportError(.timeout, "no byte received for \(state.request.idleTimeout)")
    }

    /// Reports the end of the transfer, with libcurl's result.
    func end(_ result: CURLcode) {
        let facts = facts()
        if result == CURLE_OK, !state.isHTTP { _ = deliverHeadWithoutHTTP() }
        _ = deliverChallenge()
        flush()
        var error: TransportError?
        if facts.response_code == 407, let refusal = localError(CURLE_OK, facts) {
            error = refusal
        } else if result != CURLE_OK {
            error = state.failure ?? self.error(of: result, facts)
        } else if state.handling == nil {
            // libcurl accepts a head that was cut between two lines as complete.
            error = TransportError(.truncated, "the server closed the connection within the response head")
        }
        finish(facts, error)
    }

    /// Ends the transfer with an error of our own.
    func end(because error: TransportError) {
        finish(facts(), error)
    }

    private func finish(_ facts: nb_transfer_facts, _ error: TransportError?) {
        if let buffer = state.buffer { round.buffers.giveBack(buffer) }
        let ended = state
        state = TransferState(request: TransferRequest(url: "", host: ""), delegate: nil)
        let metrics = TransferMetrics(facts, after: ended.lookup)
        isPrepared = forgetSecrets()
        // A discarded body cannot fail: its head is the response.
        let isIgnored = ended.handling == .discard && error?.reason != .cancelled && error?.isLocal != true
        ended.delegate?.transferDidEnd(metrics, error: isIgnored ? nil : error)
    }

    private func facts() -> nb_transfer_facts {
        var facts = nb_transfer_facts()
        nb_easy_get_facts(easy, &facts)
        return facts
    }

    private func localError(_ result: CURLcode, _ facts: nb_transfer_facts) -> TransportError? {
        let request = state.request
        return TransportError.local(
            result,
            facts,
            isProxied: configuration.usesProxy(for: request.url, host: request.host),
            configuration: configuration
        )
    }

    private func error(of result: CURLcode, _ facts: nb_transfer_facts) -> TransportError {
        // libcurl has the same code for a line of the head that exceeds its limit of 100 kB (lib/dynbuf.h).
        if result == CURLE_OUT_OF_MEMORY, facts.first_byte > 0 {
            let text = "a line of the response head exceeds the 100 kB that libcurl accepts"
            return TransportError(.protocol, text)
        }
        if result == CURLE_COULDNT_CONNECT, state.openedSockets == 0 {
            if let address = state.refusedAddress {
                return TransportError(
                    refusing: RefusedAddress(host: checkedHost ?? "\(address)", address: address)
                )
            }
            if state.socketError != 0 {
                return TransportError(code: result, systemError: state.socketError, detail: "")
            }
        }
        let systemError = Int32(truncatingIfNeeded: facts.os_error)
        if let local = localError(result, facts) { return local }
        if facts.connect_code == 403 {
            return TransportError(
                .refused,
                "the proxy refuses to connect to this host (403): ask its administrator, or take another one in network.proxy"
            )
        }
        return TransportError(code: result, systemError: systemError, detail: String(cString: errorBuffer))
    }
}

/// The state of a transfer, which first waits for the addresses of its host and then has a handle.
struct TransferState {
    let request: TransferRequest
    let delegate: (any TransferDelegate)?
    let isHTTP: Bool
    var reader = HeadReader()
    /// The head of a challenge.
    ///
    /// It is the response unless libcurl sends the request again.
    var challenge: ResponseHead?
    /// The delegate's decision on the body; nil before the head.
    var handling: BodyHandling?
    /// Received bytes that are not delivered yet.
    var buffer: UnsafeMutableRawPointer?
    var bufferedBytes = 0
    var receivedBytes = 0
    var uploadedBytes: Int64 = 0
    /// The bytes of a file that were read to be sent as the request's body.
    var readBytes = 0
    /// The start, of the lookup and then of libcurl's part, later by the time in which this process stood still.
    var began = ContinuousClock.now
    /// That time, as long as there is no connection.
    var forgiven: Duration = .zero
    /// The time for the lookup of the host, before libcurl's part.
    var lookup: Duration = .zero
    /// The time of the last byte sent or received; nil until there is a connection.
    var lastActivity: ContinuousClock.Instant?
    var discardDeadline: ContinuousClock.Instant?
    /// True once the request has been sent, or was about to be.
    var hasBegun = false
    /// True while the transfer waits for its bandwidth limit.
    var isPaused = false
    /// True once the delegate was told of a stall.
    var isStalled = false
    /// The error for which a callback ended the transfer.
    var failure: TransportError?
    var refusedAddress: IPAddress?
    var openedSockets = 0
    var socketError: Int32 = 0

    init(request: TransferRequest, delegate: (any TransferDelegate)?) {
        self.request = request
        self.delegate = delegate
        isHTTP = request.scheme.hasPrefix("http")
    }
}
