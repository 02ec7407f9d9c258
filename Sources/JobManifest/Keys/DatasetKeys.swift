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
        about: [
            "A manifest with `dataset` needs at least one output.",
            "Each complete shard has a file of statistics beside it, `00003_stats.json`, with the names that img2dataset gives "
                + "them: `count` and `successes` are the items in the shard, `start_time`, `end_time` and `duration` tell in seconds "
                + "when they were recorded, `outputs` and `bytes` are the number and the size of the images. Failed items are in "
                + "no shard, so that `failed_to_download` and `failed_to_resize` are 0.",
        ],
        example: .setting(#""dataset": {"pack": "tar", "itemsPerFile": 1000, "index": "index.jsonl"}"#),
        keys: [DatasetKeys.pack, DatasetKeys.itemsPerFile, DatasetKeys.index, DatasetKeys.honourOptOut],
        rules: ["dependentRequired": ["itemsPerFile": ["pack"]]]
    )
}
