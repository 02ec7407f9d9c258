/// A source of items for a manifest that is built in code.
///
/// Relative paths start from the working directory. In all texts, `${NAME}` stands for an environment variable and `$${` for
/// `${`, as in a manifest's file. `Manifest.init` checks everything.
public struct ManifestSource: Sendable {
    /// The priority of items that have none of their own.
    public var priority = SourceKeys.priority.standard
    /// The header fields of the requests for its items.
    public var headers: [String: String] = [:]
    /// Path variables of every item, such as `["season": "spring"]` for `{season}`.
    public var variables: [String: String] = [:]
    /// The processors that run after the manifest's and before an output's.
    public var processors: [Step] = []
    /// True if the source may lose all items that the last plan had of it.
    public var allowsEmpty = SourceKeys.allowEmpty.standard
    /// The key that decides the kind, and those that go with it.
    private let kind: [String: CanonicalJSON]

    private init(_ kind: [String: CanonicalJSON]) {
        self.kind = kind
    }

    /// Makes a source of the files that `globs` match, without those that `excluded` match.
    ///
    /// A folder stands for all images in it.
    public static func files(
        _ globs: String...,
        excluding excluded: [String] = [],
        ignoringCase ignoresCase: Bool = true
    ) -> ManifestSource {
        ManifestSource([
            "files": .strings(globs), "exclude": .strings(excluded), "ignoreCase": .bool(ignoresCase),
        ])
    }

    /// Makes a source of the objects of a store whose keys globs such as `s3://bucket/photos/**` match, without those that
    /// `excluded` match.
    ///
    /// A key without a wildcard stands for all images below it.
    public static func objects(
        _ globs: String...,
        excluding excluded: [String] = [],
        ignoringCase ignoresCase: Bool = true
    ) -> ManifestSource {
        ManifestSource([
            "objects": .strings(globs), "exclude": .strings(excluded), "ignoreCase": .bool(ignoresCase),
        ])
    }

    /// Makes a source of URLs and paths.
    public static func urls(_ urls: [String]) -> ManifestSource {
        ManifestSource(["urls": .strings(urls)])
    }

    /// Makes a source of URLs and paths with settings of their own.
    public static func entries(_ entries: [ItemEntry]) -> ManifestSource {
        ManifestSource(["urls": .array(entries.map(\.json))])
    }

    /// Makes a source of the rows of a file, `-` for standard input: text, CSV, TSV or JSON Lines, also compressed with gzip.
    ///
    /// Without `format`, the name implies it. `columns` are for CSV and TSV, and make a table of JSON Lines. `delimiter` is for
    /// CSV and TSV, by default what the header row shows. Relative paths in the rows start from `base`, by default the working
    /// directory.
    public static func list(
        _ path: String,
        format: ItemList.Format? = nil,
        columns: ItemList.Columns = ItemList.Columns(),
        delimiter: Character? = nil,
        base: String? = nil
    ) -> ManifestSource {
        ManifestSource([
            "list": .string(path), "as": format.map(CanonicalJSON.word) ?? .null, "columns": columns.json,
            "delimiter": delimiter.map { .string(String($0)) } ?? .null,
            "base": base.map(CanonicalJSON.string) ?? .null,
        ])
    }

    /// Makes a source of the rows of a `SELECT` in an SQLite database, which is opened for reading only.
    ///
    /// The columns are those of a CSV list. Relative paths in the rows start from `base`, by default the working directory.
    public static func sqlite(
        _ path: String,
        query: String,
        columns: ItemList.Columns = ItemList.Columns(),
        base: String? = nil
    ) -> ManifestSource {
        ManifestSource([
            "sqlite": .string(path), "query": .string(query), "columns": columns.json,
            "base": base.map(CanonicalJSON.string) ?? .null,
        ])
    }

    /// Makes a source of the URLs of a template: one for each combination of the values of its variables in braces.
    ///
    /// The variables are taken in the order of their names, and the last one changes fastest.
    public static func template(_ url: String, values: [String: [String]]) -> ManifestSource {
        ManifestSource(["template": .string(url), "vars": .object(values.mapValues(CanonicalJSON.strings))])
    }

    /// Makes a source of the images of a sitemap or sitemap index, by URL or path.
    public static func sitemap(_ url: String) -> ManifestSource {
        ManifestSource(["sitemap": .string(url)])
    }

    /// The source as a manifest writes it.
    package var json: CanonicalJSON {
        let settings: [String: CanonicalJSON] = [
            "priority": .word(priority), "headers": .strings(headers),
            "processors": .array(processors.map(\.canonical)), "allowEmpty": .bool(allowsEmpty),
        ]
        var members = kind.merging(settings) { own, _ in own }
        if !variables.isEmpty {
            // Those of a template are in its kind; the reader refuses others that the template does not name.
            members["vars", default: [:]].merge(variables)
        }
        return .object(members)
    }
}

extension CanonicalJSON {
    /// Adds texts to an object that does not have them.
    fileprivate mutating func merge(_ texts: [String: String]) {
        guard case .object(let members) = self else { return }
        self = .object(members.merging(texts.mapValues(CanonicalJSON.string)) { own, _ in own })
    }
}

extension ItemEntry {
    /// The entry as a manifest writes it.
    fileprivate var json: CanonicalJSON {
        .object([
            "url": .string(url), "id": id.map(CanonicalJSON.string) ?? .null,
            "priority": priority.map(CanonicalJSON.word) ?? .null, "headers": .strings(headers),
            "vars": .strings(variables),
        ])
    }
}

extension ItemList.Columns {
    /// The columns as a manifest writes them: those that it names, which must be there; null for none.
    fileprivate var json: CanonicalJSON {
        let named = ["url": url, "id": id, "priority": priority].filter { required.contains($0.value) }
        return named.isEmpty ? .null : .strings(named)
    }
}
