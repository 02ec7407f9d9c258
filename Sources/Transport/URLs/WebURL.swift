package import Foundation

/// A URL of `http`, `https` or `ftp`, read as browsers read it (https://url.spec.whatwg.org), without its fragment.
///
/// Spaces around it, and tabs and line ends inside, are removed; `\` is `/`; slashes behind the scheme may lack. What a URL cannot
/// hold is percent-encoded. Other than in browsers, a `%` without two hexadecimal digits becomes `%25`, since many servers refuse
/// it, and so do `^` and `|` become `%5E` and `%7C`.
public struct WebURL: Sendable {
    /// The scheme in lower case.
    public let scheme: String
    /// The host, as ``HostName`` writes it.
    public let host: String
    /// The port; nil for that of the scheme.
    public let port: UInt16?
    /// The scheme and the host with what stands around it as they were written, if they are spelled as a URL may be.
    private let writtenScheme, writtenAuthority: String
    /// The user and password with the `@` behind them.
    private let credentials: String
    /// The path, from its slash on, or empty; and the query with its `?`, or empty.
    private let path, query: String

    /// The schemes of such URLs, with their ports.
    static let ports: [String: UInt16] = ["http": 80, "https": 443, "ftp": 21]

    /// The URL in its one spelling: scheme and host in lower case, no port that is the scheme's, no `.` and `..` in the path.
    public var description: String {
        let port = port.map { ":\($0)" } ?? ""
        return "\(scheme)://\(credentials)\(host)\(port)\(Self.withoutDots(path))\(query)"
    }

    /// The URL with the scheme, the host and the folders spelled as they were written where that is valid.
    ///
    /// It is the text by which a job knows a URL, which a new release must not change.
    public var written: String { "\(writtenScheme)://\(writtenAuthority)\(path)\(query)" }

    /// Reads a URL; a relative one starts from `base`.
    /// - Throws: ``WebURLError`` with the reason why browsers refuse it, or for another scheme.
    public init(_ text: String, base: WebURL? = nil) throws(WebURLError) {
        try self.init(bytes: text.utf8, base: base)
    }

    /// Reads a URL as above; bytes that are not UTF-8 are a reason, too.
    public init(bytes: some Collection<UInt8>, base: WebURL? = nil) throws(WebURLError) {
        let text = Self.cleaned(bytes)
        guard String(validating: text, as: UTF8.self) != nil else {
            throw WebURLError("the URL is not UTF-8")
        }
        guard !text.contains(0) else { throw WebURLError("the URL holds a NUL character") }
        var rest = text[...]
        let named = Self.scheme(of: text)
        if let named { rest = rest.dropFirst(named.utf8.count + 1) }
        let slashes = rest.prefix(while: Self.isSlash).count
        if let base, slashes < 2, named == nil || named?.lowercased() == base.scheme {
            self = WebURL(rest, slashes: slashes, below: base)
            return
        }
        guard let written = named ?? base?.writtenScheme else { throw WebURLError("the URL has no scheme") }
        let scheme = written.lowercased()
        guard let usual = Self.ports[scheme] else {
            throw WebURLError("the scheme \"\(scheme)\" is none of the web", scheme: scheme)
        }
        rest = rest.drop(while: Self.isSlash)
        let authority = rest.prefix { !Self.isSlash($0) && $0 != UInt8(ascii: "?") }
        let at = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
        let place = try Place(authority[at...])
        self.scheme = scheme
        host = place.host
        port = place.port == usual ? nil : place.port
        credentials = Self.encoded(authority[..<at], isPath: false)
        writtenScheme = written
        writtenAuthority = credentials + place.written
        (path, query) = Self.target(rest[authority.endIndex...])
    }

    /// Resolves a reference that has no host.
    private init(_ rest: ArraySlice<UInt8>, slashes: Int, below base: WebURL) {
        let target = Self.target(rest)
        (scheme, host, port) = (base.scheme, base.host, base.port)
        (credentials, writtenScheme) = (base.credentials, base.writtenScheme)
        writtenAuthority = base.writtenAuthority
        if target.path.isEmpty {
            path = base.path
            query = rest.isEmpty ? base.query : target.query
        } else if slashes > 0 {
            (path, query) = target
        } else {
            let folder = base.path.utf8.lastIndex(of: UInt8(ascii: "/")).map { base.path[...$0] } ?? "/"
            (path, query) = (folder + target.path, target.query)
        }
    }

    /// Returns the bytes without what browsers leave out: spaces and control characters around the URL, tabs and line ends in it, and
    /// the fragment.
    package static func cleaned(_ bytes: some Collection<UInt8>) -> [UInt8] {
        // A NUL is refused wherever it stands: it is the sign of a list in UTF-16, or of a damaged one.
        let isBlank = { (byte: UInt8) in byte <= 0x20 && byte != 0 }
        let whole = Array(bytes.drop(while: isBlank))
        let end = whole.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0
        return whole[..<end].prefix { $0 != UInt8(ascii: "#") }.filter { ![0x09, 0x0A, 0x0D].contains($0) }
    }

    /// The scheme of a text as it is written, before its colon.
    private static func scheme(of text: [UInt8]) -> String? {
        guard let first = text.first, (first | 0x20) &- UInt8(ascii: "a") < 26 else { return nil }
        let name = text.prefix {
            ($0 | 0x20) &- UInt8(ascii: "a") < 26 || IPAddress.isDigit($0) || "+-.".utf8.contains($0)
        }
        return name.count < text.count && text[name.count] == UInt8(ascii: ":")
            ? String(decoding: name, as: UTF8.self) : nil
    }

