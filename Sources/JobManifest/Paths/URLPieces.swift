import Files
import ObjectStorage
import Transport

/// The parts of an item's URL that paths are made of, percent-decoded and sanitised; once for all its outputs.
package struct URLPieces {
    /// The host in lower case with `_port` behind it if the port is not the scheme's; `local` for files and `data:`.
    let host: String
    /// The host as politeness knows it: in one spelling, with `:port` behind it likewise; empty for files and `data:`.
    package let authority: String
    /// The folders of the URL's path with slashes between; of a glob's file those below the glob's root.
    let folders: String
    /// The file's name without its extension; with a query, `-` and 8 hexadecimal digits of its SHA-256 behind it.
    let stem: String

    /// Takes the host of what is loaded, and the rest of what is stored: what a variable holds may be a secret, and gets
    /// into no name of a file.
    package init(_ item: PlannedItem, _ names: OutputPath.Names = .portable) {
        if ItemURL.isObject(item.url), let object = ObjectLocation(Variables.unescaped(item.url)) {
            host = PathValue.sanitized(object.bucket.lowercased())
            authority = "s3://\(object.bucket.lowercased())"
            (folders, stem) = Self.parts(of: object, base: item.base, names)
            return
        }
        var target = item.target
        let (name, port) = target.withUTF8(Self.authority) ?? ("", "")
        let known = name.isEmpty ? "" : HostName.comparable(name)
        authority = port.isEmpty ? known : "\(known):\(UInt16(port).map { String($0) } ?? port)"
        let safeName = name.isEmpty ? "local" : PathValue.sanitized(name)
        host = port.isEmpty ? safeName : "\(safeName)_\(port)"
        var url = item.url
        if url.utf8.starts(with: "data:".utf8) {
            folders = ""
            stem = String(Digest.sha256.hex(of: url).prefix(16))
            return
        }
        let baseLength = item.base.map { url.utf8.starts(with: $0.utf8) ? $0.utf8.count : 0 } ?? 0
        (folders, stem) = url.withUTF8 { bytes in
            let start = baseLength > 0 ? baseLength : Self.endOfAuthority(bytes)
            let end =
                bytes[start...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
                ?? bytes.count
            let slash = bytes[start..<end].lastIndex(of: UInt8(ascii: "/"))
            let folders =
                slash.map { Self.folders(UnsafeBufferPointer(rebasing: bytes[start..<$0]), names) } ?? ""
            let name = UnsafeBufferPointer(rebasing: bytes[(slash.map { $0 + 1 } ?? start)..<end])
            return (folders, Self.stem(name, query: UnsafeBufferPointer(rebasing: bytes[end...]), names))
        }
    }

    /// Returns the folders of a key below those of `base`, and its name; the key is taken as it is.
    private static func parts(
        of object: ObjectLocation,
        base: String?,
        _ names: OutputPath.Names
    ) -> (folders: String, stem: String) {
        let prefix = base.flatMap { ObjectLocation($0) }?.key ?? ""
        let key =
            object.key.utf8.starts(with: prefix.utf8)
            ? object.key.utf8.dropFirst(prefix.utf8.count) : object.key.utf8[...]
        let parts = String(decoding: key, as: UTF8.self).unicodeScalars
            .split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        let folders = parts.dropLast().filter { !["", ".", ".."].contains($0) }.map {
            PathValue.value($0, names)
        }
        var name = parts.last ?? ""
        if let dot = name.unicodeScalars.lastIndex(of: "."), dot != name.unicodeScalars.startIndex {
            name = String(name[..<dot])
        }
        return (folders.joined(separator: "/"), PathValue.value(name.isEmpty ? "_" : name, names))
    }

    private static func folders(_ path: UnsafeBufferPointer<UInt8>, _ names: OutputPath.Names) -> String {
        var folders = ""
        var rest = path[...]
        while let first = rest.firstIndex(where: { $0 != UInt8(ascii: "/") }) {
            let end = rest[first...].firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
            let name = decoded(UnsafeBufferPointer(rebasing: path[first..<end]))
            rest = path[end...]
            if name == "." || name == ".." { continue }
            if !folders.isEmpty { folders += "/" }
            folders += PathValue.value(name, names)
        }
        return folders
    }

    /// `query` begins with its `?`, and may have a fragment behind it.
    private static func stem(
        _ name: UnsafeBufferPointer<UInt8>,
        query: UnsafeBufferPointer<UInt8>,
        _ names: OutputPath.Names
    ) -> String {
        var stem = decoded(name)
        if let dot = stem.utf8.lastIndex(of: UInt8(ascii: ".")), dot != stem.utf8.startIndex {
            stem = String(stem[..<dot])
        }
        if stem.isEmpty { stem = "_" }
        if query.first == UInt8(ascii: "?") {
            let text = query.dropFirst().prefix { $0 != UInt8(ascii: "#") }
            let hash = Digest.sha256.hex(of: String(decoding: text, as: UTF8.self))
            if !text.isEmpty { stem += "-" + hash.prefix(8) }
        }
        return PathValue.value(stem, names)
    }

    /// The host in lower case, with the port unless it is the scheme's; nil for files and `data:`.
    private static func authority(_ url: UnsafeBufferPointer<UInt8>) -> (name: String, port: String)? {
        guard let colon = url.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let usual: String
        if ItemURL.isScheme("https", in: url, before: colon) {
            usual = "443"
        } else if ItemURL.isScheme("http", in: url, before: colon) {
            usual = "80"
        } else if ItemURL.isScheme("ftp", in: url, before: colon) {
            usual = "21"
        } else {
            return nil
        }
        var host = url[colon...].dropFirst(3)
        host = host.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
        var port = host.suffix(0)
        if let bracket = host.lastIndex(of: UInt8(ascii: "]")) {
            port = host[bracket...].dropFirst(2)
            host = host[..<bracket].dropFirst()
        } else if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
            port = host[(colon + 1)...]
            host = host[..<colon]
        }
        // Nearly all hosts are in lower case and have the usual port.
        let isLower = host.allSatisfy { $0 &- UInt8(ascii: "A") >= 26 }
        let name = String(decoding: host, as: UTF8.self)
        let number = port.isEmpty ? usual : String(decoding: port, as: UTF8.self)
        return (isLower ? name : name.lowercased(), number == usual ? "" : number)
    }

    /// Returns the index of the path behind `scheme://authority/`; behind the first slash if the text begins with a variable.
    private static func endOfAuthority(_ url: UnsafeBufferPointer<UInt8>) -> Int {
        var index = url.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") } ?? url.count
        if url[index...].starts(with: "://".utf8) { index += 3 }
        while index < url.count {
            switch url[index] {
            case UInt8(ascii: "/"): return index + 1
            case UInt8(ascii: "?"), UInt8(ascii: "#"): return index
            default: index += 1
            }
        }
        return index
    }

    private static func decoded(_ part: UnsafeBufferPointer<UInt8>) -> String {
        guard part.contains(UInt8(ascii: "%")) else { return String(decoding: part, as: UTF8.self) }
        var bytes: [UInt8] = []
        var index = 0
        while index < part.count {
            if part[index] == UInt8(ascii: "%"), index + 2 < part.count,
                let code = UInt8(String(decoding: part[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                index += 3
            } else {
                bytes.append(part[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
