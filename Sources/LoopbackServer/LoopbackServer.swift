public import Foundation
import Synchronization

/// A small HTTP/1.1 server on 127.0.0.1 for examples and tests, which can also misbehave on purpose.
///
/// It listens from `init` until ``stop()`` or until its last reference goes. Each connection has a thread of
/// its own, on which the handler is called; so a handler may block, and different connections call it at the
/// same time.
public final class LoopbackServer: Sendable {
    /// Answers one request; called on the connection's thread.
    public typealias Handler = @Sendable (Request) -> Response

    /// The port that it listens on.
    public let port: UInt16
    private let state: ServerState
    private let listener: ListeningSocket

    /// Starts listening.
    /// - Parameters:
    ///   - port: The port; 0 takes any that is free.
    ///   - handler: Answers each request.
    /// - Throws: ``SocketError`` if the port cannot be had.
    public init(port: UInt16 = 0, handler: @escaping Handler) throws {
        let listener = try ListeningSocket(port: port)
        let state = ServerState(handler: handler)
        self.listener = listener
        self.state = state
        self.port = listener.port
        Thread.detachNewThread {
            while let socket = listener.accept() {
                guard let connection = state.register(socket) else { continue }
                let thread = Thread { connection.serve() }
                thread.stackSize = 512 * 1024
                thread.start()
            }
        }
    }

    deinit {
        stop()
    }

    /// The server's address without a slash at its end, as `http://127.0.0.1:8099`.
    public var address: String {
        "http://127.0.0.1:\(port)"
    }

    /// The URL of `path`, which begins with a slash and may carry a query.
    public func url(_ path: String = "/") -> URL {
        guard let url = URL(string: address + path) else {
            preconditionFailure("not a path of a URL: \(path)")
        }
        return url
    }

    /// All requests that have come so far, in the order of their arrival.
    public var requests: [Request] {
        state.requests
    }

    /// The requests whose client went away before the answer was sent whole, where the server noticed.
    public var abandoned: [Request] {
        state.abandoned
    }

    /// Suspends until at least `count` requests have come.
    public func requests(atLeast count: Int) async -> [Request] {
        await state.wait { $0.requests.count >= count }
        return requests
    }

    /// Suspends until the server noticed that clients went away in the middle of at least `count` answers.
    public func abandoned(atLeast count: Int) async -> [Request] {
        await state.wait { $0.abandoned.count >= count }
        return abandoned
    }

    /// Closes the port and all connections.
    ///
    /// Answers that are being sent are cut. May be called twice.
    public func stop() {
        listener.stop()
        state.stop()
    }
}

/// What a server and its connections share.
final class ServerState: Sendable {
    struct Log: Sendable {
        var requests: [LoopbackServer.Request] = []
        var abandoned: [LoopbackServer.Request] = []
        var connections: [Int: ConnectionSocket] = [:]
        var connectionCount = 0
        var isStopped = false
        var waiters: [(isReady: @Sendable (Log) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    let handler: LoopbackServer.Handler
    private let log = Mutex(Log())

    init(handler: @escaping LoopbackServer.Handler) {
        self.handler = handler
    }

    var requests: [LoopbackServer.Request] { log.withLock { $0.requests } }
    var abandoned: [LoopbackServer.Request] { log.withLock { $0.abandoned } }

    /// Takes over a socket; nil, and the socket is closed, if the server has stopped.
    func register(_ socket: ConnectionSocket) -> Connection? {
        let number: Int? = log.withLock { log in
            guard !log.isStopped else { return nil }
            log.connectionCount += 1
            log.connections[log.connectionCount] = socket
            return log.connectionCount
        }
        guard let number else {
            socket.close()
            return nil
        }
        return Connection(number: number, socket: socket, state: self)
    }

    func forget(_ number: Int) {
        log.withLock { _ = $0.connections.removeValue(forKey: number) }
    }

    func record(_ request: LoopbackServer.Request) {
        update { $0.requests.append(request) }
    }

    func recordAbandoned(_ request: LoopbackServer.Request) {
        update { $0.abandoned.append(request) }
    }

    /// Suspends until `isReady`, or until the task is cancelled, as by a test's time limit.
    func wait(until isReady: @escaping @Sendable (Log) -> Bool) async {
        let isGivenUp = Flag()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                update { $0.waiters.append(({ isGivenUp.isSet || isReady($0) }, continuation)) }
            }
        } onCancel: {
            isGivenUp.set()
            update { _ in }
        }
    }

    /// Cuts all connections; their threads then end by themselves.
    func stop() {
        update { log in
            log.isStopped = true
            for socket in log.connections.values { socket.shutDown() }
        }
    }

    private func update(_ change: (inout Log) -> Void) {
        let ready = log.withLock { log in
            change(&log)
            // Each is asked once: what it looks at may change at any time.
            var waiters = log.waiters
            let first = waiters.partition { $0.isReady(log) }
            log.waiters = Array(waiters[..<first])
            return waiters[first...]
        }
        for waiter in ready { waiter.continuation.resume() }
    }
}

/// Set once, by any thread.
private final class Flag: Sendable {
    private let state = Mutex(false)
    var isSet: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
}
