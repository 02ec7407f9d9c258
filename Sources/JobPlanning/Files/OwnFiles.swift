import Files
import Foundation
import Glibc
import JobManifest
import JobStorage

/// The files of the job itself, which are never among its sources: outputs, cached originals and the state.
package struct OwnFiles: Sendable {
    /// The folders of the job.
    let folders: Set<FileIdentity>
    /// A sentence if outputs that the state does not know could be taken for sources.
    private(set) var warnings: [String] = []
    /// The real paths of the state and of the files beside it.
    private var stateFiles: Set<String> = []
    /// The real path or the URL of a destination that holds sources, with a slash at its end; nil if it does not.
    private var destination: String?
    /// The hashes of the paths of recorded outputs below that destination.
    private var outputs = HashSet64()
    /// The fixed beginnings and ends of the paths of outputs that have a folder of their own below that destination.
    private var ends: [(beginning: String, end: String)] = []
    /// True if outputs are in shards, whose names are numbers.
    private var hasShards = false

    /// No files, for a look at sources without their job.
    init() {
        folders = []
    }

    /// Finds the folders of the job, as far as they exist.
    init(_ manifest: Manifest) {
        let paths = [manifest.destination.folder, manifest.cache.directory, manifest.stateFolder]
        folders = Set(paths.compactMap { $0 }.compactMap { FileIdentity(path: $0) })
    }

    /// Finds the folders of the job, the files of the state at `path`, and its outputs where sources are in the
    /// destination: those that `known` and the states at `others` have on record, and those of a run that did not come to record
    /// them.
    /// - Throws: `JobStoreError`, and what `others` throws.
    init(
        _ manifest: Manifest,
        state path: String,
        known: JobReader,
        others: () throws -> [String] = { [] }
    ) throws {
        self.init(manifest)
        stateFiles = Self.stateFiles(path)
        guard let sources = SourcesInDestination(manifest) else { return }
        destination = sources.destination
        var hashes = HashSet64()
        for reader in try [known] + others().compactMap({ try JobReader(path: $0) }) {
            try reader.forEachOutputPath { _ = hashes.insert(Self.hash($0)) }
        }
        outputs = hashes
        if let index = manifest.dataset?.index { ends.append((index, index)) }
        // In shards, outputs have no paths of their own.
        hasShards = manifest.dataset?.pack != nil
        guard !hasShards else { return }
        // No image is taken for markup, whose files end in .html and .json.
        for markup in manifest.markups {
            switch markup.file {
            case .index(let path): ends.append((path, path))
            case .snippets(let template): ends.append(template.fixedEnds)
            }
        }
        var mixed: [Int] = []
        for output in manifest.outputs {
            if sources.mixes(output.path) {
                mixed.append(output.entry)
            } else {
                ends.append(output.path.fixedEnds)
            }
        }
        // A file that is named is no output taken for a source by its folder.
        if let first = mixed.first, sources.isWild {
            warnings = [
                """
                outputs[\(first)] writes to folders that have sources: a run with a new state would take its files for sources; \
                begin its path with a folder that has none, such as "small/{dir}/{stem}.{ext}"
                """
            ]
        }
    }

    /// Returns true if the file at a real path is the state's, or one that the job has written.
    func contains(_ path: String) -> Bool {
        stateFiles.contains(path) || containsOutput(path)
    }

    /// Returns true if the job has written the file at a real path, or the object at `s3://bucket/key`, to a destination that
    /// holds the sources.
    func containsOutput(_ path: String) -> Bool {
        guard let destination, let name = path.rest(behind: destination) else { return false }
        if outputs.count > 0, outputs.contains(Self.hash(name)) { return true }
        if hasShards, Shard.number(of: name) != nil { return true }
        return ends.contains { beginning, end in
            name.utf8.starts(with: beginning.utf8)
                && name.utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
        }
    }

    /// The state at `path` and the files that a run has beside it.
    private static func stateFiles(_ path: String) -> Set<String> {
        guard let folder = FilePath.real(Folder.enclosing(path)) else { return [] }
        let real = (folder as NSString).appendingPathComponent((path as NSString).lastPathComponent)
        let stem = (real as NSString).deletingPathExtension
        return [real, real + "-wal", real + "-shm", stem + ".lock", stem + ".inflight"]
    }

    private static func hash(_ path: String) -> UInt64 {
        var hasher = Hasher()
        // By bytes: two names of one text can be two files.
        var path = path
        path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

/// The identity of a file, independent of its name.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Returns the identity of the file at `path`; nil if there is none.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}

extension FilePath {
    /// The path without links; nil if there is no such file.
    static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(validatingCString: real)
    }
}
