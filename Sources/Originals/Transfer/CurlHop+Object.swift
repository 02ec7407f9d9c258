import Foundation
import ObjectStorage
import Transport

/// Requests for objects in an object store, whose addresses and signatures are made when they are sent.
extension CurlDataLoader {
    /// Returns the object that a URL names; nil for URLs of other schemes.
    /// - Throws: ``DataLoadingError`` if the loader has no object storage, or the URL names no object.
    func object(of url: URL) throws(DataLoadingError) -> ObjectLocation? {
        guard url.scheme?.lowercased() == "s3" else { return nil }
        guard configuration.objectStorage != nil else {
            throw DataLoadingError(.scheme, url: url, "no object storage is set up for s3: URLs")
        }
        guard let object = ObjectLocation(url: url), !object.key.isEmpty else {
            throw DataLoadingError(.badURL, url: url, "the URL names no object: write s3://bucket/key")
        }
        return object
    }

    /// Returns the request for the transport of the object storage.
    ///
    /// A conditional request for a part is made of `If-Match` instead of `If-Range`, which object stores do not know.
    /// - Throws: ``DataLoadingError`` without credentials, and as ``transferRequest(_:)``.
    func objectRequest(_ object: ObjectLocation, _ hop: CurlHop) async throws -> TransferRequest {
        guard let service = configuration.objectStorage else {
            throw DataLoadingError(.scheme, url: hop.url, "no object storage is set up for s3: URLs")
        }
        var headers = hop.headers.map { header in
            guard header.isNamed("If-Range") else { return header }
            return TransferRequest.Header(
                header.value.hasPrefix("\"") ? "If-Match" : "If-Unmodified-Since",
                header.value
            )
        }
        if hop.method == "GET" { headers.append(.init("x-amz-checksum-mode", "ENABLED")) }
        let version = URLComponents(url: hop.url, resolvingAgainstBaseURL: false)?.queryItems?
            .first { $0.name == "versionId" }?.value
        let query = version.map { [(name: "versionId", value: $0 as String?)] } ?? []
        let request = S3Request(hop.method, object, query: query, headers: headers, body: hop.body)
        var transfer: TransferRequest
        do throws(CredentialError) { transfer = try await service.transferRequest(request) } catch {
            throw DataLoadingError(.local, url: hop.url, error.description)
        }
        transfer.clientCertificate = hop.clientCertificate
        try setLimits(of: &transfer, hop)
        return transfer
    }

    /// Returns a failure, with its remedy if the endpoint of an object store is to blame.
    func explained(_ failure: TransportError, of hop: CurlHop) -> TransportError {
        guard hop.object != nil,
            let remedy = failure.remedy(at: configuration.objectStorage?.configuration.endpoint)
        else { return failure }
        return TransportError(
            failure.reason,
            "\(failure.message); \(remedy)",
            isTransient: failure.isTransient
        )
    }

    /// Returns the request to send after `error`, which refused `sent`; nil if it would be refused again.
    func hop(after hop: CurlHop, refused sent: TransferRequest, by error: S3Error, _ result: HopResult)
        -> CurlHop?
    {
        guard let object = hop.object, let service = configuration.objectStorage, hop.repeats < 4 else {
            return nil
        }
        if error.status == 412, hop.headers.contains(where: { $0.isNamed("If-Range") }) {
            // The object has changed since its beginning was loaded.
            return hop.resent(after: result.metrics.total) { whole in
                whole.headers.removeAll { $0.isNamed("If-Range") || $0.isNamed("Range") }
            }
        }
        guard service.learns(from: error, result.head, of: sent, to: object.bucket) else { return nil }
        return hop.resent(after: result.metrics.total)
    }
}

extension DataLoadingError {
    /// Creates the error of an object store's refusal.
    ///
    /// Credentials that the store does not accept are a local problem: no item is to blame, and all would fail.
    init(_ error: S3Error, _ result: HopResult, url: URL) {
        if error.isAboutCredentials {
            self.init(.local, url: url, error.description)
        } else {
            self = result.statusError(url: url, error.description)
        }
    }
}
