import CTransport
import Foundation

/// One easy handle of libcurl, used for one transfer after the other on the event thread.
final class EasyHandle {
    /// A rejected body is read up to here to keep its connection; opening another costs about as much.
    static let discardedBytes = 64 * 1024
    /// A rejected body that takes longer is cut.
    static let discardTime: Duration = .seconds(1)

    let easy: UnsafeMutableRawPointer
    let configuration: TransportConfiguration
    let round: EventRound
    let errorBuffer: UnsafeMutablePointer<CChar>
    var headerLines: [TransferRequest.Header] = []
    var headerList: UnsafeMutablePointer<curl_slist>?
    var state = TransferState(request: TransferRequest(url: "", host: ""), delegate: nil)
    /// Whether libcurl was told how the client proves who it is.
    var holdsSecrets = false
    /// Whether the options that never change are set.
    private var isPrepared = false

    /// A handle with the options that never change; nil without memory.
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
        errorBuffer.deallocate()
    }

    /// Prepares the next transfer; false without memory.
    func begin(_ request: TransferRequest, _ delegate: any TransferDelegate) -> Bool {
        errorBuffer[0] = 0
        guard isPrepared, setOptions(of: request) == CURLE_OK else { return false }
        state = TransferState(request: request, delegate: delegate)
        return true
    }

    /// Delivers what was collected.
    func flush() {
        guard let buffer = state.buffer else { return }
        let data = round.buffers.data(buffer, count: state.bufferedBytes)
        (state.buffer, state.bufferedBytes) = (nil, 0)
        state.delegate?.transferDidReceive(data)
    }

    /// When the transfer is overdue for want of bytes.
    func deadline() -> ContinuousClock.Instant {
        let limit = state.request.idleTimeout
        // Nothing comes because nothing is read.
        if state.isPaused { return .now + limit }
        if let deadline = state.discardDeadline { return deadline }
        // Before there is a connection libcurl's own time limit counts.
        guard let lastActivity = state.lastActivity else { return .now + limit }
        guard state.request.body != nil else { return lastActivity + limit }
        let uploaded = facts().uploaded_bytes
        if uploaded != state.uploadedBytes {
            state.uploadedBytes = uploaded
            state.lastActivity = .now
        }
        return (state.lastActivity ?? .now) + limit
    }

    /// Tells the delegate once if no byte has come for long; false if there is nothing to tell any more.
    func tellIfStalled() -> Bool {
        guard !state.isStalled else { return false }
        let isWaiting = state.isPaused || state.discardDeadline != nil
        guard !isWaiting, (state.lastActivity ?? state.began) + configuration.stallTime <= .now else {
            return true
        }
        state.isStalled = true
        state.delegate?.transferDidStall()
        return false
    }

    /// What ``deadline()`` having passed means.
    var overdueError: TransportError {
        TransportError(.timeout, "no byte came for \(state.request.idleTimeout)")
    }

    /// Tells the delegate the end that libcurl found.
    func end(_ result: CURLcode) {
        let facts = facts()
        if result == CURLE_OK, !state.isHTTP { _ = deliverHeadWithoutHTTP() }
        _ = deliverChallenge()
        flush()
        if result != CURLE_OK {
            finish(facts, state.failure ?? error(of: result, facts))
        } else if state.handling == nil {
            // libcurl takes a head that was cut between two lines for a whole one.
            finish(facts, TransportError(.truncated, "the server closed the connection inside the head"))
        } else {
            finish(facts, nil)
        }
    }

    /// Tells the delegate that the transfer was ended by us.
    func end(because error: TransportError) {
        finish(facts(), error)
    }

    private func finish(_ facts: nb_transfer_facts, _ error: TransportError?) {
        if let buffer = state.buffer { round.buffers.giveBack(buffer) }
        let ended = state
        state = TransferState(request: TransferRequest(url: "", host: ""), delegate: nil)
        let metrics = TransferMetrics(facts)
        isPrepared = forgetSecrets()
        // A body that nobody wants cannot fail: its head is the answer.
        let isIgnored = ended.handling == .discard && error?.reason != .cancelled
        ended.delegate?.transferDidEnd(metrics, error: isIgnored ? nil : error)
    }

    private func facts() -> nb_transfer_facts {
        var facts = nb_transfer_facts()
        nb_easy_get_facts(easy, &facts)
        return facts
    }

    private func error(of result: CURLcode, _ facts: nb_transfer_facts) -> TransportError {
        if result == CURLE_COULDNT_CONNECT, state.openedSockets == 0 {
            if let address = state.refusedAddress {
                let host = state.request.host
                let isLiteral = host == "\(address)"
                return TransportError(
                    .address,
                    (isLiteral ? "\(host)" : "\(host) is at \(address), which")
                        + " is not a public address; add "
                        + (isLiteral ? "" : "\"\(address)\" or ") + "\"\(host)\" to network.allow to reach it"
                )
            }
            if state.socketError != 0 {
                return TransportError(code: result, systemError: state.socketError, detail: "")
            }
        }
        let systemError = Int32(truncatingIfNeeded: facts.os_error)
        return TransportError(code: result, systemError: systemError, detail: String(cString: errorBuffer))
    }
}

/// How far the current transfer of a handle has come.
struct TransferState {
    let request: TransferRequest
    let delegate: (any TransferDelegate)?
    let isHTTP: Bool
    var reader = HeadReader()
    /// The head of a challenge, which is the answer unless libcurl sends the request again.
    var challenge: ResponseHead?
    /// What the delegate said to the head; nil before the head.
    var handling: BodyHandling?
    /// What came and is not delivered yet.
    var buffer: UnsafeMutableRawPointer?
    var bufferedBytes = 0
    var receivedBytes = 0
    var uploadedBytes: Int64 = 0
    let began = ContinuousClock.now
    /// When the last byte came or went; nil while there is no connection yet.
    var lastActivity: ContinuousClock.Instant?
    var discardDeadline: ContinuousClock.Instant?
    /// Whether it waits for its bandwidth.
    var isPaused = false
    /// Whether the delegate was told that no byte comes.
    var isStalled = false
    /// Our own reason for having ended the transfer from within a callback.
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
