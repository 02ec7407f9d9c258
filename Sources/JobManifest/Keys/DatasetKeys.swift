/// The keys of `dataset`.
enum DatasetKeys {
    static let pack = Key(
        "pack",
        .choice(
            DatasetSettings.Pack.self,
            synonyms: ["webdataset": .tar, "shards": .tar, "arrow": .parquet, "huggingface": .parquet]
        ),
        summary:
            "`tar` writes WebDataset shards instead of single files, `parquet` Parquet files with the images in them; see [Parquet](parquet.md).",
        example: "tar",
        synonyms: ["format", "shards"]
    )
    static let itemsPerFile = Key(
        "itemsPerFile",
        .integer(1...1_000_000_000),
        default: 10_000,
        summary: "The number of items in a shard; needs `pack`.",
        example: 1000,
        synonyms: ["shardSize", "perFile", "samplesPerShard"]
    )
    static let index = Key(
        "index",
        .custom(
            "path that ends in `.jsonl`, `.csv` or `.parquet`",
            schema: [
                "type": "string",
                "pattern": "^[^/\\u0000-\\u001F]([^\\u0000-\\u001F]*[^/])?\\.(jsonl|csv|parquet)$",
                "not": ["pattern": "(^|/)\\.{0,2}(/|$)"],
            ]
        ),
        summary: "A file below the destination that lists all outputs.",
        example: "index.jsonl",
        synonyms: ["manifest", "list", "metadata"]
    )
    static let honourOptOut = Key(
        "honourOptOut",
        .bool,
        default: true,
        summary: "Skips originals whose `X-Robots-Tag` has `noai` or `noimageai`.",
        example: false,
        synonyms: ["honorOptOut", "optOut", "robots"]
    )
}

extension ManifestSection {
    static let dataset = ManifestSection(
        "dataset",
        title: "dataset",
        about: ["A manifest with `dataset` needs at least one output."],
        example: .setting(#""dataset": {"pack": "tar", "itemsPerFile": 1000, "index": "index.jsonl"}"#),
        keys: [DatasetKeys.pack, DatasetKeys.itemsPerFile, DatasetKeys.index, DatasetKeys.honourOptOut],
        rules: ["dependentRequired": ["itemsPerFile": ["pack"]]]
    )
}
