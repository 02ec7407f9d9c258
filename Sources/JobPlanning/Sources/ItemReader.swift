public import JobManifest
import JobStorage

/// Reads all items of a manifest, source by source and row by row, in constant memory.
///
/// An invalid row becomes an item with a `problem`, so that no row is lost. Use it on one thread.
public final class ItemReader {
    private let manifest: Manifest
    private let loaded: LoadedSources
    private let isStopped: @Sendable () -> Bool
    /// The path variables that outputs need from every item.
    private let requiredVariables: [String]
    /// The names of originals that outputs need as text.
    private let names: (folders: Bool, stem: Bool)
    /// The builder of the items of the source that is open.
    private var builder: ItemBuilder?
    private let own: OwnFiles
    private let input: StandardInput
    /// The number of files and objects that were left out so far, because they are the job's own.
    package private(set) var leftOut = 0
    /// Sentences about the rows that were read so far.
    private(set) var warnings: [String] = []
    /// The number of rows of each source that was read to its end.
    private(set) var counts: [Int] = []
    private var source = 0
    private var rows: (any RowReading)?
    private var index = 0
    private let planned: PlannedItemReader?
    /// The outputs of planned items that are not made, because earlier rows have their paths.
    var blocked: [BlockedOutput] { planned?.blocked ?? [] }

    /// Creates a reader that begins with the first item; standard input can be read only once.
    ///
    /// `loaded` is what was loaded of sitemaps and buckets, without which a manifest that has some cannot be read. A query without rows
    /// and a walk through folders ask `isStopped` from time to time, and fail if it returns true.
    public convenience init(
        _ manifest: Manifest,
        loaded: LoadedSources = LoadedSources(),
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) {
        self.init(manifest, loaded: loaded, own: OwnFiles(manifest), isStopped: isStopped)
    }

    /// Creates a reader that leaves out the files of `own`, and reads standard input as `input` says.
    init(
        _ manifest: Manifest,
        loaded: LoadedSources,
        own: OwnFiles,
        input: StandardInput = .once,
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) {
        self.manifest = manifest
        self.input = input
        self.isStopped = isStopped
        self.own = own
        self.loaded = loaded
        planned = manifest.plannedItems.isEmpty ? nil : PlannedItemReader(manifest)
        let columns = manifest.outputs.flatMap(\.path.columns) + manifest.markups.flatMap(\.columns)
        requiredVariables = Array(Set(columns))
        names = manifest.neededNames
    }

    /// Returns the next item; nil after the last.
    /// - Throws: An error that makes the rest of a source unreadable, such as a damaged file or a row without an end.
    public func next() throws(SourceError) -> PlannedItem? {
        if let planned { return try planned.next() }
        while let builder = try openSource() {
            if let row = try rows?.next() {
                index += 1
                return builder.item(row, index: index)
            }
            closeSource()
        }
        return nil
    }

    /// Returns the next items, at least one, which any thread can parse; nil after the last.
    /// - Throws: As `next()`.
    func nextChunk() throws(SourceError) -> ItemChunk? {
        if let planned { return try planned.nextChunk() }
        while let builder = try openSource() {
            if let rows = try rows?.nextChunk() {
                defer { index += rows.count }
                return ItemChunk(rows: rows, builder: builder, first: index + 1)
            }
            closeSource()
        }
        return nil
    }

    /// Returns the builder of the current source's items, whose rows are open; nil after the last source.
    private func openSource() throws(SourceError) -> ItemBuilder? {
        if let builder { return builder }
        guard source < manifest.sources.count else { return nil }
        rows = try open(manifest.sources[source])
        builder = ItemBuilder(
            manifest.sources[source],
            number: source,
            required: requiredVariables,
            names: names
        )
        return builder
    }

    private func closeSource() {
        if let files = rows as? FileRows { leftOut += files.leftOut }
        if let objects = rows as? ObjectRows { leftOut += objects.leftOut }
        warnings += rows?.warnings ?? []
        counts.append(index - counts.reduce(0, +))
        (rows, builder) = (nil, nil)
        source += 1
    }

    /// Calls `body` with every remaining item.
    /// - Throws: As `next()`, and the errors of `body`.
    public func forEach(_ body: (PlannedItem) throws -> Void) throws {
        while let item = try next() { try body(item) }
    }

    private func open(_ source: Source) throws(SourceError) -> any RowReading {
        let context = RowContext(
            folder: source.folder,
            schemes: manifest.network.schemes,
            isStopped: isStopped
        )
        switch source.kind {
        case .urls(let entries):
            return EntryRows(entries, source: self.source, of: manifest, context: context)
        case .list(let list) where list.format == .parquet:
            let remote = list.location == nil ? [] : try loaded.files(ofList: self.source)
            return try ParquetRows(
                try list.parquetFiles(remote, own: own, isStopped: context.isStopped),
                of: list,
                columns: manifest.usedColumns(of: source),
                context: context
            )
        case .list(let list):
            let remote = list.location == nil ? nil : try loaded.list(of: self.source)
            return try list.rows(context, input, remote: remote)
        case .files(let files):
            return try FileRows(
                files,
                folder: manifest.folder,
                schemes: context.schemes,
                own: own,
                isStopped: isStopped
            )
        case .objects:
            let objects = try loaded.objects(of: self.source)
            return ObjectRows(objects, source: self.source, own: own, context: context)
        case .template(let template):
            return TemplateRows(
                template,
                source: self.source,
                variables: manifest.variables,
                context: context
            )
        case .sitemap: return SitemapRows(try loaded.sitemaps.files(of: self.source), context: context)
        case .sqlite(let query): return try QueryRows(query, context: context)
        }
    }
}
