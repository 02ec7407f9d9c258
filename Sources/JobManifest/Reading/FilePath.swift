import Files

/// Paths of files as text, with `/` between their parts.
package enum FilePath {
    /// `path` itself where it is absolute, else below `folder`; `.` and `..` and doubled slashes are taken out.
    package static func absolute(_ path: String, in folder: String) -> String {
        var parts: [Substring] = []
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        for part in (isAbsolute ? path : folder + "/" + path).parts(at: "/") where !part.isEmpty {
            if part == ".." {
                _ = parts.popLast()
            } else if part != "." {
                parts.append(part)
            }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// The last part of `path` without its extension.
    package static func stem(of path: String) -> String {
        let name = path.parts(at: "/").last { !$0.isEmpty } ?? ""
        guard let dot = name.unicodeScalars.lastIndex(of: "."), dot != name.startIndex else {
            return String(name)
        }
        return String(name[..<dot])
    }

    /// `path` with `text` before its extension.
    package static func inserting(_ text: String, beforeExtensionOf path: String) -> String {
        let scalars = path.unicodeScalars
        let name = scalars.lastIndex(of: "/").map(scalars.index(after:)) ?? path.startIndex
        guard let dot = scalars.lastIndex(of: "."), dot > name else { return path + text }
        return path[..<dot] + text + path[dot...]
    }
}
