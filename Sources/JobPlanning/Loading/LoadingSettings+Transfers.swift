import Foundation
package import JobManifest
package import Originals
import Transport

extension CurlDataLoader.Configuration {
    /// The settings of a manifest.
    /// - Throws: `RunError.wrongInput` for an invalid address.
    init(
        _ manifest: Manifest,
        rateLimiter: HostRateLimiter,
        observer: @escaping @Sendable (TransferRecord) -> Void
    ) throws(RunError) {
        self.init()
        self.rateLimiter = rateLimiter
        self.observer = observer
        schemes = manifest.network.schemes.intersection(["http", "https", "ftp"])
        objectStorage = try manifest.objectStorage()
        proxy = TransportConfiguration.Proxy(manifest.network.proxy)
        userAgent = "nuke-batch/\(Version.current)"
        limits = CurlDataLoader.Limits(manifest.loading)
        hosts = manifest.loading.hosts.mapValues { CurlDataLoader.Limits($0) }
        do {
            addressPolicy = try AddressPolicy(allow: manifest.network.allow)
        } catch {
            throw .wrongInput("network.allow: \(error)")
        }
    }
}

extension HostRateLimiter.Limits {
    /// The limits of a manifest's settings.
    package init(_ settings: LoadingSettings) {
        self.init(rate: settings.rate.perSecond, burst: settings.burst, concurrency: settings.perHost)
    }
}

extension CurlDataLoader.Limits {
    fileprivate init(_ settings: LoadingSettings) {
        self.init()
        connectTimeout = settings.connectTimeout
        timeout = settings.timeout
        totalTimeout = settings.totalTimeout
        maxRedirects = settings.maxRedirects
        maxBytes = settings.maxBytes
        headers = settings.headers
        if let userAgent = settings.userAgent,
            !headers.keys.contains(where: { $0.lowercased() == "user-agent" })
        {
            headers["User-Agent"] = userAgent
        }
        bandwidth = settings.bandwidth
        switch settings.authorization {
        case .bearer(let token): headers["Authorization"] = "Bearer \(token)"
        case .basic(let user, let password):
            headers["Authorization"] = "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        case .netrc: authentication = .netrc()
        case .awsSigV4(let keys):
            authentication = .awsSigV4(
                AWSSignature(
                    AWSCredentials(
                        accessKey: keys.accessKey,
                        secretKey: keys.secretKey,
                        sessionToken: keys.sessionToken
                    ),
                    region: keys.region,
                    service: keys.service
                )
            )
        case nil: break
        }
    }
}
