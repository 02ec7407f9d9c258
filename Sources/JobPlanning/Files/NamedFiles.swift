import Files
import Glibc
import JobManifest

/// The files that globs name without a wildcard, sorted by the bytes of their paths; no folder is read.
///
/// Links to targets in the same folder or below are followed, others are told of.
struct NamedFiles {
    private let own: OwnFiles
    /// The paths that are not yet returned, in reverse order.
    private var paths: [String]
    /// The folder of the last file with its real path.
    private var last = (folder: "", real: "")

    /// Finds the files at `paths`, which are absolute; `own` are the job's own.
    init(_ paths: [String], own: OwnFiles) {
        self.own = own
        self.paths = []
        // By bytes: two names of one text can be two files.
        for path in paths.sorted(by: { $1.utf8.lexicographicallyPrecedes($0.utf8) })
        where self.paths.last?.utf8.elementsEqual(path.utf8) != true {
            self.paths.append(path)
        }
    }

    /// Returns the next file; nil after the last.
    mutating func next() throws(SourceError) -> FileWalk.Found? {
        while let path = paths.popLast() {
            var status = stat()
            guard lstat(path, &status) == 0 else {
                // Removed since the manifest was read.
                if errno == ENOENT { continue }
                throw .system(errno, file: path, doing: "looking for it")
            }
            let folder = realFolder(of: path)
            var isPassedOver = false
            if status.st_mode & S_IFMT == S_IFLNK {
                let target = FilePath.real(path)
                let isBelow = target?.utf8.starts(with: "\(folder)/".utf8) ?? false
                let isDead = stat(path, &status) != 0
                isPassedOver = isDead || !isBelow
                if isDead { status.st_mode = S_IFREG }
            }
            guard status.st_mode & S_IFMT == S_IFREG else { continue }
            let name = path.parts(at: "/").last.map(String.init) ?? ""
            return FileWalk.Found(
                path: BytePath(path),
                validator: FileWalk.validator(of: status),
                isOwn: own.contains("\(folder)/\(name)"),
                isPassedOver: isPassedOver
            )
        }
        return nil
    }

    /// The real path of the folder of `path`, without a slash at its end.
    private mutating func realFolder(of path: String) -> String {
        let folder = path.parts(at: "/").dropLast().joined(separator: "/")
        if !folder.utf8.elementsEqual(last.folder.utf8) {
            last = (folder, folder.isEmpty ? "" : FilePath.real(folder) ?? folder)
        }
        return last.real
    }
}

extension Glob {
    /// True if the pattern means the one file of its name.
    var isNamed: Bool { literal != nil && !ignoresCase }
}
