import Glibc
import JobManifest

/// Finds the files that match a pattern, sorted by the bytes of their paths, with one folder in memory at a time.
///
/// Links to targets below the root are followed, others are skipped. A folder is entered through a link only once, so
/// that circular links end.
struct FileRows: RowReading {
    /// A position in one of the pattern's alternatives.
    private struct State: Hashable {
        let choice: Int
        let part: Int
    }

    /// The entries of a folder that are not yet returned, in reverse order.
    private struct Frame {
        var entries: [Entry]
    }

    private struct Entry {
        /// The bytes of the name; for a folder with a final slash, which sorts whole paths by their bytes.
        let name: [UInt8]
        let path: String
        /// For a folder, the positions in the pattern that its contents are matched against; nil for a file.
        let states: Set<State>?
        let validator: String?
        /// The identity of a folder that a link leads to; otherwise nil.
        let linked: FileIdentity?
    }

    private let glob: Glob
    /// The manifest's folder, which locations omit.
    private let folder: String
    private let realRoot: String
    /// The problem of every file if `network.schemes` lacks `file`.
    private let problem: ItemProblem?
    private var frames: [Frame] = []
    private var foldersEnteredByLink: Set<FileIdentity> = []

    init(_ glob: Glob, folder: String, schemes: Set<String>) throws(SourceError) {
        self.glob = glob
        problem = ItemURL.schemeProblem("file", schemes)
        self.folder = folder == "/" ? "/" : folder + "/"
        realRoot = Self.realPath(glob.root) ?? glob.root
        try enter(glob.root, states: closure(glob.choices.indices.map { State(choice: $0, part: 0) }))
    }

    mutating func next() throws(SourceError) -> Row? {
        while let last = frames.indices.last {
            guard let entry = frames[last].entries.popLast() else {
                frames.removeLast()
                continue
            }
            guard let states = entry.states else { return row(entry) }
            // Checked here, in the order of the paths, because the order of reading may change.
            if let linked = entry.linked, !foldersEnteredByLink.insert(linked).inserted { continue }
            try enter(entry.path, states: states)
        }
        return nil
    }

    private func row(_ entry: Entry) -> Row {
        let location = entry.path.hasPrefix(folder) ? String(entry.path.dropFirst(folder.count)) : entry.path
        let position = PlannedItem.Position.file(location)
        guard String(validating: entry.name, as: UTF8.self) != nil else {
            return .failed(
                ItemURL.file(absolutePath: entry.path),
                "the file's name is not UTF-8: rename it",
                position: position
            )
        }
        var row = Row(
            url: .init(url: ItemURL.file(absolutePath: entry.path), problem: problem),
            position: position
        )
        row.validator = entry.validator
        return row
    }

    /// Returns the states, with those that are reached if `**` matches no folder.
    private func closure(_ states: [State]) -> Set<State> {
        var all = Set(states)
        var open = states
        while let state = open.popLast() {
            let parts = glob.choices[state.choice]
            guard state.part < parts.count, parts[state.part] == .folders else { continue }
            let next = State(choice: state.choice, part: state.part + 1)
            if all.insert(next).inserted { open.append(next) }
        }
        return all
    }

    /// Returns the states after matching a name.
    private func following(_ states: Set<State>, _ name: [UnicodeScalar]) -> Set<State> {
        var next: [State] = []
        for state in states {
            let parts = glob.choices[state.choice]
            guard state.part < parts.count, parts[state.part].fits(name) else { continue }
            let isFolders = parts[state.part] == .folders
            next.append(isFolders ? state : State(choice: state.choice, part: state.part + 1))
        }
        return closure(next)
    }

    private mutating func enter(_ path: String, states: Set<State>) throws(SourceError) {
        guard let stream = opendir(path) else {
            throw .system(errno, file: path, doing: "opening the folder")
        }
        defer { closedir(stream) }
        var entries: [Entry] = []
        while true {
            errno = 0
            guard let found = readdir(stream) else {
                if errno != 0 { throw .system(errno, file: path, doing: "reading the folder") }
                break
            }
            let bytes = withUnsafeBytes(of: &found.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if bytes == [0x2E] || bytes == [0x2E, 0x2E] { continue }
            let name = String(decoding: bytes, as: UTF8.self)
            let next = following(states, Array(name.unicodeScalars))
            if next.isEmpty { continue }
            if let entry = try entry(bytes, path: path == "/" ? "/" + name : path + "/" + name, states: next)
            {
                entries.append(entry)
            }
        }
        entries.sort { $1.name.lexicographicallyPrecedes($0.name) }
        if !entries.isEmpty { frames.append(Frame(entries: entries)) }
    }

    /// Returns a file that matches the pattern, or a folder that may contain one; nil for anything else.
    private mutating func entry(
        _ name: [UInt8],
        path: String,
        states: Set<State>
    ) throws(SourceError) -> Entry? {
        // A name that is not UTF-8 cannot be a String; it is reported as a failed row.
        guard String(validating: name, as: UTF8.self) != nil else {
            return isEnd(states)
                ? Entry(name: name, path: path, states: nil, validator: nil, linked: nil) : nil
        }
        var status = stat()
        guard lstat(path, &status) == 0 else {
            // Removed since the folder was read.
            if errno == ENOENT { return nil }
            throw .system(errno, file: path, doing: "looking for it")
        }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        if isLink {
            guard let target = Self.realPath(path), isBelowRoot(target), stat(path, &status) == 0 else {
                return nil
            }
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            guard isEnd(states) else { return nil }
            let time = "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
            return Entry(
                name: name,
                path: path,
                states: nil,
                validator: "\(status.st_size)-\(time)",
                linked: nil
            )
        case S_IFDIR:
            let inside = states.filter { $0.part < glob.choices[$0.choice].count }
            if inside.isEmpty { return nil }
            let identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
            return Entry(
                name: name + [UInt8(ascii: "/")],
                path: path,
                states: inside,
                validator: nil,
                linked: isLink ? identity : nil
            )
        default: return nil
        }
    }

    private func isEnd(_ states: Set<State>) -> Bool {
        states.contains { $0.part == glob.choices[$0.choice].count }
    }

    private func isBelowRoot(_ path: String) -> Bool {
        realRoot == "/" || path.hasPrefix(realRoot + "/")
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(validatingCString: real)
    }
}

/// The identity of a file, independent of its name.
private struct FileIdentity: Hashable {
    let device: UInt64
    let inode: UInt64
}
