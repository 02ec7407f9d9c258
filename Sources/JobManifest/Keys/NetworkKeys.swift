/// The keys of `network`.
enum NetworkKeys {
    static let schemes = Key(
        "schemes",
        .list(of: .choice(NetworkSettings.Scheme.self), "array of words"),
        default: .value(.array(NetworkSettings.Scheme.allCases.map { .string($0.rawValue) })),
        summary: "The schemes that URLs may have.",
        example: ["https"],
        synonyms: ["protocols", "scheme"]
    )
    static let allow = Key(
        "allow",
        .custom(
            "array of hosts, addresses and ranges",
            schema: ManifestSchema.list(
                of: ManifestSchema.pattern("([0-9A-Za-z._:-]+(/[0-9]{1,3})?|\\[[0-9A-Fa-f:.]+\\])")
            )
        ),
        default: [],
        summary: "Hosts, addresses and CIDR ranges that may be reached even though they are not public.",
        example: ["localhost", "10.0.0.0/8"],
        synonyms: ["allowed", "allowlist", "whitelist", "hosts", "private"]
    )
    static let fileRoots = Key(
        "fileRoots",
        .custom("array of folders", schema: ManifestSchema.list(of: ManifestSchema.string)),
        default: ["."],
        summary: "Folders that files may be read from; the fixed prefixes of `files` globs are added.",
        example: [".", "/srv/photos"],
        synonyms: ["roots", "folders", "root"]
    )
    static let proxy = Key(
        "proxy",
        .custom("string", schema: ManifestSchema.string),
        summary:
            "The URL of a proxy for all requests, or `\"environment\"` to use the proxy variables of the environment.",
        example: "http://proxy.example.com:3128",
        synonyms: ["httpProxy", "https_proxy"]
    )
}

extension ManifestSection {
    static let network = ManifestSection(
        "network",
        title: "network",
        about: [
            "Loopback, link-local, private, shared and reserved addresses are refused unless `allow` names them. The check applies "
                + "to the address that is connected to, for every redirect and DNS answer. With a proxy, only the proxy's address "
                + "can be checked.",
            "The URL of a proxy has the scheme `http`, `https`, `socks4`, `socks4a`, `socks5` or `socks5h`.",
        ],
        example: .setting(
            #""network": {"schemes": ["https", "file"], "allow": ["localhost", "10.0.0.0/8"], "fileRoots": ["photos"]}"#
        ),
        keys: [NetworkKeys.schemes, NetworkKeys.allow, NetworkKeys.fileRoots, NetworkKeys.proxy]
    )
}
