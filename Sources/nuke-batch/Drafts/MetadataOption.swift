import JobManifest

/// The value of `--metadata`: classes to keep, and after a `-` classes to drop.
struct MetadataOption: Sendable {
    let keep, drop: [String]

    /// Reads classes with commas between them; nil if one is unknown, or if none is left.
    init?(_ text: String) {
        var (keep, drop): ([String], [String]) = ([], [])
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let isDropped = word.hasPrefix("-")
            let name = String(isDropped ? word.dropFirst() : word)
            guard MetadataChoice.names.contains(name) else { return nil }
            if isDropped { drop.append(name) } else { keep.append(name) }
        }
        let kept = keep.isEmpty ? MetadataChoice.names : keep
        if kept.allSatisfy(drop.contains) { return nil }
        (self.keep, self.drop) = (keep, drop)
    }

    /// The value of `metadata` in the manifest.
    var member: JSONText {
        let lists = [("keep", keep), ("drop", drop)].filter { !$0.1.isEmpty }
        return .object(lists.map { name, classes in .init(name, .list(classes.map { .text($0) })) })
    }
}

extension ArgumentValue where Value == MetadataOption {
    /// Classes of metadata with commas between them.
    static var metadata: Self {
        ArgumentValue(
            "CLASS,…",
            form:
                "one or more of \(MetadataChoice.names.joined(separator: ", ")), each to keep, or after a - to drop",
            completion: .list(MetadataChoice.names),
            read: MetadataOption.init
        )
    }
}
