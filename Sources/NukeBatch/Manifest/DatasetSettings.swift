/// What the outputs are to be as a dataset.
public struct DatasetSettings: Sendable, Equatable {
    /// What outputs are packed into.
    public enum Pack: String, Sendable, CaseIterable {
        /// Tar files in the layout of WebDataset: the members of an item stand together and share the name up to its first dot.
        case tar
    }

    /// What outputs are packed into; nil for files of their own.
    public var pack: Pack?
    /// How many items a tar file holds.
    public var itemsPerFile = 10_000
    /// The list of all outputs, below the destination: `.jsonl` or `.csv`.
    public var index: String?
    /// Whether an original whose origin forbids such use, by `X-Robots-Tag`, is left out.
    public var honoursOptOut = true

    init?(_ node: ManifestNode?, of outputs: [Output]) {
        guard let node, let fields = node.fields(.dataset) else { return nil }
        if outputs.isEmpty { node.report("is made of outputs, and there are none: add \"outputs\"") }
        pack = fields["pack"]?.choice(Pack.self)
        if pack != nil, Set(outputs.map { PathValue.sanitized($0.name) }).count < outputs.count {
            fields["pack"]?.report(
                "two outputs have names that are one in a tar file: use letters, digits, _ and - in them"
            )
        }
        itemsPerFile = fields["itemsPerFile"]?.integer(1...1_000_000_000) ?? itemsPerFile
        if let node = fields["itemsPerFile"], fields["pack"] == nil {
            node.report("is about tar files: add \"pack\": \"tar\", or remove it")
        }
        index = fields["index"].flatMap(Self.index)
        honoursOptOut = fields["honourOptOut"]?.bool() ?? honoursOptOut
    }

    private static func index(_ node: ManifestNode) -> String? {
        guard let path = node.string() else { return nil }
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        if names.contains(where: { ["", ".", ".."].contains($0) }) {
            node.report(
                "\(ManifestNode.quoted(path)) does not stay below the destination: name a file in it, such as \"index.jsonl\""
            )
        } else if ![".jsonl", ".csv"].contains(where: { path.hasSuffix($0) && names.last?[...] != $0[...] }) {
            node.report("should end in .jsonl or .csv, which say what the index is written as")
        } else if !path.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) {
            node.report("holds a control character: remove it")
        }
        return path
    }

    /// Gives the index of a part of the job's items a name of its own, as each part knows its own items only.
    mutating func nameIndex(of shard: Shard) {
        guard let path = index, let dot = path.lastIndex(of: ".") else { return }
        index = "\(path[..<dot]).shard-\(shard.number)-of-\(shard.count)\(path[dot...])"
    }
}
