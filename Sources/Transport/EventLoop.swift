import CTransport
import Files
import Foundation

/// Runs all transfers of a transport on the thread that calls ``run()``.
///
/// No other thread accesses its state.
final class EventLoop {
    /// The most idle easy handles to keep for reuse.
    private static let idleHandles = 256
    /// The longest wait with transfers under way: a wait that takes much longer was a standstill.
    private static let longestWait = 1000
    /// The delay from which on a wait counts as a standstill.
    private static let tolerance: Duration = .seconds(1)

    private let mailbox: Mailbox
    let configuration: TransportConfiguration
    private let multi: UnsafeMutableRawPointer
    let poll: SocketPoll
    private let round = EventRound()
    private(set) var active: [UInt64: EasyHandle] = [:]
    private var identifiers: [UnsafeMutableRawPointer: UInt64] = [:]
    private var idle: [EasyHandle] = []
    private let nameServers: NameServers
    private(set) lazy var resolver = Resolver(nameServers: nameServers) { [unowned self] in
        resolved($0, $1)
    }
    /// The transfers that wait for the addresses of their hosts.
    var pending: [UInt64: TransferState] = [:]
    /// The earliest possible deadline.
    ///
    /// The deadlines of all transfers are examined only when it passes.
    private var nextDeadline: ContinuousClock.Instant?
    /// The time until which standstills of this process are known.
    private var lastNoted = ContinuousClock.now

    /// - Throws: `TransportError` if there is no memory or no descriptor left.
    init(mailbox: Mailbox, configuration: TransportConfiguration) throws(TransportError) {
        guard let multi = curl_multi_init() else {
            throw TransportError(.local(errno: ENOMEM), "there is not enough memory for connections")
        }
        do throws(TransportError) {
            let poll = try SocketPoll(multi: multi, wakeup: mailbox.wakeup)
            self.poll = poll
            nameServers = try NameServers(servers: configuration.nameServers) {
                poll.watch($0, isReading: $1, isWriting: $2)
            }
        } catch {
            curl_multi_cleanup(multi)
            throw error
        }
        self.mailbox = mailbox
        self.configuration = configuration
        self.multi = multi
        nb_multi_set_long(
            multi,
            CURLMOPT_MAXCONNECTS,
            ProcessLimits.descriptors(atMost: configuration.idleConnections)
        )
    }

    deinit {
        nameServers.close()
        idle = []
        curl_multi_cleanup(multi)
    }

    /// Runs until the mailbox stops, then cancels all active transfers.
    func run() {
        while takeCommands() {
            round.begin()
            round.resume()
            noteTime()
            // Sends the requests that were just started.
            poll.expire()
            finishRound()
            let isQuiet = mailbox.prepareToSleep()
            let (count, isWoken) = wait(milliseconds: isQuiet ? timeToNextDeadline() : 0)
            if isWoken { mailbox.drainWakeup() }
            round.begin()
            poll.act(on: count, nameServers)
            resolver.expire()
            finishRound()
            endOverdue()
        }
        let error = TransportError(.cancelled, "the transport was closed")
        for identifier in Array(pending.keys) { endPending(identifier, because: error) }
        for identifier in Array(active.keys) {
            end(identifier, because: error)
        }
    }

    private func finishRound() {
        if let deadline = round.deliver() { look(at: deadline) }
        endFinished()
    }

    /// Schedules an examination of all transfers at the latest by `time`.
    func look(at time: ContinuousClock.Instant) {
        nextDeadline = min(nextDeadline ?? time, time)
    }

    /// The time to the next deadline in milliseconds.
    ///
    /// Without one, only sockets, libcurl's timer and the mailbox end a wait.
    private func timeToNextDeadline() -> Int {
        let most = resolver.timeout?.wholeMilliseconds ?? 60_000
        return [nextDeadline, poll.timer, round.paused.map(\.end).min()].reduce(most) { time, deadline in
            deadline.map { min(time, ($0 - .now).wholeMilliseconds) } ?? time
        }
    }

    private func takeCommands() -> Bool {
        for command in mailbox.take() {
            switch command {
            case .start(let identifier, let request, let delegate):
                start(request, as: identifier, delegate: delegate)
            case .cancel(let identifier):
                let error = TransportError(.cancelled, "cancelled")
                endPending(identifier, because: error)
                end(identifier, because: error)
            case .stop: return false
            }
        }
        return true
    }

    private func start(_ request: TransferRequest, as identifier: UInt64, delegate: any TransferDelegate) {
        if let error = request.refusal(schemes: configuration.schemes) {
            delegate.transferDidEnd(TransferMetrics(), error: error)
            return
        }
        resolve(TransferState(request: request, delegate: delegate), as: identifier)
    }

