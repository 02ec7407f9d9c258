import Files
import JobManifest

/// The files that globs select, sorted by the bytes of their paths, each once.
struct FileRows: RowReading {
    /// The number of files that were left out, because they are the job's own.
    private(set) var leftOut = 0
    /// The number of links that were not followed, with the first.
    private var passedOver = (count: 0, first: "")

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
            let isExcluded = excluded.contains { $0.covers(file.path.repaired) }
            if file.isPassedOver {
                guard !file.isOwn, !isExcluded else { continue }
                if passedOver.count == 0 { passedOver.first = location(of: file) }
                passedOver.count += 1
            } else if file.isOwn {
                leftOut += 1
            } else if !isExcluded {
                return row(file)
            }
        }
        return nil
    }

    var warnings: [String] {
        guard passedOver.count > 0 else { return [] }
        let reason = "out of the folder that is searched, or to nothing"
        let remedy = "name what links lead to in `files` itself, or `exclude` the links"
        return passedOver.count == 1
            ? ["the symbolic link \(passedOver.first) was not followed: it leads \(reason); \(remedy)"]
            : [
                "\(passedOver.count) symbolic links, such as \(passedOver.first), were not followed: they lead \(reason); \(remedy)"
            ]
    }

    /// Takes the file with the first path from every glob that has it.
    private mutating func nextFile() throws(SourceError) -> FileWalk.Found? {
        var first: FileWalk.Found?
        for source in sources {
            guard let file = source.next else { continue }
            if let known = first, !file.path.precedes(known.path) {
                // From a higher folder, a link may be followed.
                guard known.isPassedOver, file.path == known.path else { continue }
            }
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
        var row = Row(
            url: .init(url: ItemURL.file(absolutePath: file.path), problem: problem),
            position: PlannedItem.Position.file(location(of: file))
        )
        row.validator = file.validator
        return row
    }

    private func location(of file: FileWalk.Found) -> String {
        let shown = file.path.description
        return shown.rest(behind: folder) ?? shown
    }
}
