/// The parts of a URL in the form that is signed: each byte is encoded in one way only.
struct SignedURL {
    /// The value of the `Host` field: the port is left out if it is the scheme's own.
    let host: String
    /// The path, encoded once.
    let path: String
    /// The query, sorted by name and value, each encoded once.
    let query: String

    init(_ url: String) {
        let parts = url.prefix { $0 != "#" }.split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let target = parts.first ?? ""
        let scheme = target.prefix { $0 != ":" }.lowercased()
        let rest = target.dropFirst(scheme.count + "://".count)
        let authority = rest.prefix { $0 != "/" }
        let address = authority.split(separator: "@").last.map { $0.lowercased() } ?? ""
        let port = scheme == "https" ? ":443" : ":80"
        host = address.hasSuffix(port) ? String(address.dropLast(port.count)) : address
        let path = rest.dropFirst(authority.count)
        self.path = path.isEmpty ? "/" : PercentEncoding.encoded(PercentEncoding.decoded(path), keeping: "/")
        let pairs = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                // Services read a plus sign in a query as a space.
                .map { PercentEncoding.encoded(PercentEncoding.decoded($0, isForm: true)) }
        }
        let sorted = pairs.map { (name: $0[0], value: $0.count > 1 ? $0[1] : "") }.sorted { $0 < $1 }
        query = sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }
}
