/// The keys of a source.
enum SourceKeys {
    static let urls = KeyName(
        "urls",
        "URLs or paths in the manifest itself; see [URL entries](#url-entries)."
    )
    .synonyms(["url", "images", "items"])
    .holds(
        .custom(
            "array of strings and objects",
            schema: JSONSchema.list(
                of: JSONSchema.any(JSONSchema.string, JSONSchema.section(ItemEntry.section))
            )
        ),
        example: ["https://images.example.com/rocket.jpg"]
    )
    static let list = KeyName(
        "list",
        "A file with one row per image: `.txt`, `.csv`, `.tsv` or `.jsonl`, optionally with `.gz`, or `.parquet`, also a glob of such files; `s3://` names an object, and `\"-\"` is standard input."
    )
    .synonyms(["file", "csv", "jsonl", "path"])
    .holds(.written, example: "products.csv")
    static let files = KeyName(
        "files",
        "A glob or an array of globs, in which `**` crosses folders and `{jpg,png}` lists alternatives; a folder means all images in it."
    )
    .synonyms(["glob", "globs", "folder", "directory", "dir"])
    .holds(patterns(atLeast: 1), example: "photos/**/*.{jpg,png}")
    static let objects = KeyName(
        "objects",
        "A glob of the keys of a bucket, or an array of them, as for `files`; a key without a wildcard means all images in it, and one that ends in `/manifest.json` all images in that S3 Inventory."
    )
    .synonyms(["bucket", "s3", "keys", "object"])
    .holds(patterns(atLeast: 1), example: "s3://shop-photos/2026/**/*.{jpg,png}")
    static let exclude = KeyName(
        "exclude",
        "A glob or an array of globs, relative to the folder of `files` or `objects`, or of the manifest: files, objects and folders that are left out."
    )
    .synonyms(["except", "ignore", "without"])
    .holds(patterns(atLeast: 0), default: [], example: ["**/draft-*"])
    static let ignoreCase = KeyName(
        "ignoreCase",
        "Matches names regardless of case, so that `*.jpg` also finds `A.JPG`."
    )
    .synonyms(["caseInsensitive", "nocase"])
    .holds(.bool, default: true, example: false)
    static let template = KeyName(
        "template",
        "A URL with variables in braces: one image for each combination of the values in `vars`."
    )
    .synonyms(["pattern"])
    .holds(.written, example: "https://images.example.com/{sku}/{n}.jpg")
    static let sitemap = KeyName(
        "sitemap",
        "A sitemap or sitemap index, by URL or path, optionally with `.gz`."
    )
    .holds(.written, example: "https://images.example.com/sitemap.xml")
    static let sqlite = KeyName("sqlite", "An SQLite database, opened read-only; `query` selects the rows.")
        .synonyms(["database", "db"])
        .holds(.written, example: "products.db")
    static let query = KeyName("query", "One `select` statement whose columns are those of a CSV list.")
        .synonyms(["sql", "select"])
        .holds(
            .string,
            default: .described("none; required with `sqlite`"),
            example: "select image_url as url, sku as id from products"
        )
    static let format = KeyName("as", "The format of a `list`.")
        .synonyms(["format", "type"])
        .holds(.choice(ItemList.Format.self), default: .described("by the file's extension"), example: "csv")
    static let delimiter = KeyName("delimiter", "The character between the fields of a `list` in CSV or TSV.")
        .synonyms(["separator", "sep", "fieldSeparator"])
        .holds(
            .character,
            default: .described("what the header row shows: a comma, a semicolon, a tab or a vertical bar"),
            example: ";"
        )
    static let allowEmpty = KeyName(
        "allowEmpty",
        "Lets the source lose all its items; otherwise a run is refused if a source that the last plan had items of has none any more."
    )
    .synonyms(["allowsEmpty", "mayBeEmpty", "optional"])
    .holds(.bool, default: false, example: true)
    static let columns = KeyName(
        "columns",
        "The names of the columns of a `list` in CSV, TSV or Parquet, or of a `query`; with it, a list in JSONL is a table, too. See [Columns](#columns)."
    )
    .synonyms(["fields", "header"])
    .holds(.object(ItemList.Columns.section), default: [:], example: ["url": "image_url"])
    static let base = KeyName(
        "base",
        "The folder, or `s3://bucket/prefix`, from which relative paths in a `list` or `query` start, and `{dir}` of what "
            + "is below it."
    )
    .synonyms(["relativeTo", "root", "cwd"])
    .holds(
        .written,
        default: .described("the manifest's folder; that of the list if it is in a bucket"),
        example: "/srv/photos"
    )
    static let priority = KeyName("priority", "The priority of items without their own.")
        .holds(.choice(ItemPriority.self), default: .word(ItemPriority.normal), example: "high")
    static let headers = KeyName("headers", "Request headers for the items of this source.")
        .holds(.headers, default: [:], example: ["Accept": "image/jpeg"])
    static let vars = KeyName(
        "vars",
        "Path variables of every item; with `template`, the values of its variables as arrays or ranges such as `\"1..10\"`."
    )
    .synonyms(["variables"])
    .holds(.custom("object", schema: ["type": "object"]), default: [:], example: ["season": "spring"])
    static let processors = KeyName(
        "processors",
        "Processors that run after those of the manifest and before those of the output."
    )
    .synonyms(["steps", "operations", "transforms"])
    .holds(.objects(Step.section), default: [], example: [["trim": true]])

