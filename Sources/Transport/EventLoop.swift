import CTransport
import Foundation

/// Drives all transfers of a transport on the thread that calls ``run()``; nothing of it is seen by another.
final class EventLoop {
    /// Easy handles kept for reuse, each with its options set.
    private static let idleHandles = 256

    private let mailbox: Mailbox
    private let configuration: TransportConfiguration
    private let multi: UnsafeMutableRawPointer
    private let poll: SocketPoll
    private let round = EventRound()
    private var active: [UInt64: EasyHandle] = [:]
    private var identifiers: [UnsafeMutableRawPointer: UInt64] = [:]
    private var idle: [EasyHandle] = []
    /// No deadline passes before it; so the deadlines of all transfers are looked at only then.
    private var nextDeadline: ContinuousClock.Instant?

    init(mailbox: Mailbox, configuration: TransportConfiguration) {
        guard let multi = curl_multi_init() else {
            preconditionFailure("libcurl has no memory for a multi handle")
        }
        self.mailbox = mailbox
        self.configuration = configuration
        self.multi = multi
        poll = SocketPoll(multi: multi, wakeup: mailbox.wakeup)
        nb_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.idleConnections)
    }

    deinit {
        idle = []
        curl_multi_cleanup(multi)
    }

    /// Runs until the mailbox says stop; then everything that is still active is cancelled.
    func run() {
        while takeCommands() {
            round.begin()
            round.resume()
            // What was just started is sent here.
            poll.expire()
            finishRound()
            let isQuiet = mailbox.prepareToSleep()
            let (count, isWoken) = poll.wait(milliseconds: isQuiet ? timeToNextDeadline() : 0)
            if isWoken { mailbox.drainWakeup() }
            round.begin()
            poll.act(on: count)
            finishRound()
            endOverdue()
        }
        for identifier in Array(active.keys) {
            end(identifier, because: TransportError(.cancelled, "the transport was closed"))
        }
    }

    private func finishRound() {
        if let deadline = round.deliver() { look(at: deadline) }
        endFinished()
    }

    /// Has all transfers looked at by then.
    private func look(at time: ContinuousClock.Instant) {
        nextDeadline = min(nextDeadline ?? time, time)
    }

    /// In milliseconds; without a deadline only sockets, libcurl's own timer and the mailbox end a sleep.
    private func timeToNextDeadline() -> Int {
        [nextDeadline, poll.timer, round.paused.map(\.end).min()].reduce(60_000) { time, deadline in
            deadline.map { min(time, ($0 - .now).wholeMilliseconds) } ?? time
        }
    }

    private func takeCommands() -> Bool {
        for command in mailbox.take() {
            switch command {
            case .start(let identifier, let request, let delegate):
                start(identifier, request, delegate)
            case .cancel(let identifier):
                end(identifier, because: TransportError(.cancelled, "cancelled"))
            case .stop:
                return false
            }
        }
        return true
    }

    private func start(_ identifier: UInt64, _ request: TransferRequest, _ delegate: any TransferDelegate) {
        if let error = request.refusal(schemes: configuration.schemes) {
            delegate.transferDidEnd(TransferMetrics(), error: error)
            return
        }
        guard let handle = idle.popLast() ?? EasyHandle(configuration: configuration, round: round),
            handle.begin(request, delegate), curl_multi_add_handle(multi, handle.easy) == CURLM_OK
        else {
            let error = TransportError(.local(errno: ENOMEM), "libcurl has no memory for another transfer")
            delegate.transferDidEnd(TransferMetrics(), error: error)
            return
        }
        active[identifier] = handle
        identifiers[handle.easy] = identifier
        // The first bytes may come at any time from now on, and with them the first deadline.
        look(at: .now + min(request.idleTimeout, configuration.stallTime / 2))
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
        guard let next = nextDeadline, next <= .now else { return }
        nextDeadline = nil
        for (identifier, handle) in active {
            let deadline = handle.deadline()
            if deadline <= .now {
                end(identifier, because: handle.overdueError)
            } else {
                look(at: deadline)
                if handle.tellIfStalled() { look(at: next + configuration.stallTime / 2) }
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
