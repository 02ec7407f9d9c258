import Foundation
package import JobManifest
package import ObjectStorage
package import Transport

extension Manifest {
    /// Returns the requests to the object store of the manifest's settings and the environment; nil if `s3:` is not allowed.
    ///
    /// Nothing is sent, and no credentials are searched, before the first request.
    /// - Throws: `RunError.wrongInput` for an endpoint that is no address, or a region that is no name.
    package func objectStorage() throws(RunError) -> S3Service? {
        guard network.schemes.contains("s3") || destination.bucket != nil else { return nil }
        return try storageService()
    }

    /// Returns the requests to the object store, whatever the items may use.
    /// - Throws: `RunError.wrongInput` for an endpoint that is no address, or a region that is no name.
    package func storageService() throws(RunError) -> S3Service {
        let environment = ProcessInfo.processInfo.environment
        let settings = storage.s3
        do throws(S3ConfigurationError) {
            var configuration = try S3Configuration(
                endpoint: settings.endpoint,
                region: settings.region,
                usesPathStyle: settings.usesPathStyle,
                environment: environment
            )
            configuration.isAnonymous = settings.isAnonymous
            configuration.paysForRequests = settings.paysForRequests
            var transport = TransportConfiguration()
            transport.proxy = TransportConfiguration.Proxy(network.proxy)
            transport.addressPolicy = (try? AddressPolicy(allow: network.allow)) ?? .publicOnly
            return S3Service(
                configuration,
                credentials: CredentialChain(environment: environment, region: configuration.region),
                transport: transport
            )
        } catch {
            throw .wrongInput("storage.s3.\(error.setting): \(error)")
        }
    }
}

extension TransportConfiguration.Proxy {
    /// The proxy that a manifest chooses.
    package init(_ proxy: NetworkSettings.Proxy) {
        self =
            switch proxy {
            case .none: .none
            case .environment: .environment
            case .url(let url): .url(url)
            }
    }
}
