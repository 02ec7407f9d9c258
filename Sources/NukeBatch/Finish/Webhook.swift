import Foundation
public import JobManifest
import JobPlanning
import Synchronization
import Transport

/// An address that gets the summary of each run by POST (`--webhook`).
public struct Webhook: Sendable {
    /// The address of a webhook.
    public struct Address: Sendable, Equatable {
        let url: String
        let host: String
        let user: String?
        let password: String?
        /// The scheme and the host: anything after them may be a secret.
        let shown: String

        /// Reads an absolute `http` or `https` URL; nil for any other text.
        public init?(_ text: String) {
            guard let written = URL(encoded: text),
                var parts = URLComponents(url: written, resolvingAgainstBaseURL: false),
                let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme),
                let host = parts.encodedHost?.lowercased(), !host.isEmpty
            else { return nil }
            (user, password) = (parts.user, parts.password)
            (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
            guard let url = parts.string else { return nil }
            self.url = url
            self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
            shown = "\(scheme)://\(host)\(parts.port.map { ":\($0)" } ?? "")/…"
        }
    }

    /// The time limit of each request.
    private static let timeout = Duration.seconds(10)
    /// The number of requests, the first included.
    private static let attempts = 3

    private let address: Address
    private let network: NetworkSettings
    private let pause: Duration

    /// Creates a webhook that reaches public addresses and those that `network` allows.
    ///
    /// A temporary failure is tried again twice, each time after `pause`.
    public init(_ address: Address, network: NetworkSettings, pause: Duration = .seconds(1)) {
        self.address = address
        self.network = network
        self.pause = pause
    }

    /// Sends the summary; takes at most half a minute and the pauses.
    /// - Returns: A warning if it was not accepted; nil if it was.
    public func send(_ summary: FinishSummary) async -> String? {
        var configuration = TransportConfiguration()
        configuration.proxy = TransportConfiguration.Proxy(network.proxy)
        do {
            configuration.addressPolicy = try AddressPolicy(allow: network.allow)
        } catch {
            return warning("network.allow: \(error)")
        }
        if let error = configuration.addressPolicy.refusal(of: address.host) {
            return warning(Self.sentence(of: error))
        }
        let transport = Transport(configuration: configuration)
        var failure: Failure?
        for attempt in 1...Self.attempts {
            failure = await post(summary, with: transport)
            guard let failure else { return nil }
            guard failure.isTemporary, attempt < Self.attempts else { break }
            try? await Task.sleep(for: pause)
        }
        return failure.map { warning($0.sentence) }
    }

    private struct Failure {
        let sentence: String
        let isTemporary: Bool
    }

    private func post(_ summary: FinishSummary, with transport: Transport) async -> Failure? {
        var request = TransferRequest(
            url: address.url,
            host: address.host,
            method: "POST",
            headers: [
                .init("Content-Type", "application/json"),
                .init("User-Agent", "nuke-batch/\(Version.current)"),
            ],
            body: summary.line
        )
        (request.connectTimeout, request.idleTimeout) = (Self.timeout, Self.timeout)
        request.totalTimeout = Self.timeout
        if let user = address.user {
            request.authentication = .basic(user: user, password: address.password ?? "")
        }
        let (head, error) = await withCheckedContinuation { continuation in
            _ = transport.start(request, delegate: Answer { continuation.resume(returning: ($0, $1)) })
        }
        if let error { return Failure(sentence: Self.sentence(of: error), isTemporary: error.isTransient) }
        guard let head, !head.isSuccess else { return nil }
        let status = head.status
        let remedy = (300..<400).contains(status) ? "; redirects are not followed: use the final URL" : ""
        return Failure(
            sentence: "the server answered with status \(status)\(remedy)",
            isTemporary: status >= 500 || [408, 425, 429].contains(status)
        )
    }

    private static func sentence(of error: TransportError) -> String {
        error.refusedAddress?.manifestMessage ?? error.message
    }

    private func warning(_ sentence: String) -> String {
        "the webhook \(address.shown) did not get the summary: \(sentence)"
    }
}

/// Receives the head of a response and discards its body.
private final class Answer: TransferDelegate {
    private let head = Mutex<ResponseHead?>(nil)
    private let end: @Sendable (ResponseHead?, TransportError?) -> Void

    init(end: @escaping @Sendable (ResponseHead?, TransportError?) -> Void) {
        self.end = end
    }

    func transferDidReceive(_ head: ResponseHead) -> BodyHandling {
        self.head.withLock { $0 = head }
        return .discard
    }

    func transferDidReceive(_ chunk: Data) {}

    func transferDidEnd(_ metrics: TransferMetrics, error: TransportError?) {
        end(head.withLock { $0 }, error)
    }
}
