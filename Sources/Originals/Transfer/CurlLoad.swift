import Files
import Foundation
import FoundationNetworking
import ObjectStorage
import Synchronization
import Transport

/// One load of a ``CurlDataLoader``: its transfers in sequence, as long as the server redirects.
///
/// A transfer begins on the caller's thread and ends on the transport's; a task is made only for what must be
/// waited for, the host's permit and a slot.
final class CurlLoad: PrioritizedCancellable {
    private struct State {
        /// The consumer; nil after the end.
        var sink: LoadSink?
        var isCancelled = false
        var slot: SlotOperation?
        /// The request of the first transfer.
        var first: TransferRequest?
        /// The current step: two a hop, its waiting and its transfer; and the closure that ends it.
        var step = 0
        var cancel: (@Sendable () -> Void)?

        /// Returns the first request, and keeps `request` as it if there was none before.
        mutating func noteFirst(_ request: TransferRequest) -> TransferRequest {
            first = first ?? request
            return first ?? request
        }
    }

    let loader: CurlDataLoader
    private let slots: OperationQueue?
    private let livePriority: LivePriority
    /// The number of the load; nil if no one observes the transfers.
    private let number: LoadNumber?
    private let state: Mutex<State>

    init(loader: CurlDataLoader, priority: Operation.QueuePriority, slots: OperationQueue?, sink: LoadSink) {
        self.loader = loader
        self.slots = slots
        livePriority = LivePriority(priority)
        number = loader.configuration.observer == nil ? nil : LoadNumber()
        state = Mutex(State(sink: sink))
    }

    /// Starts the load; `prepare` changes the request once it has its permit and its slot.
    func start(_ request: URLRequest, _ prepare: RequestPreparation? = nil) {
        guard request.cachePolicy != .returnCacheDataDontLoad else {
            Task { end(HTTPCacheError.notCached(request.url)) }
            return
        }
        do throws(DataLoadingError) {
            let hop = try loader.firstHop(request)
            guard let prepare else { return try send(hop) }
            try send(hop) { try await prepare(request) }
        } catch {
            // Never before the call has returned: the caller may hold a lock.
            Task { end(error) }
        }
    }

