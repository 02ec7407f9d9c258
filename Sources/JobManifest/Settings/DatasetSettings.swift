import Files

/// The settings of a dataset.
public struct DatasetSettings: Sendable, Equatable {
    /// A container of outputs.
    public enum Pack: String, Sendable, CaseIterable {
        /// Tar files in the layout of WebDataset: the members of an item stand together and share the name up to its first dot.
        case tar
        /// Parquet files with a row an item, whose images have the metadata of Hugging Face's `datasets`.
        case parquet
    }

    /// The container of outputs; nil for single files.
    public var pack: Pack?
    /// The number of items of one shard.
    public var itemsPerFile = DatasetKeys.itemsPerFile.standard
    /// The list of all outputs, below the destination: `.jsonl`, `.csv` or `.parquet`.
    public var index: String?
    /// The beginning of the names of shards: that of a partition in a fleet, whose shards share a folder; otherwise empty.
    package var shardPrefix = ""
    /// True to skip originals whose origin opts out by `X-Robots-Tag`.
    public var honoursOptOut = DatasetKeys.honourOptOut.standard

    /// Creates the defaults.
    public init() {}

    init?(_ node: ManifestNode?, of outputs: [Output]) {
        guard let node, let fields = node.fields(.dataset) else { return nil }
        if outputs.isEmpty { node.report("needs at least one output: add \"outputs\"") }
        pack = fields[DatasetKeys.pack]
        if pack != nil, Set(outputs.map { PathValue.sanitized($0.name) }).count < outputs.count {
            fields.node(DatasetKeys.pack)?.report(
                "two outputs have the same name in a shard: use letters, digits, _ and - only"
            )
        }
        if pack == .parquet, outputs.count > 1 {
            let taken = outputs.map { PathValue.sanitized($0.name) }.first(where: Manifest.isParquetColumn)
            if let taken {
                fields.node(DatasetKeys.pack)?.report(
                    "the output \(ManifestNode.quoted(taken)) has the name of another column: rename it"
                )
            }
        }
        itemsPerFile = fields[DatasetKeys.itemsPerFile] ?? itemsPerFile
        if let node = fields.node(DatasetKeys.itemsPerFile), fields.node(DatasetKeys.pack) == nil {
            node.report("is only for shards: add \"pack\": \"tar\" or \"parquet\", or remove it")
        }
        index = fields.node(DatasetKeys.index).flatMap(Self.index)
        honoursOptOut = fields[DatasetKeys.honourOptOut] ?? honoursOptOut
    }

    private static let indexEndings = [".jsonl", ".csv", ".parquet"]

    private static func index(_ node: ManifestNode) -> String? {
        guard let path = node.string() else { return nil }
        let names = path.parts(at: "/")
        if names.contains(where: { ["", ".", ".."].contains($0) }) {
            node.report(
                "\(ManifestNode.quoted(path)) is not below the destination: name a file such as \"index.jsonl\""
            )
        } else if !Self.indexEndings.contains(where: { path.hasSuffix($0) && names.last?[...] != $0[...] }) {
            node.report("should end in .jsonl, .csv or .parquet, which is the index's format")
        } else if !path.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) {
            node.report("holds a control character: remove it")
        }
        return path
    }

    /// Gives the index of a part of the job's items a name of its own, as each part knows its own items only.
    package mutating func nameIndex(of shard: Partition) {
        guard let path = index, let dot = path.unicodeScalars.lastIndex(of: ".") else { return }
        index = "\(path[..<dot]).shard-\(shard.number)-of-\(shard.count)\(path[dot...])"
    }
}

extension DatasetSettings {
    /// True if the program that writes Parquet is needed.
    package var needsParquet: Bool { pack == .parquet || index?.hasSuffix(".parquet") == true }
}

extension Manifest {
    /// The reason of items that are skipped because their origin forbids their use in datasets.
    package static let optOut = "opt_out"
}
