public import JobManifest

/// Reads all items of a manifest, source by source and row by row, in constant memory.
///
/// An invalid row becomes an item with a `problem`, so that no row is lost. Use it on one thread.
public final class ItemReader {
    private let manifest: Manifest
    private let sitemaps: LoadedSitemaps
    private let isStopped: @Sendable () -> Bool
    /// The path variables that outputs need from every item.
    private let requiredVariables: [String]
    private let own: OwnFiles
    private let input: StandardInput
    /// The number of files that were left out so far, because they are the job's own.
    package private(set) var leftOut = 0
    private var source = 0
    private var rows: (any RowReading)?
    private var index = 0

    /// Creates a reader that begins with the first item; standard input can be read only once.
    ///
    /// `sitemaps` are the loaded sitemaps, without which a manifest that has sitemaps cannot be read. A query without rows
    /// and a walk through folders ask `isStopped` from time to time, and fail if it returns true.
    public convenience init(
        _ manifest: Manifest,
        sitemaps: LoadedSitemaps = LoadedSitemaps(),
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) {
        self.init(manifest, sitemaps: sitemaps, own: OwnFiles(manifest), isStopped: isStopped)
    }

    /// Creates a reader that leaves out the files of `own`, and reads standard input as `input` says.
    init(
        _ manifest: Manifest,
        sitemaps: LoadedSitemaps,
        own: OwnFiles,
        input: StandardInput = .once,
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) {
        self.manifest = manifest
        self.input = input
        self.isStopped = isStopped
        self.own = own
        self.sitemaps = sitemaps
        let columns = manifest.outputs.flatMap(\.path.columns) + manifest.markups.flatMap(\.columns)
        requiredVariables = Array(Set(columns))
    }

    /// Returns the next item; nil after the last.
    /// - Throws: An error that makes the rest of a source unreadable, such as a damaged file or a row without an end.
    public func next() throws(SourceError) -> PlannedItem? {
        while source < manifest.sources.count {
            // A comparison with nil would copy the rows, each time.
            if case .none = rows { rows = try open(manifest.sources[source]) }
            if let row = try rows?.next() {
                index += 1
                return item(row, of: manifest.sources[source])
            }
            if let files = rows as? FileRows { leftOut += files.leftOut }
            rows = nil
            source += 1
        }
        return nil
    }

    /// Calls `body` with every remaining item.
    /// - Throws: As `next()`, and the errors of `body`.
    public func forEach(_ body: (PlannedItem) throws -> Void) throws {
        while let item = try next() { try body(item) }
    }

    private func open(_ source: Source) throws(SourceError) -> any RowReading {
        var context = RowContext(
            folder: source.folder,
            schemes: manifest.network.schemes,
            isStopped: isStopped
        )
        context.input = input
        switch source.kind {
        case .urls(let entries):
            return EntryRows(entries, source: self.source, of: manifest, context: context)
        case .list(let list): return try list.rows(context)
        case .files(let files):
            return try FileRows(
                files,
                folder: manifest.folder,
                schemes: context.schemes,
                own: own,
                isStopped: isStopped
            )
        case .template(let template):
            return TemplateRows(
                template,
                source: self.source,
                variables: manifest.variables,
                context: context
            )
        case .sitemap: return SitemapRows(try sitemaps.files(of: self.source), context: context)
        case .sqlite(let query): return try QueryRows(query, context: context)
        }
    }

    private func item(_ row: Row, of source: Source) -> PlannedItem {
        let variables =
            source.variables.isEmpty
            ? row.variables : source.variables.merging(row.variables) { _, own in own }
        var problem = row.url.problem
        if problem == nil, let missing = requiredVariables.first(where: { variables[$0] == nil }) {
            problem = ItemProblem(
                code: .badURL,
                message: "the row has no \"\(missing)\", which an output's path uses: add it"
            )
        }
        return PlannedItem(
            index: index,
            url: row.url.url,
            target: row.target ?? row.url.url,
            id: row.id,
            headers: headers(of: row, source),
            priority: row.priority ?? source.priority,
            variables: variables,
            source: self.source,
            problem: problem,
            validator: row.validator,
            base: source.base,
            position: row.position
        )
    }

    /// The source's headers, overridden by the row's own; the case of names does not matter.
    private func headers(of row: Row, _ source: Source) -> [String: String] {
        if row.headers.isEmpty { return source.headers }
        if source.headers.isEmpty { return row.headers }
        let own = Set(row.headers.keys.map { $0.lowercased() })
        return source.headers.filter { !own.contains($0.key.lowercased()) }.merging(row.headers) { _, own in
            own
        }
    }
}
