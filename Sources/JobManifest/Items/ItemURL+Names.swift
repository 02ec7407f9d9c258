import Files
import Transport

/// The names of files that are not UTF-8, which paths of outputs cannot hold.
extension ItemURL {
    /// Returns the problem of a file whose folders or name an output's path needs, and which are not UTF-8; nil without one, and for
    /// what is no file.
    ///
    /// The folders count from `base` on, if the file is below it.
    package static func problemOfNames(
        in url: String,
        below base: String?,
        folders: Bool,
        stem: Bool
    ) -> ItemProblem? {
        guard folders || stem, url.utf8.starts(with: "file:".utf8), url.containsASCII("%")
        else { return nil }
        var path = url.utf8[...]
        if let base, path.starts(with: base.utf8) { path = path.dropFirst(base.utf8.count) }
        path = path.prefix { $0 != UInt8(ascii: "?") }
        let name = path.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) } ?? path.startIndex
        let parts =
            (folders ? path[..<name].split(separator: UInt8(ascii: "/")) : []) + (stem ? [path[name...]] : [])
        let bad = parts.lazy.map { BytePath(bytes: PercentEncoding.decoded($0)) }.first { !$0.isText }
        return bad.map { name in
            ItemProblem(
                code: .badURL,
                message:
                    "the name \(name) is not UTF-8, and the path of an output needs its text: rename it, or use {id}, "
                    + "{index} or {hash} in place of {dir} and {stem}"
            )
        }
    }
}
