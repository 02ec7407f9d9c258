import Files

/// The settings of a dataset.
public struct DatasetSettings: ManifestSettings, Sendable, Equatable {
    /// A container of outputs.
    public enum Pack: String, Sendable, CaseIterable {
        /// Tar files in the layout of WebDataset: the members of an item stand together and share the name up to its first dot.
        case tar
        /// Parquet files with a row an item, whose images have the metadata of Hugging Face's `datasets`.
        case parquet
    }

    /// The comparison of originals by which only the first of several equal ones is kept.
    public enum Deduplication: String, Sendable, CaseIterable {
        /// Equal bytes.
        case bytes
        /// Perceptual hashes that are near each other: the fact `pdq`.
        case pixels
    }

    /// The container of outputs; nil for single files.
    public var pack: Pack?
    /// The number of items of one shard.
    public var itemsPerFile = 10_000
    /// The captions, which are files of text beside the images in shards, and columns of Parquet and the index.
    public var captions: [DatasetCaption] = []
    /// The list of all outputs, below the destination: `.jsonl`, `.csv` or `.parquet`.
    public var index: String?
    /// The beginning of the names of shards: that of a partition in a fleet, whose shards share a folder; otherwise empty.
    package var shardPrefix = ""
    /// The types of a fleet's columns by their names, as `ListColumn.Contents`; nil for a job on one machine.
    ///
    /// So the shards of all partitions have the same columns.
    package var columns: [String: Int]?
    /// True to skip originals whose origin opts out by `X-Robots-Tag`.
    public var honoursOptOut = true
    /// True to skip originals that the robots.txt of their origin forbids (RFC 9309).
    public var honoursRobots = true
    /// The comparison that finds duplicates, which are skipped; nil to make the outputs of all.
    public var deduplication: Deduplication?
    /// The conditions on every original, which each output has beside its own.
    public var condition = OutputCondition()

    /// Creates the defaults.
    public init() {}

    private static let indexEndings = [".jsonl", ".csv", ".parquet"]

