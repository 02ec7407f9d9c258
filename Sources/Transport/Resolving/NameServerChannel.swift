import CTransport
import Foundation

/// A c-ares channel: questions in flight to the name servers, or to the host file.
///
/// All calls, and the answers, are on the event thread. ``close()`` must be called before the last reference goes.
final class NameServerChannel {
    /// The sources of answers.
    enum Source {
        /// `/etc/hosts` alone, which is read for each question and answers at once.
        case hostFile
        /// The name servers of `/etc/resolv.conf`, or of a list such as `127.0.0.1:5353`.
        case nameServers(String?, ResolverSettings)
    }

    private let channel: ares_channel
    /// Watches a socket for reading and writing, or neither.
    private let watch: (Int32, Bool, Bool) -> Void
    private var descriptors: Set<Int32> = []
    private(set) var pending = 0

    /// A question until its answer.
    private final class Question {
        let channel: NameServerChannel
        let then: (NameAnswer) -> Void

        init(_ channel: NameServerChannel, _ then: @escaping (NameAnswer) -> Void) {
            self.channel = channel
            self.then = then
        }
    }

    /// The context of c-ares' callback, which it may call before the channel is complete.
    private final class Sockets {
        weak var channel: NameServerChannel?
    }

    private let sockets = Sockets()

    /// - Throws: `TransportError` if out of memory.
    init(_ source: Source, watch: @escaping (Int32, Bool, Bool) -> Void) throws(TransportError) {
        var options = ares_options()
        // NameServers goes through the search domains: c-ares does so for each family by itself.
        options.ndomains = 0
        options.sock_state_cb = { context, socket, isReading, isWriting in
            guard let context else { return }
            let sockets = Unmanaged<Sockets>.fromOpaque(context).takeUnretainedValue()
            sockets.channel?.note(socket, isReading: isReading != 0, isWriting: isWriting != 0)
        }
        options.sock_state_cb_data = Unmanaged.passUnretained(sockets).toOpaque()
        // Answers are kept above, where an outage can be told from an old answer.
        var mask =
            ARES_OPT_DOMAINS | ARES_OPT_SOCK_STATE_CB | ARES_OPT_LOOKUPS | nb_ares_keep_no_answers(&options)
        var lookups = "b"
        var servers: String?
        switch source {
        case .hostFile: lookups = "f"
        case .nameServers(let list, let settings):
            servers = list
            options.timeout = Int32(settings.timeout.wholeMilliseconds)
            options.tries = Int32(settings.attempts)
            mask |= ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES
        }
        var made: ares_channel?
        let status = lookups.withCString { text in
            options.lookups = UnsafeMutablePointer(mutating: text)
            return ares_init_options(&made, &options, Int32(mask))
        }
        guard status == nb_ares_success, let made else {
            throw TransportError(.local(errno: ENOMEM), "there is not enough memory to resolve host names")
        }
        channel = made
        self.watch = watch
        if let servers { ares_set_servers_ports_csv(channel, servers) }
        sockets.channel = self
    }

    /// Ends all questions without an answer.
    func close() {
        ares_destroy(channel)
    }

    /// Reads the search domains of resolv.conf, or the one of this machine's name.
    static func searchDomains() -> [String] {
        var channel: ares_channel?
        guard ares_init_options(&channel, nil, 0) == nb_ares_success, let channel else { return [] }
        defer { ares_destroy(channel) }
        var options = ares_options()
        var mask: Int32 = 0
        guard ares_save_options(channel, &options, &mask) == nb_ares_success else { return [] }
        defer { ares_destroy_options(&options) }
        return (0..<Int(max(options.ndomains, 0))).compactMap {
            options.domains[$0].map { String(cString: $0) }
        }
    }

    /// Asks for the addresses of a name; `then` is called once, maybe before this returns, and not after ``close()``.
    func ask(_ name: String, family: Int32, then: @escaping (NameAnswer) -> Void) {
        pending += 1
        var hints = ares_addrinfo_hints()
        hints.ai_family = family
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        // Servers turn their addresses around to spread the load.
        hints.ai_flags = Int32(ARES_AI_NOSORT)
        ares_getaddrinfo(
            channel,
            name,
            nil,
            &hints,
            { context, status, _, result in
                guard let context else { return }
                let question = Unmanaged<Question>.fromOpaque(context).takeRetainedValue()
                let answer = NameAnswer(status: status, result)
                ares_freeaddrinfo(result)
                question.channel.pending -= 1
                guard status != nb_ares_destruction, status != nb_ares_cancelled else { return }
                question.then(answer)
            },
            Unmanaged.passRetained(Question(self, then)).toOpaque()
        )
    }

    /// Handles an event of a socket; false if it is none of this channel's.
    func process(_ socket: Int32, isReadable: Bool, isWritable: Bool) -> Bool {
        guard descriptors.contains(socket) else { return false }
        ares_process_fd(channel, isReadable ? socket : -1, isWritable ? socket : -1)
        return true
    }

    /// Repeats or ends the questions whose time has passed.
    func expire() {
        guard pending > 0 else { return }
        ares_process_fd(channel, -1, -1)
    }

    /// The time until ``expire()`` has something to do; nil if nothing is asked.
    var timeout: Duration? {
        guard pending > 0 else { return nil }
        var time = timeval()
        guard ares_timeout(channel, nil, &time) != nil else { return nil }
        return .seconds(time.tv_sec) + .microseconds(time.tv_usec)
    }

    private func note(_ socket: Int32, isReading: Bool, isWriting: Bool) {
        if isReading || isWriting { descriptors.insert(socket) } else { descriptors.remove(socket) }
        watch(socket, isReading, isWriting)
    }
}
