import Foundation
import Transport

/// The service that holds the buckets: its address, its region, and the forms of its requests.
public struct S3Configuration: Sendable, Hashable {
    /// The address of a service other than AWS, such as `https://minio.example.com:9000`; nil for AWS itself.
    public var endpoint: String?
    /// The region that requests are signed for; nil to learn that of each bucket from the service.
    public var region: String?
    /// True to send the bucket in the path, false to send it in the host's name; nil for the usual form.
    ///
    /// AWS gets it in the host's name, unless the bucket has dots, which its certificates do not cover; a service of another
    /// address gets it in the path.
    public var usesPathStyle: Bool?
    /// True to send no signature, for public buckets.
    public var isAnonymous = false
    /// True to agree to pay for requests to buckets of others (Amazon S3 User Guide, "Requester Pays buckets").
    public var paysForRequests = false

    /// Creates a configuration from settings, and from the environment where they leave something out.
    ///
    /// The variables are `AWS_ENDPOINT_URL_S3` and `AWS_ENDPOINT_URL`, `AWS_REGION` and `AWS_DEFAULT_REGION`. Without them, the
    /// settings `endpoint_url` and `region` of the profile count (AWS SDKs and Tools Reference Guide, "Shared config and
    /// credentials files").
    /// - Throws: ``S3ConfigurationError`` for an endpoint that is no address of HTTP.
    public init(
        endpoint: String? = nil,
        region: String? = nil,
        usesPathStyle: Bool? = nil,
        environment: [String: String] = [:]
    ) throws(S3ConfigurationError) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let profile = environment.isEmpty ? [:] : SharedFiles(environment).settings
        func setting(_ name: String) -> String? { profile[name].flatMap { $0.isEmpty ? nil : $0 } }
        let written = endpoint ?? value("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") ?? setting("endpoint_url")
        self.region = region ?? value("AWS_REGION", "AWS_DEFAULT_REGION") ?? setting("region")
        self.usesPathStyle = usesPathStyle
        self.endpoint = try written.map { text throws(S3ConfigurationError) in try Self.checked(text) }
    }

    /// Returns an endpoint without a slash at its end.
    private static func checked(_ text: String) throws(S3ConfigurationError) -> String {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), url.host?.isEmpty == false,
            ["http", "https"].contains(scheme), url.query == nil, url.fragment == nil, url.user == nil
        else { throw S3ConfigurationError(endpoint: text) }
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }

    /// The host of the endpoint in lower case; nil for AWS itself.
    public var endpointHost: String? {
        endpoint.flatMap { URL(string: $0)?.host?.lowercased() }
    }
}

/// An endpoint that is no address of a service.
public struct S3ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// The text of the endpoint.
    public let endpoint: String

    /// The error and its remedy.
    public var description: String {
        "the endpoint \"\(TransportError.printable(endpoint))\" is not an address of HTTP: write it like "
            + "https://minio.example.com:9000"
    }
}

extension S3Configuration {
    /// The region that requests are signed for while that of a bucket is not known.
    var firstRegion: String { region ?? "us-east-1" }

    /// Returns the address of a bucket, or of the key in it, and its host.
    func address(of location: ObjectLocation, region: String) -> (url: String, host: String) {
        let path = "/" + PercentEncoding.encoded(location.key, keeping: "/")
        let base = endpoint ?? "https://s3.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")"
        let inPath = usesPathStyle ?? (endpoint != nil || location.bucket.contains("."))
        let parts = base.components(separatedBy: "://")
        let (scheme, rest) = (parts[0], parts.dropFirst().joined(separator: "://"))
        let authority = inPath ? rest : "\(location.bucket).\(rest)"
        let url = "\(scheme)://\(authority)\(inPath ? "/\(location.bucket)" : "")\(path)"
        return (url, URL(string: "\(scheme)://\(authority)")?.host?.lowercased() ?? "")
    }
}