    private static func patterns(atLeast count: Int) -> KeyKind<ManifestNode> {
        let pattern: CanonicalJSON = ["type": "string", "minLength": 1]
        return .custom(
            "string or array of strings",
            schema: JSONSchema.any(pattern, ["type": "array", "items": pattern, "minItems": .integer(count)])
        )
    }
}

/// The keys of an entry of `urls`, and of a line of a JSONL list.
enum EntryKeys {
    static let url = KeyName("url", "The URL or path.")
        .synonyms(["src", "href", "link", "image", "uri"])
        .holds(.expanded, default: .required, example: "https://images.example.com/rocket.jpg")
    static let id = KeyName("id", "A name for the item, in paths and reports.")
        .synonyms(["key", "name", "sku"])
        .holds(
            .scalar,
            default: .described("the first 16 hex digits of SHA-256 of the URL"),
            example: "sku-42"
        )
    static let priority = KeyName("priority", "The item's priority.")
        .holds(.choice(ItemPriority.self), default: .described("the source's"), example: "high")
    static let headers = KeyName(
        "headers",
        "Request headers for this item, in addition to the source's; they are part of its identity."
    )
    .holds(.headers, default: [:], example: ["Accept": "image/jpeg"])
    static let vars = KeyName("vars", "Path variables of this item, in addition to the source's.")
        .synonyms(["variables"])
        .holds(.variables, default: [:], example: ["colour": "red"])
    static let versionId = KeyName(
        "versionId",
        "The version of an `s3://` object, in place of the newest; it is part of the item's identity."
    )
    .synonyms(["version", "versionID", "version_id"])
    .holds(.filled, example: "3HL4kqtJvjVBH40Nrjfkd")
}

/// The keys of `columns`.
enum ColumnKeys {
    static let url = KeyName("url", "The column with the URL or path.")
        .holds(.string, default: "url", example: "image_url")
    static let id = KeyName("id", "The column with the item's id, which may be missing.")
        .holds(.string, default: "id", example: "sku")
    static let priority = KeyName("priority", "The column with the priority, which may be missing.")
        .holds(.string, default: "priority", example: "prio")
}

