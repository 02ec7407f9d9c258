import Foundation
import Transport

/// The addresses and folders that a job may reach.
public struct NetworkSettings: Sendable, Equatable {
    /// The schemes of URLs.
    public var schemes = Set(NetworkKeys.schemes.standard.map(\.rawValue))
    /// Hosts, addresses and CIDR ranges that may be reached although they are not public.
    public var allow: [String] = []
    /// The folders that files may be read from, absolute; those of the sources' globs come on top.
    public var fileRoots: [String]
    /// The proxy for all requests; with one, only its own address can be checked.
    public var proxy = Proxy.none

    /// A choice of proxy.
    public enum Proxy: Sendable, Equatable {
        /// No proxy, even if the environment names one.
        case none
        /// The proxies of `http_proxy`, `https_proxy` and `no_proxy`.
        case environment
        /// The proxy at this URL.
        case url(String)
    }

    enum Scheme: String, CaseIterable {
        case https, http, s3, ftp, data, file
    }

    /// Creates the defaults: public addresses, and files of the working directory.
    public init() {
        fileRoots = [FileManager.default.currentDirectoryPath]
    }

    init(_ node: ManifestNode?, folder: String) {
        fileRoots = [folder]
        guard let fields = node?.fields(.network) else { return }
        schemes = fields[NetworkKeys.schemes].map { Set($0.map(\.rawValue)) } ?? schemes
        proxy = fields[NetworkKeys.proxy].map(Self.proxy) ?? proxy
        allow = fields[NetworkKeys.allow]?.elements()?.compactMap(Self.allowed) ?? allow
        fileRoots =
            fields[NetworkKeys.fileRoots]?.elements()?.compactMap { node in
                node.expandedString().map { FilePath.absolute($0, in: node.reading.folder) }
            } ?? fileRoots
    }

    private static func proxy(_ node: ManifestNode) -> Proxy {
        guard let text = node.expandedString() else { return .none }
        if text == "environment" { return .environment }
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        guard let url = URL(string: text), schemes.contains(url.scheme?.lowercased() ?? ""),
            ItemURL.isAuthority(Array(text.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst())),
            url.host?.isEmpty == false
        else {
            // Not shown: it may hold a password.
            node.report(
                "is not the URL of a proxy: write it like \"http://proxy.example:3128\", or \"environment\""
            )
            return .none
        }
        return .url(text)
    }

    /// A host, an address, or a range such as `10.0.0.0/8`.
    private static func allowed(_ node: ManifestNode) -> String? {
        guard let text = node.string() else { return nil }
        // The run's own parser.
        if (try? AddressPolicy(allow: [text])) != nil { return text.lowercased() }
        node.report(
            "\(ManifestNode.quoted(text)) is not a host, address or range: write it like \"localhost\" or \"10.0.0.0/8\""
        )
        return nil
    }
}
