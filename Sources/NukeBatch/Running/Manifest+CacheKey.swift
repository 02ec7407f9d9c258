import Files

extension Manifest {
    /// What a cache keeps an original under.
    ///
    /// Its URL as stored, with a digest of what that stands for where it has variables, since their values are never kept;
    /// and a digest of the item's own headers where it has any.
    func cacheKey(of url: String, headers: [String: String]) -> String {
        var parts = [url]
        if Variables.occur(in: url) { parts.append(Digest.sha256.hex(of: target(of: url))) }
        if !headers.isEmpty {
            let fields = headers.sorted { $0.key < $1.key }.map { "\($0.key.lowercased()):\($0.value)" }
            parts.append(Digest.sha256.hex(of: fields.joined(separator: "\n")))
        }
        return parts.joined(separator: "\n")
    }
}
