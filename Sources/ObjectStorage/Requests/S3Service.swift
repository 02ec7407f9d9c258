import Foundation
import Synchronization
public import Transport

/// The requests to one object store: their addresses and signatures, and what its answers teach about both.
///
/// It may be used from any thread.
public final class S3Service: Sendable {
    private struct Lessons {
        /// The region of each bucket that is not in the configured one.
        var regions: [String: String] = [:]
        /// The seconds by which the service's clock is ahead of the local one.
        var clockOffset: TimeInterval = 0
    }

    /// The service's address and region.
    public let configuration: S3Configuration
    /// The transfers; those of no other requests, since the endpoint's address need not be public.
    public let transport: Transport
    private let credentials: RenewedCredentials?
    private let lessons = Mutex(Lessons())

    /// The difference of clocks from which on a refusal is taken to be about the time: services allow 15 minutes.
    private static let leastSkew: TimeInterval = 240

    /// Creates the requests to a service.
    /// - Parameters:
    ///   - configuration: The service's address and region.
    ///   - credentials: The source of the credentials; not used for anonymous requests.
    ///   - transport: The settings of the transfers. Their address policy applies to AWS; an endpoint of its own may have any address
    ///     but those at which clouds serve credentials (``AddressPolicy/anyService``).
    public init(
        _ configuration: S3Configuration,
        credentials: any CredentialProviding,
        transport: TransportConfiguration = TransportConfiguration()
    ) {
        self.configuration = configuration
        self.credentials = configuration.isAnonymous ? nil : RenewedCredentials(credentials)
        var transport = transport
        if configuration.endpoint != nil { transport.addressPolicy = .anyService }
        transport.schemes = ["http", "https"]
        self.transport = Transport(configuration: transport)
    }

    /// Returns a request with its address, ready to be signed and sent.
    /// - Throws: ``CredentialError`` if there are no credentials, or they cannot be renewed.
    public func transferRequest(_ request: S3Request) async throws(CredentialError) -> TransferRequest {
        let (region, offset) = lessons.withLock {
            ($0.regions[request.location.bucket] ?? configuration.firstRegion, $0.clockOffset)
        }
        let address = configuration.address(of: request.location, region: region)
        var transfer = TransferRequest(
            url: address.url + request.queryText,
            host: address.host,
            method: request.method,
            headers: request.headers
        )
        transfer.body = request.body
        if configuration.paysForRequests {
            transfer.headers.append(.init("x-amz-request-payer", "requester"))
        }
        guard let credentials else { return transfer }
        let current = try await credentials.current()
        var signature = AWSSignature(current, region: region, service: "s3", clockOffset: offset)
        signature.bodySHA256 = request.bodySHA256
        transfer.authentication = .awsSigV4(signature)
        return transfer
    }

    /// Returns the URL of a GET that anybody can send for `seconds`; where requests are anonymous, for ever.
    /// - Throws: ``CredentialError`` as ``transferRequest(_:)``.
    public func presignedURL(of request: S3Request, seconds: Int) async throws(CredentialError) -> String {
        let transfer = try await transferRequest(request)
        guard case .awsSigV4(let signature) = transfer.authentication else { return transfer.url }
        return signature.presigned(request.method, transfer.url, seconds: seconds)
    }

    /// Learns from a refusal of `sent`, and returns true if the request may now succeed.
    ///
    /// It learns the bucket's region, the service's clock, and that the credentials have ended. Send a request again only
    /// once for each of them.
    public func learns(from error: S3Error, _ head: ResponseHead, of sent: TransferRequest, to bucket: String)
        -> Bool
    {
        guard case .awsSigV4(let signature) = sent.authentication else {
            return learnsRegion(from: error, of: nil, bucket)
        }
        if learnsRegion(from: error, of: signature.region, bucket) { return true }
        guard [400, 401, 403].contains(error.status) else { return false }
        if learnsClock(from: error, head, signature) { return true }
        guard error.isAboutExpiredCredentials else { return false }
        return credentials?.end(signature.credentials) ?? false
    }

    private func learnsRegion(from error: S3Error, of used: String?, _ bucket: String) -> Bool {
        guard [301, 307, 400, 403].contains(error.status), let region = error.region,
            S3Configuration.isLabel(region, longest: 64)
        else { return false }
        return lessons.withLock { lessons in
            let known = lessons.regions[bucket] ?? configuration.firstRegion
            lessons.regions[bucket] = region
            return (used ?? known) != region
        }
    }

    /// Answers to HEAD have no document, so the time of the answer decides.
    private func learnsClock(from error: S3Error, _ head: ResponseHead, _ signature: AWSSignature) -> Bool {
        guard error.isAboutClock || error.code.isEmpty,
            let date = head.value(of: "Date").flatMap({ HTTPDate.date($0) })
        else { return false }
        let offset = date.timeIntervalSinceNow
        guard abs(offset - signature.clockOffset) > Self.leastSkew else { return false }
        lessons.withLock { $0.clockOffset = offset }
        return true
    }
}
