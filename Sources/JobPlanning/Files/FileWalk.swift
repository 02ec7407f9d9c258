import Files
import Glibc
import JobManifest

/// Finds the files that match a glob, sorted by the bytes of their paths, with one folder in memory at a time.
///
/// Links to targets below the root are followed, others are told of. A folder is entered through a link only once, so
/// that circular links end.
struct FileWalk {
    /// A file that matches.
    struct Found {
        let path: BytePath
        /// Changes when the file does.
        let validator: String?
        /// True if it is in one of the job's own folders, or one of its files.
        let isOwn: Bool
        /// True for a link to a file or a folder that is not followed: it leads out of the root, or to nothing.
        let isPassedOver: Bool
    }

    private typealias State = GlobMatcher.State

    /// The entries of a folder that are not yet returned, in reverse order.
    private struct Frame {
        var entries: [Entry]
        let isOwn: Bool
    }

    private struct Entry {
        /// The bytes of the name; for a folder with a final slash, which sorts whole paths by their bytes.
        let name: [UInt8]
        let path: BytePath
        /// For a folder, the positions in the pattern that its contents are matched against; nil for a file.
        let states: Set<State>?
        let validator: String?
        /// The identity of a folder that a link leads to; otherwise nil.
        let linked: FileIdentity?
        var isOwn = false
        var isPassedOver = false
    }

    private let matcher: GlobMatcher
    private let own: OwnFiles
    private let isStopped: @Sendable () -> Bool
    private let root: String
    private let realRoot: BytePath
    private var frames: [Frame] = []
    private var foldersEnteredByLink: Set<FileIdentity> = []

    /// Begins at the root of `glob`; `own` are the job's own folders.
    ///
    /// The walk fails when `isStopped` returns true, which it asks at each name: folders can be many without a match.
    init(_ glob: Glob, own: OwnFiles, isStopped: @escaping @Sendable () -> Bool) throws(SourceError) {
        matcher = GlobMatcher(glob)
        self.own = own
        self.isStopped = isStopped
        root = glob.root
        realRoot = BytePath(glob.root).real ?? BytePath(glob.root)
        try enter(BytePath(glob.root), states: matcher.start, isOwn: false)
    }

    /// Returns the next file; nil after the last.
    mutating func next() throws(SourceError) -> Found? {
        while let last = frames.indices.last {
            guard let entry = frames[last].entries.popLast() else {
                frames.removeLast()
                continue
            }
            let isOwn = entry.isOwn || frames[last].isOwn
            guard let states = entry.states else { return found(entry, isOwn: isOwn) }
            // Checked here, in the order of the paths, because the order of reading may change.
            if let linked = entry.linked, !foldersEnteredByLink.insert(linked).inserted { continue }
            try enter(entry.path, states: states, isOwn: isOwn)
        }
        return nil
    }

    private func found(_ entry: Entry, isOwn: Bool) -> Found {
        Found(
            path: entry.path,
            validator: entry.validator,
            isOwn: isOwn || own.contains(realPath(of: entry)),
            isPassedOver: entry.isPassedOver
        )
    }

    /// The path of an entry without the links that lead to the root.
    private func realPath(of entry: Entry) -> String {
        let path = entry.path.repaired
        return path.rest(behind: root).map { realRoot.repaired + $0 } ?? path
    }

    private mutating func enter(_ path: BytePath, states: Set<State>, isOwn: Bool) throws(SourceError) {
        let shown = path.description
        guard let stream = path.withCString({ opendir($0) }) else {
            throw .system(errno, file: shown, doing: "opening the folder")
        }
        defer { closedir(stream) }
        var entries: [Entry] = []
        while true {
            if isStopped() { throw SourceError(shown, "was not read to its end") }
            errno = 0
            guard let found = readdir(stream) else {
                if errno != 0 { throw .system(errno, file: shown, doing: "reading the folder") }
                break
            }
            let bytes = withUnsafeBytes(of: &found.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if bytes == [0x2E] || bytes == [0x2E, 0x2E] { continue }
            let name = BytePath(bytes: bytes)
            let next = matcher.following(states, Array(name.repaired.unicodeScalars))
            if next.isEmpty { continue }
            if let entry = try entry(bytes, path: path.appending(name), states: next) {
                entries.append(entry)
            }
        }
        entries.sort { $1.name.lexicographicallyPrecedes($0.name) }
        if !entries.isEmpty { frames.append(Frame(entries: entries, isOwn: isOwn)) }
    }

    /// Returns a file that matches the pattern, or a folder that may contain one; nil for anything else.
    private mutating func entry(
        _ name: [UInt8],
        path: BytePath,
        states: Set<State>
    ) throws(SourceError) -> Entry? {
        var status = stat()
        guard path.withCString({ lstat($0, &status) }) == 0 else {
            // Removed since the folder was read.
            if errno == ENOENT { return nil }
            throw .system(errno, file: path.description, doing: "looking for it")
        }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        if isLink {
            guard let target = path.real, isBelowRoot(target), path.withCString({ stat($0, &status) }) == 0
            else { return passedOver(name, path: path, states: states) }
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            guard matcher.isEnd(states) else { return nil }
            return Entry(
                name: name,
                path: path,
                states: nil,
                validator: Self.validator(of: status),
                linked: nil
            )
        case S_IFDIR:
            let inside = matcher.inside(states)
            if inside.isEmpty { return nil }
            let identity = FileIdentity(status)
            return Entry(
                name: name + [UInt8(ascii: "/")],
                path: path,
                states: inside,
                validator: nil,
                linked: isLink ? identity : nil,
                isOwn: own.folders.contains(identity)
            )
        default: return nil
        }
    }

    /// Returns a link that is not followed, if the pattern would match a file in its place, or look into a folder.
    private func passedOver(_ name: [UInt8], path: BytePath, states: Set<State>) -> Entry? {
        var status = stat()
        let isDead = path.withCString { stat($0, &status) } != 0
        let kind = isDead ? S_IFREG : status.st_mode & S_IFMT
        let isWanted =
            kind == S_IFDIR ? !matcher.inside(states).isEmpty : kind == S_IFREG && matcher.isEnd(states)
        guard isWanted else { return nil }
        return Entry(name: name, path: path, states: nil, validator: nil, linked: nil, isPassedOver: true)
    }

    /// Returns a text that changes when the file with this status does.
    static func validator(of status: stat) -> String {
        "\(status.st_size)-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }

    private func isBelowRoot(_ path: BytePath) -> Bool {
        let root = realRoot.bytes
        return root == [UInt8(ascii: "/")] || path.bytes.starts(with: root + [UInt8(ascii: "/")])
    }
}

extension BytePath {
    /// The path without links; nil if there is no such file.
    fileprivate var real: BytePath? {
        guard let real = withCString({ realpath($0, nil) }) else { return nil }
        defer { free(real) }
        return BytePath(
            bytes: UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) }
        )
    }
}