    private static func index(_ node: ManifestNode) -> String? {
        guard let path = node.string() else { return nil }
        let names = path.parts(at: "/")
        if names.contains(where: { ["", ".", ".."].contains($0) }) {
            node.report(
                "\(CanonicalJSON.quoted(path)) is not below the destination: name a file such as \"index.jsonl\""
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

extension DatasetSettings: ManifestObject {
    static let standard = DatasetSettings()
    static let section = ManifestSection(
        "dataset",
        about: [
            "A manifest with `dataset` needs at least one output.",
            "`minWidth`, `minHeight`, `maxAspect` and `minBytes` are conditions of every output, beside those of its `when`. Skipped items are in no shard; `status` counts them by reason.",
            "Each complete shard has a file of statistics beside it, `00003_stats.json`, with the names that img2dataset gives "
                + "them: `count` and `successes` are the items in the shard, `start_time`, `end_time` and `duration` tell in seconds "
                + "when they were recorded, `outputs` and `bytes` are the number and the size of the images. Failed items are in "
                + "no shard, so that `failed_to_download` and `failed_to_resize` are 0.",
            "[Datasets for training](datasets.md) shows captions and the types of columns, and how training code reads them.",
        ],
        example: .setting(#""dataset": {"pack": "tar", "itemsPerFile": 1000, "index": "index.jsonl"}"#),
        keys: keys,
        rules: ["dependentRequired": ["caption": ["pack"], "itemsPerFile": ["pack"]]]
    )

    static let keys: [BoundKey<Self>] = [
        KeyName(
            "pack",
            "`tar` writes WebDataset shards instead of single files, `parquet` Parquet files with the images in them; see [Parquet](parquet.md)."
        )
        .synonyms(["format", "shards"])
        .sets(
            \.pack,
            as: .choice(
                Pack.self,
                synonyms: ["webdataset": .tar, "shards": .tar, "arrow": .parquet, "huggingface": .parquet]
            ),
            example: "tar"
        ),
        KeyName("itemsPerFile", "The number of items in a shard; needs `pack`.")
            .synonyms(["shardSize", "perFile", "samplesPerShard"])
            .sets(as: .integer(1...1_000_000_000), default: .integer(standard.itemsPerFile), example: 1000) {
                settings in
                // Without a pack, the reader refuses a number of items, and the default stands for none.
                settings.pack != nil || settings.itemsPerFile != standard.itemsPerFile
                    ? settings.itemsPerFile : nil
            } set: {
                $0.itemsPerFile = $1
            },
        KeyName(
            "caption",
            "The column with the caption, which becomes `KEY.txt` beside the images of a shard; of an array of columns, each becomes "
                + "`KEY.COLUMN.txt`. Needs `pack`."
        )
        .synonyms(["captions", "captionColumn", "text", "caption_col"])
        .sets(
            \.captions,
            as: KeyKind(
                "string or array of strings",
                schema: JSONSchema.any(
                    ["type": "string", "minLength": 1],
                    [
                        "type": "array", "items": ["type": "string", "minLength": 1], "minItems": 1,
                        "uniqueItems": true,
                    ]
                ),
                read: DatasetCaption.list,
                write: DatasetCaption.written
            ),
            default: KeyDefault.none,
            example: "caption"
        ).nullByDefault,
        KeyName("index", "A file below the destination that lists all outputs.")
            .synonyms(["manifest", "list", "metadata"])
            .sets(
                \.index,
                as: .text(
                    "path that ends in `.jsonl`, `.csv` or `.parquet`",
                    schema: [
                        "type": "string",
                        "pattern": "^[^/\\u0000-\\u001F]([^\\u0000-\\u001F]*[^/])?\\.(jsonl|csv|parquet)$",
                        "not": ["pattern": "(^|/)\\.{0,2}(/|$)"],
                    ],
                    read: index
                ),
                example: "index.jsonl"
            ),
        KeyName("honourOptOut", "Skips originals whose `X-Robots-Tag` has `noai` or `noimageai`.")
            .synonyms(["honorOptOut", "optOut"])
            .sets(\.honoursOptOut, as: .bool, example: false),
        KeyName(
            "honourRobots",
            "Skips originals that the robots.txt of their origin forbids (RFC 9309), which a run loads once."
        )
        .synonyms(["honorRobots", "robots", "robotsTxt"])
        .sets(\.honoursRobots, as: .bool, example: false),
        KeyName(
            "deduplicate",
            "Skips originals that an earlier row has as well: `bytes` compares the bytes, `pixels` the fact `pdq`; see "
                + "[Near copies](near-copies.md#deduplicating-a-dataset)."
        )
        .synonyms(["dedup", "dedupe", "deduplication", "unique"])
        .sets(
            \.deduplication,
            as: .choice(Deduplication.self, synonyms: ["sha256": .bytes, "pdq": .pixels]),
            example: "bytes"
        ),
        KeyName("minWidth", "Skips originals that are narrower, in pixels after EXIF orientation.")
            .synonyms(["width"])
            .sets(\.condition.minWidth, as: .integer(0...1_000_000), example: 200),
        KeyName("minHeight", "Skips originals that are lower, in pixels after EXIF orientation.")
            .synonyms(["height"])
            .sets(\.condition.minHeight, as: .integer(0...1_000_000), example: 200),
        KeyName("maxAspect", "Skips originals with a greater ratio of the longer side to the shorter one.")
            .synonyms(["aspect", "aspectRatio", "ratio"])
            .sets(\.condition.maxAspect, as: .number(1...1_000_000), example: 3),
        KeyName("minBytes", "Skips originals whose files are smaller; they are not decoded.")
            .synonyms(["minSize", "minFileSize"])
            .sets(\.condition.minBytes, as: .size, example: "5kB"),
    ]

    /// True if the program that writes Parquet is needed.
    package var needsParquet: Bool { pack == .parquet || index?.hasSuffix(".parquet") == true }
}
