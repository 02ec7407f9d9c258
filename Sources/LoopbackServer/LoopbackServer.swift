public import Foundation
import Synchronization

/// A small HTTP/1.1 server on 127.0.0.1 for examples and tests, which can also misbehave on purpose.
///
/// It listens from `init` until ``stop()`` or until its last reference is released. Each connection has its own thread,
/// on which the handler is called. A handler may therefore block, and connections call it concurrently.
public final class LoopbackServer: Sendable {
    /// Responds to one request.
    ///
    /// Called on the connection's thread.
    public typealias Handler = @Sendable (Request) -> Response

    /// The decision about a request whose head has arrived.
    public enum Reception: Sendable {
        /// The body is read; then the handler responds.
        case body(then: Handler)
        /// This response is sent at once, without reading the body or inviting it by 100; then the connection closes.
        case response(Response)
        /// The connection is reset when this many bytes of the body have arrived, or all of a shorter one.
        case reset(afterBytes: Int)
    }

    /// The port that the server listens on.
    public let port: UInt16
    private let state: ServerState
    private let listener: ListeningSocket

    /// Starts listening.
    /// - Parameters:
    ///   - port: The port; 0 selects a free one.
    ///   - handler: Responds to each request.
    /// - Throws: ``SocketError`` if the port is not available.
    public convenience init(port: UInt16 = 0, handler: @escaping Handler) throws {
        try self.init(port: port, bodyLimit: 64 * 1024 * 1024) { _ in .body(then: handler) }
    }

    /// Starts listening.
    /// - Parameters:
    ///   - port: The port; 0 selects a free one.
    ///   - bodyLimit: The most bytes in a request's body; more is refused with 413.
    ///   - logsBodies: False if ``requests`` does without the bodies.
    ///   - receive: Decides about each request when its head has arrived. Its argument has no body.
    /// - Throws: ``SocketError`` if the port is not available.
    public init(
        port: UInt16 = 0,
        bodyLimit: Int,
        logsBodies: Bool = true,
        receive: @escaping @Sendable (Request) -> Reception
    ) throws {
        let listener = try ListeningSocket(port: port)
        let state = ServerState(bodyLimit: bodyLimit, logsBodies: logsBodies, receive: receive)
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

    /// The server's address without a trailing slash, such as `http://127.0.0.1:8099`.
    public var address: String { "http://127.0.0.1:\(port)" }

    /// The URL of `path`, which begins with a slash and may have a query.
    public func url(_ path: String = "/") -> URL {
        guard let url = URL(string: address + path) else {
            preconditionFailure("not a path of a URL: \(path)")
        }
        return url
    }

    /// All requests so far, in order of arrival.
    public var requests: [Request] { state.log.withLock { $0.requests } }

    /// True if ``requests`` is kept, as it is at first; set it to false where millions of requests come.
    public var logsRequests: Bool {
        get { state.log.withLock { $0.logsRequests } }
        set { state.log.withLock { $0.logsRequests = newValue } }
    }

    /// The requests whose client disconnected before the whole response was sent, as far as the server noticed.
    public var abandoned: [Request] { state.log.withLock { $0.abandoned } }

    /// Suspends until at least `count` requests have arrived.
    public func requests(atLeast count: Int) async -> [Request] {
        await state.wait { $0.requests.count >= count }
        return requests
    }

    /// Suspends until the server has noticed that at least `count` clients disconnected during a response.
    public func abandoned(atLeast count: Int) async -> [Request] {
        await state.wait { $0.abandoned.count >= count }
        return abandoned
    }

    /// Closes the port and all connections.
    ///
    /// Responses in progress are cut off. May be called twice.
    public func stop() {
        listener.stop()
        state.stop()
    }
}

/// The state that a server shares with its connections.
final class ServerState: Sendable {
    struct Log: Sendable {
        var logsRequests = true
        var requests: [LoopbackServer.Request] = []
        var abandoned: [LoopbackServer.Request] = []
        var connections: [Int: ConnectionSocket] = [:]
        var connectionCount = 0
        var isStopped = false
        var waiters: [(isReady: @Sendable (Log) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    let bodyLimit: Int
    let receive: @Sendable (LoopbackServer.Request) -> LoopbackServer.Reception
    private let logsBodies: Bool
    let log = Mutex(Log())

    init(
        bodyLimit: Int,
        logsBodies: Bool,
        receive: @escaping @Sendable (LoopbackServer.Request) -> LoopbackServer.Reception
    ) {
        self.bodyLimit = bodyLimit
        self.logsBodies = logsBodies
        self.receive = receive
    }

    /// Registers a socket.
    ///
    /// If the server has stopped, closes the socket and returns nil.
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
        let logged = logsBodies ? request : request.withoutBody
        update { if $0.logsRequests { $0.requests.append(logged) } }
    }

    func recordAbandoned(_ request: LoopbackServer.Request) {
        let logged = logsBodies ? request : request.withoutBody
        update { $0.abandoned.append(logged) }
    }

    /// Suspends until `isReady` returns true or the task is cancelled, for example by a test's time limit.
    func wait(until isReady: @escaping @Sendable (Log) -> Bool) async {
        let isGivenUp = Atomic(false)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                update {
                    $0.waiters.append(({ isGivenUp.load(ordering: .acquiring) || isReady($0) }, continuation))
                }
            }
        } onCancel: {
            isGivenUp.store(true, ordering: .releasing)
            update { _ in }
        }
    }

    /// Shuts down all connections, which ends their threads.
    func stop() {
        update { log in
            log.isStopped = true
            for socket in log.connections.values { socket.shutDown() }
        }
    }

    private func update(_ change: (inout Log) -> Void) {
        let ready = log.withLock { log in
            change(&log)
            // Each condition is evaluated once, because its inputs may change at any time.
            var waiters = log.waiters
            let first = waiters.partition { $0.isReady(log) }
            log.waiters = Array(waiters[..<first])
            return waiters[first...]
        }
        for waiter in ready { waiter.continuation.resume() }
    }
}