    private static func isSlash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }

    /// Returns the encoded path and query of what follows a host.
    private static func target(_ text: ArraySlice<UInt8>) -> (path: String, query: String) {
        let path = text.prefix { $0 != UInt8(ascii: "?") }
        return (encoded(path, isPath: true), encoded(text[path.endIndex...], isPath: false))
    }
}

/// The reason why a text is not the URL of a web resource.
public struct WebURLError: Error, Sendable, CustomStringConvertible {
    /// The reason, in one sentence.
    public let description: String
    /// The scheme in lower case, if that is the reason.
    public let scheme: String?

    init(_ description: String, scheme: String? = nil) {
        (self.description, self.scheme) = (description, scheme)
    }
}

/// The parts of a URL, one by one.
extension WebURL {
    /// The host and the port of a URL.
    struct Place {
        let host: String
        let port: UInt16?
        /// Both as written, if they are spelled as a URL may be, or else in their one spelling.
        let written: String

        /// Reads `host:port`.
        /// - Throws: ``WebURLError`` for a host that browsers refuse, and for a port that is none.
        init(_ text: ArraySlice<UInt8>) throws(WebURLError) {
            let bracket = text.first == UInt8(ascii: "[") ? text.firstIndex(of: UInt8(ascii: "]")) : nil
            let colon = text[(bracket ?? text.startIndex)...].firstIndex(of: UInt8(ascii: ":"))
            let name = text[..<(colon ?? text.endIndex)]
            host = try HostName.canonical(name)
            let digits = colon.map { text[($0 + 1)...] } ?? []
            port = UInt16(String(decoding: digits, as: UTF8.self))
            guard digits.isEmpty || port != nil && digits.allSatisfy(IPAddress.isDigit) else {
                throw WebURLError("the text behind the host's colon is not a port from 0 to 65535")
            }
            let isSpelled = bracket != nil || name.allSatisfy(HostName.isOfName)
            let rest = String(decoding: text[name.endIndex...], as: UTF8.self)
            let isShort = digits.count <= 5
            written =
                (isSpelled ? String(decoding: name, as: UTF8.self) : host)
                + (isShort ? rest : port.map { ":\($0)" } ?? "")
        }
    }

    /// Returns bytes with those that no URL may hold percent-encoded; in a path, `\` becomes `/`.
    static func encoded(_ text: ArraySlice<UInt8>, isPath: Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count + 16)
        for (index, byte) in zip(text.indices, text) {
            let isKept =
                switch byte {
                case UInt8(ascii: "%"): text[(index + 1)...].prefix(2).count(where: isHexDigit) == 2
                case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"),
                    UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"),
                    UInt8(ascii: "\\"), 0...0x20, 0x7F...0xFF:
                    false
                default: true
                }
            if isKept {
                bytes.append(byte)
            } else if isPath, byte == UInt8(ascii: "\\") {
                bytes.append(UInt8(ascii: "/"))
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        IPAddress.isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }

    /// Returns a path without `.` and `..`, which may be percent-encoded; with a slash, if it is empty.
    static func withoutDots(_ path: String) -> String {
        var names: [Substring.UTF8View] = []
        let all = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        for (index, name) in zip(all.indices, all) {
            let isLast = index == all.endIndex - 1
            switch dots(name) {
            case 0: names.append(name)
            case 2:
                _ = names.popLast()
                fallthrough
            default: if isLast { names.append(name.prefix(0)) }
            }
        }
        return "/" + names.map { String(Substring($0)) }.joined(separator: "/")
    }

    /// Returns 1 for `.`, 2 for `..`, and 0 for any other name.
    private static func dots(_ name: Substring.UTF8View) -> Int {
        guard name.count <= 6 else { return 0 }
        let decoded = PercentEncoding.decoded(name)
        return decoded.count <= 2 && decoded.allSatisfy { $0 == UInt8(ascii: ".") } ? decoded.count : 0
    }
}

/// URLs whose paths and queries hold brackets.
extension URL {
    /// Creates the URL of a percent-encoded text, in whose path and query brackets may stand as they do in browsers.
    ///
    /// They are percent-encoded: RFC 3986 allows them around an IPv6 address alone, and of a part that holds one Foundation
    /// encodes every `%` again.
    package init?(encoded text: String) {
        let brackets = [UInt8(ascii: "["), UInt8(ascii: "]")]
        guard text.utf8.contains(where: brackets.contains) else {
            self.init(string: text)
            return
        }
        let host = Self.host(in: text.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for (index, byte) in zip(text.utf8.indices, text.utf8) {
            let isKept = !brackets.contains(byte) || host.contains(index)
            bytes += isKept ? [byte] : Array((byte == brackets[0] ? "%5B" : "%5D").utf8)
        }
        self.init(string: String(decoding: bytes, as: UTF8.self))
    }

    /// Returns the place of the host and port of a URL; an empty one for a URL without a host.
    private static func host(in text: String.UTF8View) -> Range<String.Index> {
        let rest = text.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        guard rest.starts(with: "//".utf8) else { return text.endIndex..<text.endIndex }
        let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
        let at = authority.lastIndex(of: UInt8(ascii: "@"))
        return (at.map { authority.index(after: $0) } ?? authority.startIndex)..<authority.endIndex
    }
}
