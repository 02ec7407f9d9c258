import CTransport
import Files
import Foundation
import Synchronization

/// The callbacks that libcurl calls during a transfer. Returning false ends it.
extension EasyHandle {
    /// Receives a line of the response head.
    func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
        state.lastActivity = round.start
        guard state.isHTTP else { return true }
        if state.challenge != nil, line.starts(with: "HTTP/".utf8) {
            state.challenge = nil
            state.reader = HeadReader()
        }
        switch state.reader.take(line) {
        case .more: return true
        case .tooLong: return fail(.protocol, "the header fields exceed \(HeadReader.limit) bytes")
        case .complete(let head):
            if head.status == 401, state.request.authentication?.isChallenged == true {
                state.challenge = head
                return true
            }
            return deliver(head)
        }
    }

    /// Delivers the head of a challenge that libcurl has not answered.
    func deliverChallenge() -> Bool {
        guard let challenge = state.challenge else { return true }
        state.challenge = nil
        return deliver(challenge)
    }

    /// Delivers an empty head before the first bytes of an FTP transfer, which has none.
    func deliverHeadWithoutHTTP() -> Bool {
        guard state.handling == nil else { return true }
        return deliver(ResponseHead(status: 0, version: "", headers: []))
    }

    /// Notes the error with which the transfer ends.
    /// - Returns: False, which tells libcurl to end it.
    private func fail(_ reason: TransportError.Reason, _ text: String) -> Bool {
        state.failure = TransportError(reason, text)
        return false
    }

    private func deliver(_ head: ResponseHead) -> Bool {
        guard !head.hasContradictingLengths else {
            return fail(.integrity, "the response's Content-Length fields differ, or are not lengths")
        }
        var head = head
        head.hide(RequestSecrets(state.request, sent: sentHeaders))
        let expectedBytes = state.request.method == "HEAD" ? nil : head.contentLength
        let handling = state.delegate?.transferDidReceive(head) ?? .discard
        state.handling = handling
        switch handling {
        case .deliver:
            guard let limit = state.request.maximumBytes, let expectedBytes, expectedBytes > limit else {
                return true
            }
            return fail(.tooLarge, "the body has \(expectedBytes) bytes, but at most \(limit) are allowed")
        case .discard:
            let deadline = round.start + Self.discardTime
            state.discardDeadline = deadline
            round.noteDiscardDeadline(deadline)
            return expectedBytes ?? 0 <= Self.discardedBytes
        }
    }

    /// True if the received bytes must wait for the transfer's bandwidth limit.
    ///
    /// libcurl then keeps them.
    func mustPause() -> Bool {
        let wait = state.request.bandwidths.reduce(.zero) { max($0, $1.wait(at: round.start)) }
        guard wait > .zero else { return false }
        state.isPaused = true
        round.notePause(of: self, until: round.start + wait)
        return true
    }

    /// Resumes a paused transfer, which may pause again at once.
    func resume() {
        guard state.isPaused else { return }
        state.isPaused = false
        state.lastActivity = round.start
        curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    /// Receives the next bytes of the body.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.lastActivity = round.start
        if !state.isHTTP, !deliverHeadWithoutHTTP() { return false }
        guard deliverChallenge() else { return false }
        state.receivedBytes += bytes.count
        for bandwidth in state.request.bandwidths { bandwidth.take(bytes.count) }
        guard state.handling == .deliver else { return state.receivedBytes <= Self.discardedBytes }
        if let limit = state.request.maximumBytes, state.receivedBytes > limit {
            return fail(.tooLarge, "the body exceeds the \(limit) bytes allowed")
        }
        collect(bytes)
        return true
    }

    /// Buffers the bytes until the end of the round or until a chunk is full.
    private func collect(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let buffer = state.buffer ?? round.buffers.take()
            if state.buffer == nil {
                state.buffer = buffer
                round.noteBytes(of: self)
            }
            let count = min(rest.count, ChunkBuffers.size - state.bufferedBytes)
            (buffer + state.bufferedBytes).copyMemory(from: start, byteCount: count)
            state.bufferedBytes += count
            if state.bufferedBytes == ChunkBuffers.size { flush() }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Reads the next bytes of the request's body; nil if that fails.
    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard let body = state.request.body else { return 0 }
        let end = min(state.readBytes + buffer.count, body.count)
        do throws(FileError) {
            let piece = try body.read(state.readBytes..<end)
            piece.copyBytes(to: buffer)
            state.readBytes = end
            return piece.count
        } catch {
            state.failure = TransportError(.local(errno: error.code), "\(error)")
            return nil
        }
    }

    /// Goes to another place in the request's body, which libcurl sends again from there; false if there is none.
    func seekBody(to offset: Int, from origin: Int32) -> Bool {
        guard origin == SEEK_SET, 0...(state.request.body?.count ?? 0) ~= offset else { return false }
        state.readBytes = offset
        return true
    }

    /// Records that the request is about to be sent; false if libcurl repeats it by itself.
    ///
    /// It does so if a kept connection turns out to be closed. The caller must know of each request that is sent. A request
    /// that answers a challenge belongs to the first one.
    func beginRequest() -> Bool {
        guard !isRepeated() else { return false }
        state.hasBegun = true
        state.lastActivity = round.start
        return true
    }

    /// True, and the transfer has failed, if the request was sent before.
    ///
    /// FTP opens a second connection, for the file, after its request. Over a connection of its own the request was not lost
    /// with a kept one: libcurl repeats it then because the server has refused it over HTTP/2 (`HTTP_1_1_REQUIRED`).
    private func isRepeated() -> Bool {
        guard state.isHTTP, state.hasBegun, state.challenge == nil, !state.request.usesNewConnection else {
            return false
        }
        var error = TransportError(.empty, "the server closed the kept connection without a response")
        error.isConnectionStale = true
        state.failure = error
        return true
    }

    /// Opens a socket if the policy allows the address.
    ///
    /// Every connection passes this check.
    func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        guard !isRepeated(), let peer = IPAddress(address) else { return CURL_SOCKET_BAD }
        guard configuration.addressPolicy.permits(peer, host: checkedHost ?? "") else {
            state.refusedAddress = peer
            return CURL_SOCKET_BAD
        }
        let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.pointee.family, type, address.pointee.protocol)
        guard descriptor >= 0 else {
            state.socketError = errno
            return CURL_SOCKET_BAD
        }
        state.openedSockets += 1
        return descriptor
    }

    /// The host that the connection goes to: the proxy if there is one; nil for one of the environment, whose names allow nothing.
    var checkedHost: String? {
        let request = state.request
        return switch configuration.proxy {
        case .none: request.host
        case .environment: configuration.usesProxy(for: request.url, host: request.host) ? nil : request.host
        case .url(let text): URLComponents(string: text)?.host?.lowercased()
        }
    }
}

