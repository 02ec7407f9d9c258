import Files
package import Foundation
package import FoundationNetworking
public import ObjectStorage
public import Transport

/// The fast loader, on top of libcurl, with limits on time, bytes, redirects, addresses and each host's rate.
///
/// It supports HTTP and HTTPS, and FTP, `file:` and `data:` URLs if their schemes are added. Its errors are
/// ``DataLoadingError``. Chunks and ends are delivered on the
/// one thread that runs all transfers of the loader: a consumer that takes long, or waits there for another
/// load, delays all of them.
public final class CurlDataLoader: Sendable {
    /// The limits that may differ from host to host.
    public struct Limits: Sendable {
        /// The time limit for connecting, TLS included.
        public var connectTimeout: Duration = .seconds(10)
        /// The time limit without a byte on a connection; a request's `timeoutInterval` other than 60 overrides it.
        public var timeout: Duration = .seconds(60)
        /// The time limit for all transfers of one load; waiting for the rate limiter and a slot does not count.
        public var totalTimeout: Duration = .seconds(600)
        /// The number of redirects that are followed.
        public var maxRedirects = 5
        /// The most bytes that a body may have; nil for no limit.
        public var maxBytes: Int?
        /// The bytes a second of all transfers together, or of one host if set for it; nil for no limit.
        ///
        /// A limit for one host applies within the limit for all.
        public var bandwidth: Int?
        /// The header fields for every request; the request's own override them.
        public var headers: [String: String] = [:]
        /// The client's credentials, unless the request has a header field `Authorization`.
        ///
        /// A redirect to another origin drops them; those set in ``Configuration/hosts`` are used for
        /// each request to that host.
        public var authentication: Authentication?
        /// The certificate for TLS servers that ask for one; it is not sent to another origin either.
        public var clientCertificate: ClientCertificate?

        /// Creates the defaults.
        public init() {}
    }

    /// The settings of a loader.
    public struct Configuration: Sendable {
        /// The rate limiter that each request waits for; nil for none.
        public var rateLimiter: HostRateLimiter?
        /// The addresses that may be connected to.
        public var addressPolicy: AddressPolicy = .any
        /// The schemes that may be used: of `http`, `https`, `ftp`, `file` and `data`.
        ///
        /// Redirects to the last two, which are local, are refused.
        public var schemes: Set<String> = ["http", "https"]
        /// The object store that `s3:` URLs name objects in; nil refuses them.
        ///
        /// Keys are percent-encoded in such a URL, and `?versionId=` may follow. Each bucket is a host of the rate limiter.
        public var objectStorage: S3Service?
        /// The proxy.
        public var proxy: TransportConfiguration.Proxy = .none
        /// A PEM file with the certificate authorities to trust; nil for that of `CURL_CA_BUNDLE` or `SSL_CERT_FILE` in the
        /// environment, or the system's.
        public var certificateAuthorities: String?
        /// The value of `User-Agent`, unless a header field overrides it.
        public var userAgent = "Nuke"
        /// The limits.
        public var limits = Limits()
        /// Other limits for some hosts, by ``HostRateLimiter/host(of:)`` or the bare name, in any spelling.
        public var hosts: [String: Limits] = [:]
        /// Receives the record of each transfer after its end, on the event thread; for a network log.
        public var observer: (@Sendable (TransferRecord) -> Void)?

        /// Creates the defaults: no rate limiter, every address, HTTP and HTTPS.
        public init() {}
    }

    /// The settings.
    public let configuration: Configuration
    let transport: Transport
    /// The limits of hosts, by their names in one spelling.
    let hosts: [String: Limits]
    /// The bounds on bytes a second: of all transfers, and of hosts with one of their own.
    let bandwidth: Bandwidth?
    let bandwidths: [String: Bandwidth]
    /// The header fields of a request without its own.
    let headersWithoutOwn: [TransferRequest.Header]
    /// The queue for reading files and `data:` URLs; nil if neither is allowed.
    private let reading: WorkQueue?

    /// Creates a loader with its own connections.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        headersWithoutOwn = Self.headers([:], configuration, limits: configuration.limits)
        bandwidth = configuration.limits.bandwidth.map { Bandwidth(bytesPerSecond: $0) }
        hosts = Dictionary(configuration.hosts.map { (HostName.comparablePlace($0.key), $0.value) }) { $1 }
        bandwidths = hosts.compactMapValues { limits in
            limits.bandwidth.map { Bandwidth(bytesPerSecond: $0) }
        }
        var transport = TransportConfiguration()
        transport.addressPolicy = configuration.addressPolicy
        transport.schemes = configuration.schemes.intersection(["http", "https", "ftp"])
        transport.proxy = configuration.proxy
        transport.certificateAuthorities = configuration.certificateAuthorities
        self.transport = Transport(configuration: transport)
        let isLocal = !configuration.schemes.isDisjoint(with: ["file", "data"])
        reading = isLocal ? WorkQueue(name: "CurlDataLoader", width: 2) : nil
    }

    /// Starts a load that takes no slots.
    package func start(_ request: URLRequest, into sink: LoadSink) -> any PrioritizedCancellable {
        start(request, priority: .normal, slots: nil, prepare: nil, into: sink)
    }

    private func start(
        _ request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue?,
        prepare: RequestPreparation?,
        into sink: LoadSink
    ) -> any PrioritizedCancellable {
        if let reading, let resource = local(request.url?.absoluteURL) {
            return LocalLoad(
                resource,
                limit: configuration.limits.maxBytes,
                in: slots.map { WorkQueue($0) } ?? reading,
                priority: priority,
                into: sink
            )
        }
        let load = CurlLoad(loader: self, priority: priority, slots: slots, sink: sink)
        load.start(request, prepare)
        return load
    }

    /// Returns the resource of a URL that needs no network, if its scheme is allowed.
    private func local(_ url: URL?) -> LocalResource? {
        guard let url, configuration.schemes.contains(url.scheme?.lowercased() ?? "") else { return nil }
        return LocalResource(url)
    }
}

extension CurlDataLoader: OriginalLoading {
    package var hasRateLimiter: Bool { configuration.rateLimiter != nil }

    package func load(
        _ request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue,
        prepare: RequestPreparation?,
        into sink: LoadSink
    ) -> any PrioritizedCancellable {
        start(request, priority: priority, slots: slots, prepare: prepare, into: sink)
    }
}