extension Source {
    static let section = ManifestSection(
        "source",
        title: "Sources",
        about: [
            "Each entry of `sources` has exactly one of `urls`, `list`, `files`, `objects`, `template`, `sitemap` and `sqlite`. The "
                + "other keys apply to all items of the source. URLs may use `https`, `http`, `file`, `data` and `ftp`; a bare path "
                + "is a file. URLs are read as browsers read them ([WHATWG URL](https://url.spec.whatwg.org)): spaces and other "
                + "characters are percent-encoded, `\\` is `/`, `//host/x.jpg` is `https`, tabs and line ends inside are removed, names of "
                + "hosts may be international, and the fragment (`#…`) is dropped. A `%` that begins no escape is sent as `%25`.",
            "If a source that the last plan had items of has none any more, `plan` and the run stop with exit code 2 and change nothing, unless the source "
                + "has `\"allowEmpty\": true`: a list that is empty by mistake would remove all images of a site.",
            "Lists are streamed, so that millions of rows take constant memory. A text list has one URL per line; empty lines and "
                + "lines that begin with `#` are skipped. CSV and TSV lists (RFC 4180) have a header row; columns other than "
                + "those in `columns` become path variables. Fields are divided by what the header row shows (a comma, a semicolon, a tab or a vertical bar), or by "
                + "`delimiter`. Lines end with LF, CR LF or CR. The run warns of a quoted field that may have swallowed rows. JSONL lists have "
                + "one string or URL entry per line; with `columns`, each line is an object whose keys are columns. In paths, "
                + "numbers are as they are written, objects and arrays are JSON, and null is empty; a [dataset](#dataset) keeps the "
                + "[types](datasets.md#types-of-columns). Lists are UTF-8. Parquet lists have the columns of CSV lists, and are read by a "
                + "program of their own ([Parquet](parquet.md)). A row whose URL is "
                + "invalid is a failed item, and the report names its file and line.",
            "The files of globs are sorted by path. In a glob, `~/` stands for the home folder. Symbolic links that lead out of the "
                + "folder before the first wildcard are not followed, and the run tells how many. Files in the job's own destination, "
                + "cache and state are left out, and the run tells how many.",
            "Each run lists the buckets of `objects`, and loads only objects whose size or entity tag is new. Keys are taken as they "
                + "are, in the order of their bytes. Objects in `GLACIER` and `DEEP_ARCHIVE` are failed items until they are "
                + "restored. See [Object storage](object-storage.md).",
        ],
        example: .source(
            #"{"files": "photos/**/*.{jpg,png}", "priority": "high", "vars": {"season": "spring"}}"#
        ),
        keys: [
            SourceKeys.urls, SourceKeys.list, SourceKeys.files, SourceKeys.objects, SourceKeys.template,
            SourceKeys.sitemap, SourceKeys.sqlite, SourceKeys.exclude, SourceKeys.ignoreCase,
            SourceKeys.query,
            SourceKeys.format, SourceKeys.delimiter, SourceKeys.columns, SourceKeys.base,
            SourceKeys.allowEmpty, SourceKeys.priority, SourceKeys.headers,
            SourceKeys.vars, SourceKeys.processors,
        ],
        rules: [
            "oneOf": JSONSchema.anyRequired([
                "urls", "list", "files", "objects", "template", "sitemap", "sqlite",
            ]),
            "dependentRequired": [
                "as": ["list"], "delimiter": ["list"], "query": ["sqlite"], "sqlite": ["query"],
                "template": ["vars"],
            ],
            "dependentSchemas": [
                "exclude": ["anyOf": JSONSchema.anyRequired(["files", "objects"])],
                "ignoreCase": ["anyOf": JSONSchema.anyRequired(["files", "objects"])],
                "base": ["anyOf": JSONSchema.anyRequired(["list", "sqlite"])],
                "columns": ["anyOf": JSONSchema.anyRequired(["list", "sqlite"])],
            ],
            "if": ["required": ["template"]],
            "then": ["properties": ["vars": JSONSchema.values]],
            "else": ["properties": ["vars": JSONSchema.variables]],
        ]
    )
}

extension ItemEntry {
    static let section = ManifestSection(
        "entry",
        title: "URL entries",
        about: ["An entry of `urls`, or a line of a JSONL list, is a string or an object with these keys."],
        example: .source(
            """
            {
              "urls": [
                "https://images.example.com/coffee.png",
                {"url": "https://images.example.com/rocket.jpg", "id": "sku-42", "vars": {"colour": "red"}}
              ]
            }
            """
        ),
        keys: [
            EntryKeys.url, EntryKeys.id, EntryKeys.priority, EntryKeys.headers, EntryKeys.vars,
            EntryKeys.versionId,
        ]
    )
}

extension ItemList.Columns {
    static let section = ManifestSection(
        "columns",
        title: "Columns",
        about: ["A column that is named here must be in the list or query."],
        example: .list(
            #"{"list": "photos.csv", "columns": {"url": "image_url", "id": "sku"}}"#,
            name: "photos.csv",
            rows: "sku,image_url,colour\na-100,https://images.example.com/astronaut.png,red"
        ),
        keys: [ColumnKeys.url, ColumnKeys.id, ColumnKeys.priority]
    )
}
