/// The keys of the manifest itself.
enum ManifestKeys {
    static let schema = KeyName(
        "$schema",
        "The JSON Schema of manifests, for editors; nuke-batch does not read it."
    )
    .holds(.string, example: "manifest.schema.json")
    static let version = KeyName("version", "The version of the manifest's format.")
        .holds(.only(1, of: 0...1_000_000), default: 1, example: 1)
    static let include = KeyName("include", "Manifests that supply the top-level keys that this one lacks.")
        .synonyms(["extends", "import", "base"])
        .holds(
            .custom("string or array of strings", schema: includeSchema),
            default: [],
            example: "defaults.json"
        )
    static let name = KeyName("name", "A title for the job.")
        .synonyms(["title"])
        .holds(.string, default: .described("the file's name without extension"), example: "thumbnails")
    static let sources = KeyName("sources", "The images to process; see [Sources](#sources).")
        .synonyms(["source", "input", "inputs", "urls", "files", "images"])
        .holds(
            .custom("array of objects, at least one", schema: sourcesSchema),
            default: .described("none; required here or in an included manifest"),
            example: [["files": "photos/*.jpg"]]
        )
    static let items = KeyName(
        "items",
        "A file of planned items, which takes the place of the sources' rows."
    )
    .hidden
    .holds(.filled, default: .described("the rows of the sources"), example: "residue.items.jsonl.gz")
    static let partitionItems = KeyName(
        "partitionItems",
        "The most items that `fleet plan` puts into a partition, to divide partitions that ended two workers."
    )
    .hidden
    .holds(.integer(1...1_000_000), example: 5000)
    static let processors = KeyName(
        "processors",
        "Processors that run before those of the source and of the output."
    )
    .synonyms(["steps", "operations", "transforms", "filters"])
    .holds(.objects(Step.section), default: [], example: [["resize": ["width": 320]]])
    static let outputs = KeyName(
        "outputs",
        "The files to make from every image; with none, a run only fills the cache."
    )
    .synonyms(["output", "variants", "sizes", "renditions"])
    .holds(.objects(ManifestOutput.section), default: [], example: [["name": "small", "format": "webp"]])
    static let facts = KeyName("facts", "Facts to record about every original; see [Facts](#facts).")
        .synonyms(["metadata", "exif", "analyze"])
        .holds(
            .custom(
                "array of words",
                schema: ["type": "array", "items": JSONSchema.choice(Fact.self), "uniqueItems": true]
            ),
            default: [],
            example: ["size", "blurHash"]
        )
    static let destination = KeyName(
        "destination",
        "The base folder of the outputs, relative to the manifest's folder, or `s3://bucket/prefix`; see [Object storage](object-storage.md)."
    )
    .synonyms(["dest", "out", "outDir", "directory", "target"])
    .holds(.filled, default: "out", example: "/srv/images/out")
    static let state = KeyName("state", "The file of the job's state, relative to the manifest's folder.")
        .synonyms(["stateFile", "state-file", "database", "db"])
        .holds(
            .filled,
            default: .described("`.nuke-batch/NAME.sqlite` beside the manifest `NAME.json`"),
            example: "/var/lib/nuke-batch/shop.sqlite"
        )
    static let cache = KeyName("cache", "The cache of originals; see [cache](#cache).")
        .holds(.object(CacheSettings.section), default: [:], example: ["sizeLimit": "50GB"])
    static let loading = KeyName("loading", "Transfers, rates and timeouts; see [loading](#loading).")
        .synonyms(["http", "download", "downloads", "fetch"])
        .holds(.object(LoadingSettings.section), default: [:], example: ["rate": "20/s"])
    static let retry = KeyName("retry", "Attempts and waiting times; see [retry](#retry).")
        .synonyms(["retries"])
        .holds(.object(RetrySettings.section), default: [:], example: ["attempts": 6])
    static let limits = KeyName("limits", "Limits of a run and of an image; see [limits](#limits).")
        .holds(.object(LimitSettings.section), default: [:], example: ["memory": "2GiB"])
    static let network = KeyName(
        "network",
        "The addresses and folders that a job may reach; see [network](#network)."
    )
    .synonyms(["security"])
    .holds(.object(NetworkSettings.section), default: [:], example: ["allow": ["localhost"]])
    static let dataset = KeyName(
        "dataset",
        "Shards and an index for machine learning; see [dataset](#dataset)."
    )
    .synonyms(["webdataset"])
    .holds(.object(DatasetSettings.section), example: ["pack": "tar"])
    static let storage = KeyName("storage", "Object storage; see [storage](#storage).")
        .synonyms(["s3", "objectStorage", "buckets"])
        .holds(.object(StorageSettings.section), default: [:], example: ["s3": ["region": "eu-central-1"]])

    private static let includeSchema = JSONSchema.any(
        JSONSchema.string,
        JSONSchema.list(of: JSONSchema.string)
    )
    private static let sourcesSchema: CanonicalJSON = [
        "type": "array", "items": JSONSchema.section(Source.section), "minItems": 1,
    ]
}

extension Manifest {
    static let section = ManifestSection(
        "manifest",
        title: "Top-level keys",
        about: [
            "An included manifest may include others. Its relative paths start from its own folder. A key of the including "
                + "manifest replaces the included key as a whole. If several included manifests have a key, the first of them wins.",
            "`${NAME}` in a URL, a header, credentials, a path or the destination stands for an environment variable. "
                + "A variable that is not set is an error. Write `$${` for a literal `${`. Lists and databases are never expanded.",
        ],
        example: .manifest(
            """
            {
              "name": "shop",
              "sources": [{"files": "photos/*"}],
              "processors": [{"trim": true}],
              "outputs": [
                {"name": "small", "processors": [{"resize": {"width": 160}}], "format": "webp"},
                {"name": "large", "processors": [{"resize": {"width": 640}}], "format": {"jpeg": {"quality": 85}}}
              ],
              "facts": ["size", "blurHash"],
              "destination": "out"
            }
            """
        ),
        keys: [
            ManifestKeys.schema, ManifestKeys.version, ManifestKeys.include, ManifestKeys.name,
            ManifestKeys.sources, ManifestKeys.items, ManifestKeys.partitionItems, ManifestKeys.processors,
            ManifestKeys.outputs, ManifestKeys.facts, ManifestKeys.destination, ManifestKeys.state,
            ManifestKeys.cache,
            ManifestKeys.loading,
            ManifestKeys.retry, ManifestKeys.limits, ManifestKeys.network, ManifestKeys.dataset,
            ManifestKeys.storage,
        ],
        rules: [
            "anyOf": JSONSchema.anyRequired(["sources", "include"]),
            "dependentSchemas": [
                "dataset": [
                    "anyOf": [
                        ["required": ["include"]],
                        ["required": ["outputs"], "properties": ["outputs": ["minItems": 1]]],
                    ]
                ]
            ],
        ]
    )
}
