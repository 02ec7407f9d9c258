import Files

/// The parts of an item's URL that paths are made of, percent-decoded, not yet sanitised.
struct URLPieces {
    /// The folders of the URL's path; of a glob's file those below the glob's root.
    let folders: [String]
    /// The file's name without its extension; with a query, `-` and 8 hexadecimal digits of its SHA-256 behind it.
    let stem: String

    /// Reads the URL as it is stored: what a variable holds may be a secret, and gets into no path.
    init(_ item: PlannedItem) {
        let url = item.url
        if url.utf8.starts(with: "data:".utf8) {
            folders = []
            stem = String(Digest.sha256.hex(of: url).prefix(16))
            return
        }
        let whole: Substring.UTF8View
        if let base = item.base, url.utf8.starts(with: base.utf8) {
            whole = url.utf8.dropFirst(base.utf8.count)
        } else {
            whole = Self.afterAuthority(url)
        }
        let path = whole.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        var query = whole[path.endIndex...]
        query =
            query.first == UInt8(ascii: "?")
            ? query.dropFirst().prefix { $0 != UInt8(ascii: "#") } : query.prefix(0)

        var parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let name = parts.popLast().map(Self.decoded) ?? ""
        folders = parts.map(Self.decoded).filter { !$0.isEmpty && $0 != "." && $0 != ".." }
        var stem = Self.withoutExtension(name)
        if stem.isEmpty { stem = "_" }
        if !query.isEmpty { stem += "-" + Digest.sha256.hex(of: String(Substring(query))).prefix(8) }
        self.stem = stem
    }

    /// The host in lower case with `_port` behind it if the port is not the scheme's; `local` for files and `data:`.
    static func host(of url: String) -> String {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return "local" }
        let standardPort: String
        switch String(url[..<colon]).lowercased() {
        case "http": standardPort = "80"
        case "https": standardPort = "443"
        default: return "local"
        }
        let authority = bytes[colon...].dropFirst(3).prefix { !"/?#".utf8.contains($0) }
        var host = authority
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { host = authority[at...].dropFirst() }
        var port = host.suffix(0)
        if let bracket = host.lastIndex(of: UInt8(ascii: "]")) {
            port = host[bracket...].dropFirst(2)
            host = host[..<bracket].dropFirst()
        } else if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
            port = host[colon...].dropFirst()
            host = host[..<colon]
        }
        let name = String(Substring(host)).lowercased()
        let number = String(Substring(port))
        return number.isEmpty || number == standardPort ? name : "\(name)_\(number)"
    }

    /// What follows `scheme://authority`; of a text that begins with a variable, what follows its first slash.
    private static func afterAuthority(_ url: String) -> Substring.UTF8View {
        var rest = Substring(url).utf8
        let scheme = rest.prefix { !"/:".utf8.contains($0) }
        rest = rest.dropFirst(scheme.count)
        if rest.starts(with: "://".utf8) {
            rest = rest.dropFirst(3)
        } else if rest.starts(with: ":/".utf8) {
            return rest.dropFirst(2)
        }
        return rest.drop { !"/?#".utf8.contains($0) }.drop { $0 == UInt8(ascii: "/") }
    }

    private static func decoded(_ part: Substring.UTF8View) -> String {
        guard part.contains(UInt8(ascii: "%")) else { return String(Substring(part)) }
        var bytes: [UInt8] = []
        var rest = part
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let code = UInt8(String(Substring(rest.prefix(2))), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func withoutExtension(_ name: String) -> String {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.utf8.startIndex else {
            return name
        }
        return String(name[..<dot])
    }
}