    func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.cancel
        }
        cancel?()
    }

    func setPriority(_ priority: Operation.QueuePriority) {
        livePriority.priority = priority
        state.withLock { $0.slot }?.queuePriority = priority
    }

    /// Sends a request: first the host's permit, then a slot, then the transfer.
    private func send(
        _ hop: CurlHop,
        prepare: (@Sendable () async throws -> URLRequest)? = nil
    ) throws(DataLoadingError) {
        let request = hop.object == nil ? try loader.transferRequest(hop) : nil
        // An address in a URL needs no connection to be refused, and so no turn at its host.
        if let request, case .none = loader.configuration.proxy,
            let refusal = loader.configuration.addressPolicy.refusal(of: request.host)
        {
            throw DataLoadingError(refusal, url: hop.url)
        }
        let rateLimiter = loader.configuration.rateLimiter
        let (host, asked) = (HostRateLimiter.host(of: hop.url), ContinuousClock.now)
        if let request, rateLimiter == nil, slots == nil, prepare == nil {
            return begin(request, of: hop, host: host, asked: asked)
        }
        let task = Task {
            do {
                let permit = try await rateLimiter?.acquire(host: host, priority: livePriority)
                let slot = try await acquireSlot()
                do {
                    let changed = try await changed(by: prepare)
                    if let changed, HostRateLimiter.host(of: changed.url) != host {
                        // Another host has its own rate limit.
                        slot?.finish()
                        permit?.release(.unknown)
                        return try send(changed)
                    }
                    let made = changed == nil ? request : nil
                    let sent = if let made { made } else { try await self.request(changed ?? hop) }
                    begin(sent, of: changed ?? hop, host: host, asked: asked, permit: permit, slot: slot)
                } catch {
                    slot?.finish()
                    throw error
                }
            } catch let error as HostDownError {
                end(DataLoadingError(.hostDown, url: hop.url, error.description))
            } catch {
                end(error)
            }
        }
        onCancel(step: 2 * hop.number) { task.cancel() }
    }

    /// Returns the hop of the request that `prepare` makes; nil without one.
    private func changed(by prepare: (@Sendable () async throws -> URLRequest)?) async throws -> CurlHop? {
        guard let prepare else { return nil }
        let changed = try loader.firstHop(try await prepare())
        try Task.checkCancellation()
        return changed
    }

    private func request(_ hop: CurlHop) async throws -> TransferRequest {
        guard let object = hop.object else { return try loader.transferRequest(hop) }
        let request = try await loader.objectRequest(object, hop)
        try Task.checkCancellation()
        return request
    }

    /// Sets the closure that cancels the current step, unless another thread has already reached a later step.
    private func onCancel(step: Int, _ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            guard step >= state.step else { return false }
            state.step = step
            state.cancel = cancel
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    private func acquireSlot() async throws -> SlotOperation? {
        guard let slots else { return nil }
        let slot = SlotOperation()
        slot.queuePriority = livePriority.priority
        state.withLock { $0.slot = slot }
        defer { state.withLock { $0.slot = nil } }
        try await slot.begin(in: slots)
        return slot
    }

    /// Begins a transfer, which was `asked` for before it waited for its `host` and a slot.
    private func begin(
        _ request: TransferRequest,
        of hop: CurlHop,
        host: String,
        asked: ContinuousClock.Instant,
        permit: Permit? = nil,
        slot: SlotOperation? = nil
    ) {
        let record = number.map { number in
            TransferRecord(
                load: number.value,
                watch: number.watch,
                redirects: hop.previous.count,
                host: host,
                request: request,
                first: state.withLock { $0.noteFirst(request) },
                start: Date(),
                blocked: ContinuousClock.now - asked
            )
        }
        let transfer = CurlTransfer(request, of: hop, for: self, permit: permit, slot: slot, record: record)
        let transport = hop.object == nil ? loader.transport : loader.configuration.objectStorage?.transport
        let started = (transport ?? loader.transport).start(request, delegate: transfer)
        onCancel(step: 2 * hop.number + 1) { started.cancel() }
    }

    /// Delivers a chunk, unless the load was cancelled.
    func deliver(_ chunk: Data, _ response: ReceivedResponse) {
        let sink = state.withLock { $0.isCancelled ? nil : $0.sink }
        sink?.receive(chunk, response)
    }

    /// Handles the end of a transfer, which has released its permit and then releases its slot.
    func ended(_ transfer: CurlTransfer, _ result: Result<HopResult, any Error>) {
        let hop = transfer.hop
        do {
            let answer = try result.get()
            guard !state.withLock({ $0.isCancelled }) else { throw CancellationError() }
            guard hop.object == nil, let location = try answer.redirection(from: hop.url) else {
                return end(nil)
            }
            try send(
                try loader.hop(
                    after: hop,
                    status: answer.head.status,
                    location: location,
                    time: answer.metrics.total,
                    setsCookie: answer.head.value(of: "Set-Cookie") != nil,
                    carried: answer.head.carried
                )
            )
        } catch {
            end(error)
        }
    }

    /// Sends a request again that a kept connection swallowed, once and on a new connection: with its own permit, and
    /// its own entry in the network log.
    /// - Returns: False if the load was cancelled, or the request must not be repeated.
    func repeats(_ hop: CurlHop, after metrics: TransferMetrics) -> Bool {
        guard !hop.usesNewConnection, hop.isIdempotent else { return false }
        return sends(hop.resent(after: metrics.total) { $0.usesNewConnection = true })
    }

    /// Sends another request in place of one that ended.
    /// - Returns: False if the load was cancelled.
    func sends(_ hop: CurlHop) -> Bool {
        guard !state.withLock({ $0.isCancelled }) else { return false }
        do {
            try send(hop)
        } catch {
            end(error)
        }
        return true
    }

    private func end(_ error: (any Error)?) {
        let sink = state.withLock { state in
            defer { (state.sink, state.cancel) = (nil, nil) }
            return state.sink
        }
        sink?.completion(error)
    }
}
