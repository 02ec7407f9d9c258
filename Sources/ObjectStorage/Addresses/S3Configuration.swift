import Files
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
    /// AWS gets it in the host's name, unless the bucket has dots, which its certificates do not cover, or characters that a
    /// host's name has not; a service of another address gets it in the path.
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
    /// - Throws: ``S3ConfigurationError`` for an endpoint that is no address of HTTP, and for a region that is no name.
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
        let name = region ?? value("AWS_REGION", "AWS_DEFAULT_REGION") ?? setting("region")
        self.region = try name.map { text throws(S3ConfigurationError) in try Self.checked(region: text) }
        self.usesPathStyle = usesPathStyle
        self.endpoint = try written.map { text throws(S3ConfigurationError) in try Self.checked(text) }
    }

    /// Returns an endpoint without a slash at its end.
    private static func checked(_ text: String) throws(S3ConfigurationError) -> String {
        guard !text.containsASCII("@") else {
            throw S3ConfigurationError(endpointWithUser: text)
        }
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), url.host?.isEmpty == false,
            ["http", "https"].contains(scheme), url.query == nil, url.fragment == nil
        else { throw S3ConfigurationError(endpoint: text) }
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }

    /// Returns a region that may be part of a host's name and of a signature; other services than AWS choose their own names.
    private static func checked(region: String) throws(S3ConfigurationError) -> String {
        let isName = region.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "-._".utf8.contains(byte)
        }
        guard isName, !region.isEmpty, region.utf8.count <= 64 else {
            throw S3ConfigurationError(region: region)
        }
        return region
    }
}

/// A setting of a service that cannot be used.
public struct S3ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// The setting: `endpoint` or `region`.
    public let setting: String
    /// The error and its remedy, without user and password.
    public let description: String

    init(endpoint: String) {
        setting = "endpoint"
        // What follows a question mark may be a signature.
        let shown = TransportError.printable(String(endpoint.prefix { $0 != "?" }))
        description =
            "the endpoint \"\(shown)\" is not an address of HTTP: write it like https://minio.example.com:9000"
    }

    /// Creates the error of an address that holds a user, of which only the scheme and the host are shown.
    init(endpointWithUser endpoint: String) {
        setting = "endpoint"
        let scheme = endpoint.firstRange(of: "://").map { endpoint[..<$0.upperBound] } ?? ""
        let host = endpoint.unicodeScalars.lastIndex(of: "@").map { endpoint[$0...].dropFirst() } ?? ""
        let shown = TransportError.printable(String(scheme + host.prefix { $0 != "?" }))
        description =
            "the endpoint should hold no user and password: write \(shown), and give the keys in the environment "
            + "(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or in the shared files (AWS_PROFILE)"
    }

    init(region: String) {
        setting = "region"
        description =
            region.isEmpty
            ? "the region is empty: leave it out, or name one, such as eu-central-1"
            : "the region \"\(TransportError.printable(region))\" is not a name of letters, digits, hyphens, dots and "
                + "underscores, such as eu-central-1"
    }
}

extension S3Configuration {
    /// True for a bucket or a region that may be a label of a host's name: capital letters of an older bucket would be taken for
    /// small ones, and so name a bucket of somebody else (Amazon S3 User Guide, "Virtual hosting of general purpose buckets").
    static func isLabel(_ name: String, longest: Int = 63) -> Bool {
        name.utf8.count <= longest
            && name.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            }
    }

    /// The region that requests are signed for while that of a bucket is not known.
    var firstRegion: String { region ?? "us-east-1" }

    /// Returns the address of a bucket, or of the key in it, and its host.
    func address(of location: ObjectLocation, region: String) -> (url: String, host: String) {
        let path = "/" + PercentEncoding.encoded(location.key, keeping: "/")
        let base = endpoint ?? "https://s3.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")"
        let inPath = usesPathStyle ?? (endpoint != nil || !Self.isLabel(location.bucket))
        let parts = base.components(separatedBy: "://")
        let (scheme, rest) = (parts[0], parts.dropFirst().joined(separator: "://"))
        let authority = inPath ? rest : "\(location.bucket).\(rest)"
        let url = "\(scheme)://\(authority)\(inPath ? "/\(location.bucket)" : "")\(path)"
        return (url, URL(string: "\(scheme)://\(authority)")?.host?.lowercased() ?? "")
    }
}
