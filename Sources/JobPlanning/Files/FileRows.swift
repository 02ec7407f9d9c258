import Files
import JobManifest

/// The files that globs select, sorted by the bytes of their paths, each once.
struct FileRows: RowReading {
    /// The number of files that were left out, because they are the job's own.
    private(set) var leftOut = 0

    /// The files of a glob, or all files that are named, with the next one.
    private struct Source {
        /// One of the two is nil.
        private var walk: FileWalk?
        private var named: NamedFiles?
        private(set) var next: FileWalk.Found?

        init(walk: FileWalk? = nil, named: NamedFiles? = nil) throws(SourceError) {
            (self.walk, self.named) = (walk, named)
            try advance()
        }

        mutating func advance() throws(SourceError) {
            next = try walk?.next()
            if case .none = next { next = try named?.next() }
        }
    }

    /// The manifest's folder, which locations omit.
    private let folder: String
    /// The problem of every file if `network.schemes` lacks `file`.
    private let problem: ItemProblem?
    private let excluded: [GlobMatcher]
    private var sources: [Source] = []

    /// Begins with the first file; `own` are those of the job itself, which are left out.
    ///
    /// Fails when `isStopped` returns true.
    init(
        _ files: FileSelection,
        folder: String,
        schemes: Set<String>,
        own: OwnFiles,
        isStopped: @escaping @Sendable () -> Bool
    ) throws(SourceError) {
        problem = ItemURL.schemeProblem("file", schemes)
        self.folder = folder == "/" ? "/" : folder + "/"
        excluded = files.excluded.map(GlobMatcher.init)
        for glob in files.globs where !glob.isNamed {
            sources.append(try Source(walk: FileWalk(glob, own: own, isStopped: isStopped)))
        }
        // Together, since they can be thousands.
        let named = files.globs.filter(\.isNamed).compactMap(\.literal)
        if !named.isEmpty { sources.append(try Source(named: NamedFiles(named, own: own))) }
    }

    mutating func next() throws(SourceError) -> Row? {
        while let file = try nextFile() {
            if file.isOwn {
                leftOut += 1
            } else if !excluded.contains(where: { $0.covers(file.path.repaired) }) {
                return row(file)
            }
        }
        return nil
    }

    /// Takes the file with the first path from every glob that has it.
    private mutating func nextFile() throws(SourceError) -> FileWalk.Found? {
        var first: FileWalk.Found?
        for source in sources {
            guard let file = source.next else { continue }
            if let known = first, !file.path.precedes(known.path) { continue }
            first = file
        }
        guard let first else { return nil }
        for index in sources.indices
        where sources[index].next?.path == first.path {
            try sources[index].advance()
        }
        return first
    }

    private func row(_ file: FileWalk.Found) -> Row {
        let shown = file.path.description
        var row = Row(
            url: .init(url: ItemURL.file(absolutePath: file.path), problem: problem),
            position: PlannedItem.Position.file(shown.rest(behind: folder) ?? shown)
        )
        row.validator = file.validator
        return row
    }
}
