import CTransport
import Files
public import Foundation
import Synchronization

/// Transfers over HTTP and HTTPS (and FTP if enabled) with libcurl's multi interface, on one thread of its own.
///
/// Connections are reused, and HTTP/2 is used if a TLS server offers it. Redirects are not followed, and no content
/// encoding is requested or removed: a response is exactly what the server sent. Cookies and the environment's proxies
/// are not used, and `.netrc` only if a request says so. Releasing the last reference cancels all transfers.
public final class Transport: Sendable {
    private let mailbox: Mailbox
    private let lastIdentifier = Atomic<UInt64>(0)

    /// Starts the event thread.
    ///
    /// If the system has no room for it, every transfer fails with the reason ``TransportError/Reason/local(errno:)``.
    public init(configuration: TransportConfiguration = TransportConfiguration()) {
        let mailbox = Mailbox()
        self.mailbox = mailbox
        if let problem = Self.libraryProblem {
            mailbox.refuse(problem)
            return
        }
        do throws(FileError) {
            try SystemThread.start("transport") {
                do throws(TransportError) {
                    try EventLoop(mailbox: mailbox, configuration: configuration).run()
                } catch {
                    mailbox.refuse(error)
                }
            }
        } catch {
            mailbox.refuse(TransportError(.local(errno: error.code), error.description))
        }
    }

    deinit {
        mailbox.post(.stop)
    }

    /// Starts a transfer and returns at once.
    ///
    /// May be called from any thread.
    ///
    /// The delegate is retained until it has received the end, exactly once.
    public func start(_ request: TransferRequest, delegate: any TransferDelegate) -> Transfer {
        let identifier = lastIdentifier.add(1, ordering: .relaxed).newValue
        mailbox.post(.start(identifier, request, delegate))
        return Transfer(identifier: identifier, mailbox: mailbox)
    }

    /// Loads and initializes libcurl once per process, before the first handle; the reason if that failed.
    static let libraryProblem: TransportError? = {
        if let problem = nb_curl_load() {
            return TransportError(
                .local(errno: ENOENT),
                "libcurl cannot be loaded: \(String(cString: problem)): install libcurl4 (Debian) or libcurl"
            )
        }
        _ = CryptoLibrary.keepsDataAtExit
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        return nil
    }()
}

/// A started transfer.
public struct Transfer: Sendable {
    let identifier: UInt64
    let mailbox: Mailbox

    /// Ends the transfer with ``TransportError/Reason/cancelled`` if it is still running.
    ///
    /// May be called from any thread.
    public func cancel() {
        mailbox.post(.cancel(identifier))
    }
}

/// Receives the events of a transfer on the transport's event thread.
///
/// Methods must not block.
public protocol TransferDelegate: AnyObject, Sendable {
    /// Receives the head of the final response (for FTP: at the first bytes). Called at most once.
    func transferDidReceive(_ head: ResponseHead) -> BodyHandling
    /// Receives the next bytes of the body, in order, after the head.
    func transferDidReceive(_ chunk: Data)
    /// Reports that no byte has arrived for ``TransportConfiguration/stallTime`` while the transfer was not waiting for
    /// its bandwidth limit. Called at most once. The transfer continues and may still succeed.
    func transferDidStall()
    /// Reports the end of the transfer, which succeeded if `error` is nil. Called exactly once, as the last method.
    func transferDidEnd(_ metrics: TransferMetrics, error: TransportError?)
}

extension TransferDelegate {
    /// Does nothing.
    public func transferDidStall() {}
}

/// The treatment of a response body, decided when the head arrives.
public enum BodyHandling: Sendable {
    /// Deliver the body.
    case deliver
    /// Deliver nothing.
    ///
    /// A short rest is read, so that the connection can be reused; a longer or slow one is cut off. Neither is an
    /// error.
    case discard
}

/// Settings that apply to all transfers of a ``Transport``.
public struct TransportConfiguration: Sendable {
    /// The source of the proxy setting.
    public enum Proxy: Sendable, Equatable {
        /// No proxy, whatever the environment says.
        case none
        /// `http_proxy`, `https_proxy`, `no_proxy` and their variants.
        case environment
        /// The proxy at this URL. The address policy can then only check the proxy's own address.
        case url(String)
    }

    /// The addresses that connections may use.
    public var addressPolicy: AddressPolicy = .any
    /// The allowed schemes, from `http`, `https` and `ftp`.
    public var schemes: Set<String> = ["http", "https"]
    /// The proxy.
    public var proxy: Proxy = .none
    /// A PEM file of trusted certificate authorities; nil for that of `CURL_CA_BUNDLE` or `SSL_CERT_FILE`, or the system's.
    public var certificateAuthorities: String?
    /// The time without a byte after which the delegate is told; it may be told up to half as much later.
    public var stallTime: Duration = .seconds(2)
    /// The name servers to ask, such as `127.0.0.1:5353`; nil for the system's.
    package var nameServers: String?
    /// The most idle connections to keep; fewer if the limit of open descriptors is low.
    public var idleConnections = 128

    /// The defaults: every address, HTTP and HTTPS, no proxy.
    public init() {}
}

extension Transport {
    /// The version of the libcurl in use, such as `libcurl 7.88.1`.
    public static var libraryVersion: String {
        guard libraryProblem == nil, let version = curl_version_info(CURLVERSION_FIRST)?.pointee.version
        else { return "libcurl" }
        return "libcurl \(String(cString: version))"
    }
}
