package import JobManifest
import ObjectStorage

/// The folders of sources that lie in the job's own destination.
struct SourcesInDestination {
    /// The real path or the URL of the destination, with a slash at its end.
    let destination: String
    /// The folders, with a slash at their ends.
    let roots: [String]
    /// True if some source takes what its folder holds, and not only a file or an object that it names.
    let isWild: Bool

    /// Finds them; nil if there are none.
    init?(_ manifest: Manifest) {
        let found: [(root: String, isNamed: Bool)]
        if let path = manifest.destination.folder {
            guard let real = FilePath.real(path) else { return nil }
            destination = Self.folder(real)
            found = manifest.sources.flatMap(\.globs).compactMap { glob in
                FilePath.real(glob.root).map { (Self.folder($0), glob.isNamed) }
            }
        } else if let location = manifest.destination.bucket {
            destination = location.appending("").description
            found = manifest.sources.flatMap(\.patterns).filter { $0.isOf(location.bucket) }.map { pattern in
                ("s3://\(location.bucket)/\(pattern.folder)", pattern.glob.isNamed)
            }
        } else {
            return nil
        }
        let destination = destination
        let inside = found.filter { $0.root.utf8.starts(with: destination.utf8) }
        guard !inside.isEmpty else { return nil }
        roots = inside.map(\.root)
        isWild = inside.contains { !$0.isNamed }
    }

    /// True if outputs have no folder of their own below the destination, apart from the sources, by which they would be known.
    func mixes(_ path: OutputPath) -> Bool {
        let beginning = path.fixedEnds.beginning
        guard let folder = beginning.unicodeScalars.lastIndex(of: "/").map({ beginning[...$0] }) else {
            return true
        }
        return roots.contains { $0.utf8.starts(with: "\(destination)\(folder)".utf8) }
    }

    private static func folder(_ path: String) -> String { path == "/" ? path : path + "/" }
}

extension Source {
    fileprivate var globs: [Glob] { if case .files(let files) = kind { files.globs } else { [] } }

    fileprivate var patterns: [ObjectPattern] {
        if case .objects(let selection) = kind { selection.patterns } else { [] }
    }
}

extension Manifest {
    /// The places of the outputs in the manifest that only the state distinguishes from sources.
    package var outputsAmongSources: Set<Int> {
        guard let sources = SourcesInDestination(self) else { return [] }
        return Set(outputs.filter { sources.mixes($0.path) }.map(\.entry))
    }

    /// Returns the beginning of the keys in `bucket` that the job writes itself, and which are none of its sources; nil if there are
    /// none, or if `selection` has a pattern in the destination, where only ``OwnFiles`` distinguishes them from sources.
    package func ownPrefix(in bucket: String, of selection: ObjectSelection) -> String? {
        guard let destination = destination.bucket, destination.bucket == bucket else { return nil }
        let prefix = destination.appending("").key
        let isInside = selection.patterns.contains { pattern in
            pattern.isOf(bucket) && pattern.folder.utf8.starts(with: prefix.utf8)
        }
        return isInside ? nil : prefix
    }
}
