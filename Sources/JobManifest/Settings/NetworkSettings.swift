import Foundation
import Transport

/// The addresses and folders that a job may reach.
public struct NetworkSettings: ManifestSettings, Sendable, Equatable {
    /// The schemes of URLs.
    public var schemes = Set(Scheme.allCases.map(\.rawValue))
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

    private enum Scheme: String, CaseIterable {
        case https, http, s3, ftp, data, file
    }

    /// Creates the defaults: public addresses, and files of the working directory.
    public init() {
        fileRoots = [FileManager.default.currentDirectoryPath]
    }

    init(_ node: ManifestNode?, folder: String) {
        self.init()
        fileRoots = [folder]
        if let fields = node?.fields(Self.section) { read(fields) }
    }

    private static func proxy(_ node: ManifestNode) -> Proxy? {
        guard let text = node.expandedString() else { return nil }
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
            return nil
        }
        return .url(text)
    }

    /// A host, an address, or a range such as `10.0.0.0/8`.
    private static func allowed(_ node: ManifestNode) -> String? {
        // The run's own parser.
        node.parsed(
            node.string(),
            by: { (try? AddressPolicy(allow: [$0])) == nil ? nil : $0.lowercased() },
            "host, address or range: write it like \"localhost\" or \"10.0.0.0/8\""
        )
    }
}

extension NetworkSettings: ManifestObject {
    static let standard = NetworkSettings()
    static let section = ManifestSection(
        "network",
        about: [
            "Loopback, link-local, private, shared and reserved addresses are refused unless `allow` names them. The check applies "
                + "to the address that is connected to, for every redirect and DNS answer. With a proxy, only the proxy's address "
                + "can be checked.",
            "The URL of a proxy has the scheme `http`, `https`, `socks4`, `socks4a`, `socks5` or `socks5h`.",
        ],
        example: .setting(
            #""network": {"schemes": ["https", "file"], "allow": ["localhost", "10.0.0.0/8"], "fileRoots": ["photos"]}"#
        ),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("schemes", "The schemes that URLs may have.")
            .synonyms(["protocols", "scheme"])
            .sets(\.schemes, as: schemes, example: ["https"]),
        KeyName(
            "allow",
            "Hosts, addresses and CIDR ranges that may be reached even though they are not public."
        )
        .synonyms(["allowed", "allowlist", "whitelist", "hosts", "private"])
        .sets(
            \.allow,
            as: .list(
                of: .text(
                    schema: JSONSchema.pattern("([0-9A-Za-z._:-]+(/[0-9]{1,3})?|\\[[0-9A-Fa-f:.]+\\])"),
                    read: allowed
                ),
                "array of hosts, addresses and ranges"
            ),
            example: ["localhost", "10.0.0.0/8"]
        ),
        KeyName(
            "fileRoots",
            "Folders that files may be read from; the fixed prefixes of `files` globs are added."
        )
        .synonyms(["roots", "folders", "root"])
        .sets(
            \.fileRoots,
            as: .list(of: .path, "array of folders"),
            default: ["."],
            example: [".", "/srv/photos"]
        ),
        KeyName(
            "proxy",
            "The URL of a proxy for all requests, or `\"environment\"` to use the proxy variables of the environment."
        )
        .synonyms(["httpProxy", "https_proxy"])
        .sets(
            \.proxy,
            as: KeyKind("string", schema: JSONSchema.string, read: proxy, write: \.json),
            default: KeyDefault.none,
            example: "http://proxy.example.com:3128"
        ),
    ]

    private static var schemes: KeyKind<Set<String>> {
        let words = KeyKind.list(of: .choice(Scheme.self), "array of words")
        return KeyKind(words.type, schema: words.schema) { node in
            words.read(node).map { Set($0.map(\.rawValue)) }
        } write: {
            .strings($0.sorted())
        } show: { schemes in
            words.show(Scheme.allCases.filter { schemes.contains($0.rawValue) })
        }
    }
}

extension NetworkSettings.Proxy {
    /// The proxy as a manifest writes it.
    fileprivate var json: CanonicalJSON {
        switch self {
        case .none: .null
        case .environment: "environment"
        case .url(let url): .string(url)
        }
    }
}
