import CTransport
public import Foundation
import Synchronization

/// Transfers over HTTP and HTTPS (and FTP where asked) by libcurl's multi interface, on one thread of its own.
///
/// Connections are kept and used again; HTTP/2 is spoken where a TLS server offers it. Redirects are not
/// followed and no encoding is asked for or removed: a response is what the server sent. Neither cookies nor the
/// environment's proxies are used, and `.netrc` only where a request says so. All transfers end with the last reference.
public final class Transport: Sendable {
    private let mailbox: Mailbox
    private let lastIdentifier = Atomic<UInt64>(0)

    /// Starts the event thread.
    public init(configuration: TransportConfiguration = TransportConfiguration()) {
        Self.initialiseLibrary
        let mailbox = Mailbox()
        self.mailbox = mailbox
        let thread = Thread { EventLoop(mailbox: mailbox, configuration: configuration).run() }
        thread.name = "Transport"
        thread.start()
    }

    deinit {
        mailbox.post(.stop)
    }

    /// Starts a transfer; returns at once and may be called from any thread.
    ///
    /// The delegate is kept until it was told the end, which it is exactly once.
    public func start(_ request: TransferRequest, delegate: any TransferDelegate) -> Transfer {
        let identifier = lastIdentifier.add(1, ordering: .relaxed).newValue
        mailbox.post(.start(identifier, request, delegate))
        return Transfer(identifier: identifier, mailbox: mailbox)
    }

    /// Done once in a process, before the first handle.
    private static let initialiseLibrary: Void = {
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    }()
}

/// A transfer that was started.
public struct Transfer: Sendable {
    let identifier: UInt64
    let mailbox: Mailbox

    /// Ends the transfer with ``TransportError/Reason/cancelled`` unless it has ended; from any thread.
    public func cancel() {
        mailbox.post(.cancel(identifier))
    }
}

/// Is told what happens to a transfer, on the transport's event thread: nothing here may block.
public protocol TransferDelegate: AnyObject, Sendable {
    /// The head of the final response has come (of FTP: the first bytes have); called at most once.
    func transferDidReceive(_ head: ResponseHead) -> BodyHandling
    /// The next bytes of the body have come; called in their order, after the head.
    func transferDidReceive(_ chunk: Data)
    /// No byte has come for ``TransportConfiguration/stallTime``, if the transfer did not wait for its bandwidth; called at
    /// most once. It goes on, and may still end well.
    func transferDidStall()
    /// The transfer has ended, well if `error` is nil; called exactly once, and nothing after it.
    func transferDidEnd(_ metrics: TransferMetrics, error: TransportError?)
}

extension TransferDelegate {
    /// Does nothing.
    public func transferDidStall() {}
}

/// What to do with the body of a response whose head has come.
public enum BodyHandling: Sendable {
    /// Deliver it.
    case deliver
    /// Deliver none of it.
    ///
    /// A short rest is read, so that the connection can be used again; a longer or slow one is cut. Neither
    /// is an error.
    case discard
}

/// Settings of a ``Transport`` that hold for all its transfers.
public struct TransportConfiguration: Sendable {
    /// Where to get a proxy from.
    public enum Proxy: Sendable, Equatable {
        /// No proxy, whatever the environment says.
        case none
        /// `http_proxy`, `https_proxy`, `no_proxy` and their kin.
        case environment
        /// The proxy at this URL. Only its own address can then be checked.
        case url(String)
    }

    /// The addresses that may be connected to.
    public var addressPolicy: AddressPolicy = .any
    /// The schemes that may be used, of `http`, `https` and `ftp`.
    public var schemes: Set<String> = ["http", "https"]
    /// The proxy.
    public var proxy: Proxy = .none
    /// A PEM file with the certificate authorities to trust instead of the system's.
    public var certificateAuthorities: String?
    /// How long no byte may come before the delegate is told; it is told up to half as much later.
    public var stallTime: Duration = .seconds(2)
    /// How many idle connections are kept at most.
    public var idleConnections = 128

    /// The defaults: every address, HTTP and HTTPS, no proxy.
    public init() {}
}
