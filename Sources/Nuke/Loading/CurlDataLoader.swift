public import Foundation
public import FoundationNetworking
import Synchronization
public import Transport

/// Loads over libcurl: the fast loader, with limits on time, bytes, redirects, addresses and each host's rate.
///
/// It speaks HTTP and HTTPS; FTP, and `file:` and `data:` URLs, where their schemes are added. Its errors are
/// ``DataLoadingError``, and `CancellationError` for a load that was cancelled. Chunks and ends are told on the
/// one thread that carries all transfers of the loader: who takes long over them, or waits there for another
/// load, holds them all up.
public final class CurlDataLoader: DataLoading {
    /// What may differ from host to host.
    public struct Limits: Sendable {
        /// Until the connection stands, TLS included.
        public var connectTimeout: Duration = .seconds(10)
        /// Without a byte, once it stands; a `timeoutInterval` of the request other than 60 goes before it.
        public var timeout: Duration = .seconds(60)
        /// For the transfers of one load together; waiting for a turn does not count.
        public var totalTimeout: Duration = .seconds(600)
        /// How many redirects are followed.
        public var maxRedirects = 5
        /// The most bytes that a body may have; nil for no limit.
        public var maxBytes: Int?
        /// The bytes a second of all transfers together, of one host where set for it; nil for no limit.
        ///
        /// What is set for one host holds within what is set for all.
        public var bandwidth: Int?
        /// Header fields for every request; the request's own go before them.
        public var headers: [String: String] = [:]
        /// How the client says who it is, unless the request has a header field `Authorization`.
        ///
        /// No redirect carries it to another origin; one that is set in ``Configuration/hosts`` is used for
        /// each request to that host.
        public var authentication: Authentication?
        /// What is shown to a TLS server that asks for a certificate; it stays with its origin as well.
        public var clientCertificate: ClientCertificate?

        /// The defaults.
        public init() {}
    }

    /// The settings of a loader.
    public struct Configuration: Sendable {
        /// Where each request waits for its host's turn; nil lets all through.
        public var gate: HostGate?
        /// The addresses that may be connected to.
        public var addressPolicy: AddressPolicy = .any
        /// The schemes that may be used: of `http`, `https`, `ftp`, `file` and `data`.
        ///
        /// No redirect leads to one of the last two, which are of this machine.
        public var schemes: Set<String> = ["http", "https"]
        /// The proxy.
        public var proxy: TransportConfiguration.Proxy = .none
        /// A PEM file with the certificate authorities to trust instead of the system's.
        public var certificateAuthorities: String?
        /// The value of `User-Agent`, unless header fields say another.
        public var userAgent = "Nuke"
        /// The limits.
        public var limits = Limits()
        /// Other limits for some hosts, by ``HostGate/host(of:)`` or the bare name.
        public var hosts: [String: Limits] = [:]
        /// Is told of every transfer when it has ended, on the event thread; for a log of the network.
        public var observer: (@Sendable (TransferRecord) -> Void)?

        /// The defaults: no gate, every address, HTTP and HTTPS.
        public init() {}

        /// The limits of the host of `url`.
        func limits(for url: URL) -> Limits {
            ownLimits(for: url) ?? limits
        }

        /// The limits that were set for the host of `url` alone.
        func ownLimits(for url: URL) -> Limits? {
            guard !hosts.isEmpty else { return nil }
            return hosts[HostGate.host(of: url)] ?? hosts[url.host?.lowercased() ?? ""]
        }
    }

    /// The settings.
    public let configuration: Configuration
    let transport: Transport
    /// The bounds on bytes a second: of all transfers, and of hosts with one of their own.
    private let bandwidth: Bandwidth?
    private let bandwidths: [String: Bandwidth]
    /// Of a request that brings none itself.
    let headersWithoutOwn: [TransferRequest.Header]
    /// Reads files and `data:` URLs; nil where neither is allowed.
    private let reading: WorkQueue?

    /// A loader with connections of its own.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        headersWithoutOwn = Self.headers([:], configuration, configuration.limits)
        bandwidth = configuration.limits.bandwidth.map { Bandwidth(bytesPerSecond: $0) }
        bandwidths = configuration.hosts.compactMapValues { limits in
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

    /// The bounds on bytes a second for a transfer from the host of `url`.
    func bandwidths(for url: URL) -> [Bandwidth] {
        guard bandwidth != nil || !bandwidths.isEmpty else { return [] }
        let own = bandwidths[HostGate.host(of: url)] ?? bandwidths[url.host?.lowercased() ?? ""]
        return [bandwidth, own].compactMap(\.self)
    }

    /// Starts loading.
    public func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any Cancellable {
        start(request, priority: .normal, slots: nil, prepare: nil, didReceiveData, completion)
    }

    private func start(
        _ request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue?,
        prepare: RequestPreparation?,
        _ receive: @escaping CurlLoad.Receive,
        _ completion: @escaping CurlLoad.Completion
    ) -> any PrioritizedCancellable {
        if let reading, let resource = local(request.url?.absoluteURL) {
            let load = LocalLoad(resource, limit: configuration.limits.maxBytes)
            load.start(in: slots.map { WorkQueue($0) } ?? reading, priority: priority, receive, completion)
            return load
        }
        let load = CurlLoad(loader: self, priority: priority, slots: slots, receive, completion)
        load.start(request, prepare)
        return load
    }

    /// What needs no network, where its scheme is allowed.
    private func local(_ url: URL?) -> LocalResource? {
        guard let url, configuration.schemes.contains(url.scheme?.lowercased() ?? "") else { return nil }
        return LocalResource(url)
    }
}

extension CurlDataLoader: SlottedDataLoading {
    package func loadData(
        with request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue,
        prepare: RequestPreparation?,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any PrioritizedCancellable {
        start(request, priority: priority, slots: slots, prepare: prepare, didReceiveData, completion)
    }
}
