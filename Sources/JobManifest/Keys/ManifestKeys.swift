import Imaging

/// The keys of the manifest itself.
enum ManifestKeys {
    static let schema = Key(
        "$schema",
        .string,
        summary: "The JSON Schema of manifests, for editors; nuke-batch does not read it.",
        example: "manifest.schema.json"
    )
    static let version = Key(
        "version",
        .only(1, of: 0...1_000_000),
        default: 1,
        summary: "The version of the manifest's format.",
        example: 1
    )
    static let include = Key(
        "include",
        .custom("string or array of strings", schema: includeSchema),
        default: [],
        summary: "Manifests that supply the top-level keys that this one lacks.",
        example: "defaults.json",
        synonyms: ["extends", "import", "base"]
    )
    static let name = Key(
        "name",
        .string,
        default: .described("the file's name without extension"),
        summary: "A title for the job.",
        example: "thumbnails",
        synonyms: ["title"]
    )
    static let sources = Key(
        "sources",
        .custom("array of objects, at least one", schema: sourcesSchema),
        default: .described("none; required here or in an included manifest"),
        summary: "The images to process; see [Sources](#sources).",
        example: [["files": "photos/*.jpg"]],
        synonyms: ["source", "input", "inputs", "urls", "files", "images"]
    )
    static let items = Key(
        "items",
        .filled,
        default: .described("the rows of the sources"),
        summary:
            "A file of planned items, such as `fleet collect --residue` writes, which takes the place of the sources' rows; see [Fleets](fleet.md).",
        example: "residue.items.jsonl.gz"
    )
    static let partitionItems = Key(
        "partitionItems",
        .integer(1...1_000_000),
        default: .described("none"),
        summary:
            "The most items that `fleet plan` puts into a partition, where `--partition-items` allows more. `fleet collect --residue` writes it to divide partitions that ended two workers.",
        example: 5000
    )
    static let processors = Key(
        "processors",
        .objects(.processor),
        default: [],
        summary: "Processors that run before those of the source and of the output.",
        example: [["resize": ["width": 320]]],
        synonyms: ["steps", "operations", "transforms", "filters"]
    )
    static let outputs = Key(
        "outputs",
        .objects(.output),
        default: [],
        summary: "The files to make from every image; with none, a run only fills the cache.",
        example: [["name": "small", "format": "webp"]],
        synonyms: ["output", "variants", "sizes", "renditions"]
    )
    static let facts = Key(
        "facts",
        .custom(
            "array of words",
            schema: ["type": "array", "items": ManifestSchema.choice(Fact.self), "uniqueItems": true]
        ),
        default: [],
        summary: "Facts to record about every original; see [Facts](#facts).",
        example: ["size", "blurHash"],
        synonyms: ["metadata", "exif", "analyze"]
    )
    static let destination = Key(
        "destination",
        .filled,
        default: "out",
        summary:
            "The base folder of the outputs, relative to the manifest's folder, or `s3://bucket/prefix`; see [Object storage](object-storage.md).",
        example: "/srv/images/out",
        synonyms: ["dest", "out", "outDir", "directory", "target"]
    )
    static let state = Key(
        "state",
        .filled,
        default: .described("`.nuke-batch/NAME.sqlite` beside the manifest `NAME.json`"),
        summary: "The file of the job's state, relative to the manifest's folder.",
        example: "/var/lib/nuke-batch/shop.sqlite",
        synonyms: ["stateFile", "state-file", "database", "db"]
    )
    static let cache = Key(
        "cache",
        .object(.cache),
        default: [:],
        summary: "The cache of originals; see [cache](#cache).",
        example: ["sizeLimit": "50GB"]
    )
    static let loading = Key(
        "loading",
        .object(.loading),
        default: [:],
        summary: "Transfers, rates and timeouts; see [loading](#loading).",
        example: ["rate": "20/s"],
        synonyms: ["http", "download", "downloads", "fetch"]
    )
    static let retry = Key(
        "retry",
        .object(.retry),
        default: [:],
        summary: "Attempts and waiting times; see [retry](#retry).",
        example: ["attempts": 6],
        synonyms: ["retries"]
    )
    static let limits = Key(
        "limits",
        .object(.limits),
        default: [:],
        summary: "Limits of a run and of an image; see [limits](#limits).",
        example: ["memory": "2GiB"]
    )
    static let network = Key(
        "network",
        .object(.network),
        default: [:],
        summary: "The addresses and folders that a job may reach; see [network](#network).",
        example: ["allow": ["localhost"]],
        synonyms: ["security"]
    )
    static let dataset = Key(
        "dataset",
        .object(.dataset),
        summary: "Shards and an index for machine learning; see [dataset](#dataset).",
        example: ["pack": "tar"],
        synonyms: ["webdataset"]
    )

    static let storage = Key(
        "storage",
        .object(.storage),
        default: [:],
        summary: "Object storage; see [storage](#storage).",
        example: ["s3": ["region": "eu-central-1"]],
        synonyms: ["s3", "objectStorage", "buckets"]
    )

    private static let includeSchema = ManifestSchema.any(
        ManifestSchema.string,
        ManifestSchema.list(of: ManifestSchema.string)
    )
    private static let sourcesSchema: CanonicalJSON = [
        "type": "array", "items": ManifestSchema.section(.source), "minItems": 1,
    ]
}

extension ManifestSection {
    static let manifest = ManifestSection(
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
            "anyOf": ManifestSchema.anyRequired(ManifestKeys.sources, ManifestKeys.include),
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
