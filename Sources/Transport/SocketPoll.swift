import CTransport
import Foundation

/// The sockets of a multi handle and its next timeout, as reported by libcurl.
///
/// A round costs only its own events, whereas `curl_multi_perform` and `curl_multi_poll` examine every transfer.
final class SocketPoll {
    /// The most events in one round; the others follow in the next.
    private static let capacity = 64

    private let multi: UnsafeMutableRawPointer
    private let wakeup: Int32
    private let descriptor: Int32
    private let events: UnsafeMutablePointer<nb_poll_event>
    /// The time at which libcurl must be called without an event.
    private(set) var timer: ContinuousClock.Instant?

    /// Watches the sockets of `multi`, which must not outlive this object, and `wakeup`, which ends a wait.
    /// - Throws: `TransportError` if there is no descriptor left.
    init(multi: UnsafeMutableRawPointer, wakeup: Int32) throws(TransportError) {
        descriptor = nb_poll_create()
        guard descriptor >= 0 else { throw .noDescriptor }
        self.multi = multi
        self.wakeup = wakeup
        events = .allocate(capacity: Self.capacity)
        events.initialize(repeating: nb_poll_event(), count: Self.capacity)
        nb_poll_set(descriptor, wakeup, Int32(CURL_POLL_IN))
        nb_multi_set_callbacks(
            multi,
            { _, socket, what, context, _ in
                SocketPoll.from(context).watch(socket, what)
                return 0
            },
            { _, milliseconds, context in
                let timer: ContinuousClock.Instant? =
                    milliseconds < 0 ? nil : ContinuousClock.now + .milliseconds(milliseconds)
                SocketPoll.from(context).timer = timer
                return 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    deinit {
        close(descriptor)
        events.deallocate()
    }

    /// Runs libcurl's expired timer.
    func expire() {
        guard let due = timer, due <= .now else { return }
        timer = nil
        var running: Int32 = 0
        curl_multi_socket_action(multi, -1, 0, &running)
    }

    /// Waits for events.
    /// - Returns: The number of events for ``act(on:)``, and true if one of them is the wake-up.
    func wait(milliseconds: Int) -> (count: Int, isWoken: Bool) {
        let count = Int(nb_poll_wait(descriptor, events, Int32(Self.capacity), Int32(milliseconds)))
        return (count, (0..<count).contains { events[$0].descriptor == wakeup })
    }

    /// Handles the events of the last wait; those of the resolver's sockets go to `nameServers`.
    func act(on count: Int, _ nameServers: NameServers) {
        var running: Int32 = 0
        for index in 0..<count where events[index].descriptor != wakeup {
            let (socket, what) = (events[index].descriptor, events[index].events)
            guard
                !nameServers.process(
                    socket,
                    isReadable: what & CURL_CSELECT_IN != 0,
                    isWritable: what & CURL_CSELECT_OUT != 0
                )
            else { continue }
            curl_multi_socket_action(multi, socket, what, &running)
        }
    }

    /// Watches a socket for reading and writing, or neither.
    func watch(_ socket: Int32, isReading: Bool, isWriting: Bool) {
        let what =
            switch (isReading, isWriting) {
            case (true, true): CURL_POLL_INOUT
            case (true, false): CURL_POLL_IN
            case (false, true): CURL_POLL_OUT
            case (false, false): CURL_POLL_REMOVE
            }
        watch(socket, Int32(what))
    }

    private func watch(_ socket: Int32, _ what: Int32) {
        if what == CURL_POLL_REMOVE {
            nb_poll_remove(descriptor, socket)
        } else {
            nb_poll_set(descriptor, socket, what)
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> SocketPoll {
        guard let context else { preconditionFailure("libcurl lost a callback's context") }
        return Unmanaged<SocketPoll>.fromOpaque(context).takeUnretainedValue()
    }
}

extension TransportError {
    /// The error of a transport that the system gives no descriptor, with the system's reason.
    static var noDescriptor: TransportError {
        let code = errno
        return TransportError(
            .local(errno: code),
            "this machine has no descriptor for connections: \(String(cString: strerror(code)))"
        )
    }
}
