import Foundation
import Glibc
import JobManifest
import JobStorage

/// The files of the job itself, which are never among its sources: outputs, cached originals and the state.
package struct OwnFiles: Sendable {
    /// The folders of the job.
    let folders: Set<FileIdentity>
    /// The real path of a destination that holds the sources, with a slash at its end; nil if it does not.
    private var destination: String?
    /// The hashes of the paths of recorded outputs below that destination.
    private var outputs = HashSet64()

    /// Finds the folders of the job, as far as they exist.
    init(_ manifest: Manifest) {
        let paths = [manifest.destinationPath, manifest.cache.directory, manifest.folder + "/.nuke-batch"]
        folders = Set(paths.compactMap { FileIdentity(path: $0) })
    }

    /// Finds the folders of the job, and the outputs that `known` has on record where sources are in the destination.
    /// - Throws: `JobStoreError`.
    init(_ manifest: Manifest, known: JobReader) throws(JobStoreError) {
        self.init(manifest)
        guard let real = FilePath.real(manifest.destinationPath) else { return }
        let destination = real == "/" ? "/" : real + "/"
        let roots = manifest.sources.compactMap { source in
            if case .files(let files) = source.kind { FilePath.real(files.root) } else { nil }
        }
        guard roots.contains(where: { ($0 + "/").hasPrefix(destination) }) else { return }
        self.destination = destination
        var hashes = HashSet64()
        try known.forEachOutputPath { _ = hashes.insert(Self.hash($0)) }
        outputs = hashes
    }

    /// Returns true if an earlier run of the job wrote the file at a real path.
    func hasOutput(_ path: String) -> Bool {
        guard let destination, outputs.count > 0, path.hasPrefix(destination) else { return false }
        return outputs.contains(Self.hash(String(path.dropFirst(destination.count))))
    }

    private static func hash(_ path: String) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(path)
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