/// Reusable buffers for chunks.
///
/// A buffer returns to the pool when the data made from it is released: fresh memory costs a page fault per page, which
/// dominates the cost of large bodies on loopback.
final class ChunkBuffers: Sendable {
    /// The size of a buffer in bytes.
    ///
    /// libcurl reads that much at once.
    static let size = 64 * 1024
    /// The most idle buffers to keep.
    private static let kept = 64

    private let free = Mutex<[UInt]>([])

    deinit {
        for address in free.withLock({ $0 }) { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
    }

    func take() -> UnsafeMutableRawPointer {
        free.withLock { $0.popLast() }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
            ?? .allocate(byteCount: Self.size, alignment: 64)
    }

    func giveBack(_ buffer: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: buffer)
        let isKept = free.withLock { free in
            guard free.count < Self.kept else { return false }
            free.append(address)
            return true
        }
        if !isKept { buffer.deallocate() }
    }

    /// Returns the first `count` bytes of a buffer as data that owns the buffer.
    ///
    /// A short chunk is copied, so that keeping it does not keep the whole buffer.
    func data(_ buffer: UnsafeMutableRawPointer, count: Int) -> Data {
        guard count < Self.size / 2 else {
            return Data(
                bytesNoCopy: buffer,
                count: count,
                deallocator: .custom { [self] buffer, _ in giveBack(buffer) }
            )
        }
        defer { giveBack(buffer) }
        return Data(bytes: buffer, count: count)
    }
}