    /// Hands a transfer to libcurl, with the addresses of its host if libcurl is not to find them.
    func begin(_ transfer: TransferState, as identifier: UInt64, addresses: AddressList?) {
        guard let handle = idle.popLast() ?? EasyHandle(configuration: configuration, round: round),
            handle.begin(transfer, addresses: addresses),
            curl_multi_add_handle(multi, handle.easy) == CURLM_OK
        else {
            let error = TransportError(
                .local(errno: ENOMEM),
                "there is not enough memory for another transfer"
            )
            transfer.delegate?.transferDidEnd(TransferMetrics(), error: error)
            return
        }
        active[identifier] = handle
        identifiers[handle.easy] = identifier
        // The first bytes may arrive at any time from now on, and with them the first deadline.
        look(at: .now + min(transfer.request.idleTimeout, configuration.stallTime / 2))
    }

    private func endFinished() {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let identifier = identifiers[easy]
            else { continue }
            let result = message.pointee.data.result
            remove(identifier) { $0.end(result) }
        }
    }

    private func endOverdue() {
        noteTime()
        guard let next = nextDeadline, next <= .now else { return }
        nextDeadline = nil
        endOverduePending()
        for (identifier, handle) in active {
            let deadline = handle.deadline()
            if deadline <= .now {
                end(identifier, because: handle.overdueError)
            } else {
                look(at: deadline)
                if handle.reportStall() { look(at: next + configuration.stallTime / 2) }
            }
        }
    }

    private func end(_ identifier: UInt64, because error: TransportError) {
        remove(identifier) { $0.end(because: error) }
    }

    private func remove(_ identifier: UInt64, end: (EasyHandle) -> Void) {
        guard let handle = active.removeValue(forKey: identifier) else { return }
        identifiers[handle.easy] = nil
        curl_multi_remove_handle(multi, handle.easy)
        end(handle)
        if idle.count < Self.idleHandles { idle.append(handle) }
    }
}

/// The time in which this process does not run, because it or the machine is stopped.
///
/// The clock goes on meanwhile, and so do the time limits of transfers whose answers nobody could read.
extension EventLoop {
    /// Waits for events.
    private func wait(milliseconds: Int) -> (count: Int, isWoken: Bool) {
        let limit = isIdle ? milliseconds : min(milliseconds, Self.longestWait)
        noteTime()
        let result = poll.wait(milliseconds: limit)
        noteTime(expecting: .milliseconds(limit))
        return result
    }

    /// Gives all transfers the time back in which this process did not run since the last call.
    ///
    /// It is called on both sides of each wait, and before deadlines are examined: a process is stopped anywhere.
    private func noteTime(expecting expected: Duration = .zero) {
        let now = ContinuousClock.now
        let time = now - lastNoted
        lastNoted = now
        if !isIdle, time > expected + Self.tolerance { forgive(time) }
    }

    private var isIdle: Bool { active.isEmpty && pending.isEmpty }

    private func forgive(_ standstill: Duration) {
        for handle in active.values { handle.forgive(standstill) }
        for identifier in Array(pending.keys) { pending[identifier]?.began += standstill }
        nextDeadline = nextDeadline.map { $0 + standstill }
    }
}

/// The work that one round of events leaves for the event loop, collected while libcurl calls the handles.
final class EventRound {
    let buffers = ChunkBuffers()
    /// The start of the round: exact enough for time limits, and read once instead of for every line.
    private(set) var start = ContinuousClock.now
    /// The handles with undelivered bytes.
    private var holders: [EasyHandle] = []
    /// The earliest time limit of the discarded bodies that arrived in this round.
    private var discardDeadline: ContinuousClock.Instant?

    /// The paused handles and the times at which they may resume.
    private(set) var paused: [(handle: EasyHandle, end: ContinuousClock.Instant)] = []

    /// Resumes the handles whose time has come, in the order in which they paused.
    func resume() {
        guard !paused.isEmpty else { return }
        let due = paused.filter { $0.end <= start }
        paused.removeAll { $0.end <= start }
        for (handle, _) in due { handle.resume() }
    }

    func notePause(of handle: EasyHandle, until end: ContinuousClock.Instant) {
        paused.append((handle, end))
    }

    func begin() {
        start = .now
    }

    func noteBytes(of handle: EasyHandle) {
        holders.append(handle)
    }

    func noteDiscardDeadline(_ deadline: ContinuousClock.Instant) {
        discardDeadline = min(discardDeadline ?? deadline, deadline)
    }

    /// Delivers buffered bytes.
    /// - Returns: A deadline that arose in this round.
    func deliver() -> ContinuousClock.Instant? {
        for holder in holders { holder.flush() }
        holders.removeAll(keepingCapacity: true)
        return discardDeadline.take()
    }
}
