import ObjectStorage
import Transport

/// Checks of URLs, byte by byte since lists are long.
///
/// What is a URL by RFC 3986 stays as it is; everything else is read as browsers read it (`WebURL`).
package enum ItemURL {
    /// A text as a URL, or the reason why it is not one.
    package struct Checked: Sendable {
        /// The valid URL, without a fragment; for an invalid one its text, with invalid characters percent-encoded.
        package let url: String
        package let problem: ItemProblem?

        /// Creates the value from its parts.
        package init(url: String, problem: ItemProblem?) {
            self.url = url
            self.problem = problem
        }
    }

    /// Returns true if a text is a URL by its `://`, by a scheme of the web with a slash, or as `data:`; a path can hold a colon, too.
    package static func isURL(_ text: String) -> Bool {
        let text = String(text.unicodeScalars.drop { $0.value <= 0x20 })
        if text.utf8.prefix(5).elementsEqual("data:".utf8) { return true }
        if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let next = text.utf8[colon...].dropFirst().first,
            "/\\".utf8.contains(next), ["http", "https", "ftp"].contains(text[..<colon].lowercased())
        {
            return true
        }
        guard let slashes = text.utf8.firstRange(of: "://".utf8), slashes.lowerBound > text.startIndex else {
            return false
        }
        return text.utf8[..<slashes.lowerBound].allSatisfy { byte in
            isLetter(byte) || byte &- 0x30 < 10 || "+-.".utf8.contains(byte)
        }
    }

    package static func check(_ text: String, folder: String, schemes: Set<String>) -> Checked {
        var text = text
        return text.withUTF8 { check($0, folder: folder, schemes: schemes) }
    }

    /// Checks `text`; a bare path is a file below `folder`, which is absolute, or an object below `s3://bucket/prefix`.
    package static func check(_ text: UnsafeBufferPointer<UInt8>, folder: String, schemes: Set<String>)
        -> Checked
    {
        guard !text.isEmpty else { return bad("", "the URL is empty") }
        // Spaces around a path are part of it.
        let start = text.firstIndex { $0 > 0x20 || $0 == 0 } ?? 0
        let trimmed = UnsafeBufferPointer(rebasing: text[start...])
        guard let colon = endOfScheme(trimmed) else {
            if trimmed.starts(with: "//".utf8) { return web(trimmed, schemes: schemes, scheme: "https:") }
            if text[0] != UInt8(ascii: "/"), let prefix = ObjectLocation(folder) {
                return object(text, below: prefix, schemes: schemes)
            }
            let checked = file(text, folder: folder)
            return Checked(url: checked.url, problem: checked.problem ?? schemeProblem("file", schemes))
        }
        if isScheme("s3", in: trimmed, before: colon) { return object(trimmed, schemes: schemes) }
        let isWeb = isWeb(trimmed, colon)
        switch spelling(of: trimmed) {
        case .plain where !isWeb || isPlainAuthority(trimmed, colon):
            let problem = problem(trimmed, colon: colon, schemes: schemes)
            return Checked(url: String(decoding: trimmed, as: UTF8.self), problem: problem)
        case .encoded where !isWeb || isPlainAuthority(trimmed, colon):
            let url = encoded(trimmed)
            guard UTF8Check.validCount(of: trimmed) == trimmed.count else {
                return bad(url, "the URL is not UTF-8")
            }
            return Checked(url: url, problem: problem(trimmed, colon: colon, schemes: schemes))
        default: return isWeb ? web(trimmed, schemes: schemes) : local(trimmed, schemes: schemes)
        }
    }

    private enum Spelling {
        /// A URL as it may be.
        case plain
        /// A URL once some of its characters are percent-encoded.
        case encoded
        /// A text that only browsers take for a URL, or one with a fragment.
        case other
    }

    private static func spelling(of text: UnsafeBufferPointer<UInt8>) -> Spelling {
        var spelling = Spelling.plain
        for index in text.indices {
            switch ByteKind.table[Int(text[index])] {
            case .plain: break
            case .encoded: spelling = .encoded
            case .percent:
                guard index + 2 < text.count, isHexDigit(text[index + 1]), isHexDigit(text[index + 2]) else {
                    return .other
                }
            case .space, .control, .backslash, .fragment: return .other
            }
        }
        return spelling
    }

    private static func isWeb(_ text: UnsafeBufferPointer<UInt8>, _ colon: Int) -> Bool {
        isScheme("https", in: text, before: colon) || isScheme("http", in: text, before: colon)
            || isScheme("ftp", in: text, before: colon)
    }

    /// Checks a URL of the web as browsers read it, with `scheme` before it where it has none.
    private static func web(
        _ text: UnsafeBufferPointer<UInt8>,
        schemes: Set<String>,
        scheme: String = ""
    ) -> Checked {
        do {
            let url = try WebURL(bytes: Array(scheme.utf8) + text)
            return Checked(url: url.written, problem: schemeProblem(url.scheme, schemes))
        } catch {
            return bad(encoded(text), error.description)
        }
    }

    /// Checks a `file:` or `data:` URL, or one of a scheme that is not supported, that is spelled as only browsers take it.
    private static func local(_ text: UnsafeBufferPointer<UInt8>, schemes: Set<String>) -> Checked {
        let bytes = WebURL.cleaned(text)
        return bytes.withUnsafeBufferPointer { clean in
            guard let colon = endOfScheme(clean) else { return bad(encoded(text), "the URL has no scheme") }
            guard !clean.contains(0) else { return bad(encoded(text), "the URL holds a NUL character") }
            let isFile = isScheme("file", in: clean, before: colon)
            let slashed =
                isFile ? clean.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 } : Array(clean)
            return slashed.withUnsafeBufferPointer { clean in
                let url = encoded(clean, escapesPercent: true)
                guard isFile || UTF8Check.validCount(of: clean) == clean.count else {
                    return bad(url, "the URL is not UTF-8")
                }
                return Checked(url: url, problem: problem(clean, colon: colon, schemes: schemes))
            }
        }
    }

    static func bad(_ url: String, _ message: String) -> Checked {
        Checked(url: url, problem: ItemProblem(code: .badURL, message: message))
    }

    /// The place of the colon after a scheme; nil for a bare path.
    private static func endOfScheme(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let first = text.first, isLetter(first) else { return nil }
        for index in 1..<text.count {
            switch text[index] {
            case UInt8(ascii: ":"): return index
            case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x30...0x39: continue
            case let byte where isLetter(byte): continue
            default: return nil
            }
        }
        return nil
    }

    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }

    /// Returns the problem of a URL whose characters, and whose host if it has one, are valid; nil if it has none.
    private static func problem(
        _ text: UnsafeBufferPointer<UInt8>,
        colon: Int,
        schemes: Set<String>
    ) -> ItemProblem? {
        let isWeb = isScheme("http", in: text, before: colon) || isScheme("https", in: text, before: colon)
        let rest = UnsafeBufferPointer(rebasing: text[(colon + 1)...])
        let scheme =
            isScheme("https", in: text, before: colon)
            ? "https" : isWeb ? "http" : String(decoding: text[..<colon], as: UTF8.self).lowercased()
        if let problem = schemeProblem(scheme, schemes) { return problem }
        let message: String? =
            if isWeb || scheme == "ftp" {
                nil
            } else if scheme == "data" {
                rest.contains(UInt8(ascii: ",")) ? nil : "a data: URL has a comma before its data"
            } else {
                fileProblem(rest)
            }
        return message.map { ItemProblem(code: .badURL, message: $0) }
    }

    package static func schemeProblem(_ scheme: String, _ schemes: Set<String>) -> ItemProblem? {
        guard !schemes.contains(scheme) else { return nil }
        if let remedy = otherStores[scheme] {
            return ItemProblem(code: .scheme, message: "the scheme \"\(scheme)\" is not supported: \(remedy)")
        }
        return ItemProblem(
            code: .scheme,
            message: "the scheme \"\(scheme)\" is none of network.schemes: "
                + schemes.sorted().joined(separator: ", ")
        )
    }

    /// The schemes of object stores that are not supported, and the way around that.
    static let otherStores: [String: String] = {
        let google = """
            Google Cloud Storage also speaks the protocol of S3: write s3://bucket/key, set storage.s3.endpoint to \
            https://storage.googleapis.com, and use an HMAC key
            """
        let azure = "Azure Blob Storage is only read over https: use URLs with a shared access signature"
        let schemes =
            [("gs", google), ("gcs", google)]
            + ["az", "azure", "abfs", "abfss", "wasb", "wasbs"].map { ($0, azure) }
        return Dictionary(schemes) { first, _ in first }
    }()

    /// Returns true if `text` has the scheme `name` before its `colon`; case does not count.
    static func isScheme(_ name: StaticString, in text: UnsafeBufferPointer<UInt8>, before colon: Int)
        -> Bool
    {
        guard colon == name.utf8CodeUnitCount else { return false }
        for index in 0..<colon where text[index] | 0x20 != name.utf8Start[index] { return false }
        return true
    }

    private static func fileProblem(_ rest: UnsafeBufferPointer<UInt8>) -> String? {
        let isLocal =
            rest.starts(with: "///".utf8) || rest.starts(with: "//localhost/".utf8)
            || rest.starts(with: "/".utf8) && !rest.starts(with: "//".utf8)
        return isLocal ? nil : "a file: URL has an absolute path of this machine: file:///folder/name"
    }

    /// True if `text` begins with `//user@host:port` as it is written: with a host, and with no zeros before the port.
    static func isAuthority(_ text: [UInt8]) -> Bool {
        let end = text.dropFirst(2).firstIndex { "/?#".utf8.contains($0) } ?? text.endIndex
        let port = text[..<end].reversed().prefix { $0 &- 0x30 < 10 }
        let isPadded = port.count > 1 && port.last == 0x30 && text[..<end].dropLast(port.count).last == 0x3A
        return !isPadded && text.withUnsafeBufferPointer { authorityProblem($0) } == nil
    }

    /// Returns true if a web URL has `//user@host:port` behind its scheme, with a host that needs no second look.
    private static func isPlainAuthority(_ text: UnsafeBufferPointer<UInt8>, _ colon: Int) -> Bool {
        let rest = UnsafeBufferPointer(rebasing: text[(colon + 1)...])
        guard authorityProblem(rest) == nil else { return false }
        var host = rest[2...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
        if host.first == UInt8(ascii: "[") || host.first == UInt8(ascii: "/") { return false }
        if let colon = host.firstIndex(of: UInt8(ascii: ":")) { host = host[..<colon] }
        if host.last == UInt8(ascii: ".") { host = host.dropLast() }
        let dot = host.lastIndex(of: UInt8(ascii: "."))
        let label = host[(dot.map { $0 + 1 } ?? host.startIndex)...]
        // A name that ends in a number is an address in one of many notations, or wrong.
        guard let first = label.first, first &- 0x30 < 10 else { return !label.isEmpty }
        return isDecimalAddress(host)
    }

    /// Returns true for four numbers from 0 to 255 without zeros before them.
    private static func isDecimalAddress(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var (numbers, value, digits) = (1, 0, 0)
        for byte in host {
            if byte == UInt8(ascii: ".") {
                guard digits > 0 else { return false }
                (numbers, value, digits) = (numbers + 1, 0, 0)
                continue
            }
            guard byte &- 0x30 < 10, digits == 0 || value > 0 else { return false }
            value = value * 10 + Int(byte - 0x30)
            digits += 1
            guard value < 256 else { return false }
        }
        return numbers == 4 && digits > 0
    }

    /// Returns the problem of `//user@host:port`, the only part of a web URL that can be wrong.
    private static func authorityProblem(_ rest: UnsafeBufferPointer<UInt8>) -> String? {
        guard rest.starts(with: "//".utf8) else { return "// should follow the scheme" }
        var end = 2
        var start = 2
        while end < rest.count {
            let byte = rest[end]
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
            end += 1
            if byte == UInt8(ascii: "@") { start = end }
        }
        var hostEnd = start
        if start < end, rest[start] == UInt8(ascii: "[") {
            while hostEnd < end, rest[hostEnd] != UInt8(ascii: "]") { hostEnd += 1 }
            guard hostEnd < end, hostEnd > start + 2,
                rest[(start + 1)..<hostEnd].allSatisfy({ isHexDigit($0) || $0 == 0x3A || $0 == 0x2E })
            else { return "the address between [ and ] is not an IPv6 address" }
            hostEnd += 1
        } else {
            while hostEnd < end, rest[hostEnd] != UInt8(ascii: ":") {
                let byte = rest[hostEnd]
                if byte >= 0x80 { return "the host is not ASCII: write it in its xn-- form" }
                guard HostName.isOfName(byte) else {
                    return "the host has an invalid character"
                }
                hostEnd += 1
            }
        }
        guard hostEnd > start else { return "the URL has no host" }
        guard hostEnd < end else { return nil }
        let digits = rest[(hostEnd + 1)..<end]
        guard rest[hostEnd] == UInt8(ascii: ":"), digits.allSatisfy({ $0 &- 0x30 < 10 }), digits.count <= 5,
            digits.isEmpty || UInt16(String(decoding: digits, as: UTF8.self)) != nil
        else { return "the text behind the host's colon is not a port from 0 to 65535" }
        return nil
    }
}
