import Files

extension Manifest {
    /// Returns the key of an original in the cache.
    ///
    /// Its URL as stored, with a digest of what that stands for where it has variables, since their values are never kept,
    /// and where it is not ASCII, since strings compare by characters and the keys of a bucket by bytes; and a digest of the
    /// item's own headers where it has any.
    package func cacheKey(of url: String, headers: [String: String]) -> String {
        var parts = [url]
        if Variables.occur(in: url) || !url.utf8.allSatisfy({ $0 < 0x80 }) {
            parts.append(Digest.sha256.hex(of: target(of: url)))
        }
        if !headers.isEmpty {
            let fields = headers.sorted { $0.key < $1.key }.map { "\($0.key.lowercased()):\($0.value)" }
            parts.append(Digest.sha256.hex(of: fields.joined(separator: "\n")))
        }
        return parts.joined(separator: "\n")
    }

    /// The digest of everything that shapes an output of a source's items, 32 hexadecimal digits.
    package func digest(of output: Output, source: Int) -> String {
        String(Digest.sha256.hex(of: recipe(of: output, source: source)).prefix(32))
    }

    /// The digest of an output's settings without its condition, which decides if it is made but not its contents.
    package func shape(of output: Output, source: Int) -> String {
        var unconditional = output
        unconditional.condition = OutputCondition()
        return digest(of: unconditional, source: source)
    }

    /// The digests of the settings that `digest(of:source:)` covers, by the manifest's keys.
    ///
    /// Comparing them with those of another recipe shows which settings differ.
    package func partDigests(of output: Output, source: Int) -> [String: String] {
        var parts = recipeParts(of: output, source: source).mapValues(\.text)
        parts["pack"] = dataset?.pack?.rawValue ?? ""
        return parts.mapValues { String(Digest.sha256.hex(of: $0).prefix(16)) }
    }
}
