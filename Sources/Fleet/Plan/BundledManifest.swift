import Foundation
package import JobManifest
package import JobPlanning

/// A manifest that can be read on any machine: the files that reading it uses are in the store.
///
/// They are kept as they were written, so that each `${NAME}` comes from the environment of the machine that works.
package struct BundledManifest: Sendable, Codable, Equatable {
    /// The most bytes of a file that a manifest uses.
    private static let fileLimit = 1 << 30

    /// A file that the manifest uses.
    package struct File: StoredRecord, Equatable {
        /// The absolute path on the machine that planned.
        package let path: String
        /// SHA-256 of its bytes, and so its place in the store.
        let sha256: SHA256Name

        var bounds: [StoredBound] { [StoredBound("path", path, longest: 4096)] }
    }

    /// The absolute path of the manifest on the machine that planned.
    package let path: String
    /// The manifest's own file and those that it includes or shows as watermarks, by path.
    package let files: [File]

    init(_ manifest: Manifest) {
        path = FilePath.absolute(manifest.path, in: FileManager.default.currentDirectoryPath)
        files = manifest.files.sorted { $0.key < $1.key }.map { path, data in
            File(path: path, sha256: SHA256Name(of: data))
        }
    }

    /// Puts the files of a manifest into the store.
    /// - Throws: `RunError.machine`.
    static func write(_ manifest: Manifest, to store: FleetStore) async throws(RunError) {
        for data in manifest.files.values {
            let key = FleetKey.file(SHA256Name(of: data))
            try await store.write(data, at: key, type: "application/octet-stream")
        }
    }

    /// Reads the manifest from the store.
    /// - Throws: `RunError.forged` for a file that is missing or damaged, `wrongInput` for a manifest that is not valid here, such
    ///   as for a variable that the environment lacks, or for a file that is not in the store.
    package func read(
        from store: FleetStore,
        environment: [String: String]
    ) async throws(RunError) -> Manifest {
        var contents: [String: Data] = [:]
        for file in files {
            let key = FleetKey.file(file.sha256)
            guard let data = try await store.read(key, limit: Self.fileLimit),
                SHA256Name(of: data) == file.sha256
            else {
                throw .forged(
                    "\(store.appending(key)), which is \(file.path), is missing or damaged: plan again"
                )
            }
            contents[file.path] = data
        }
        var manifest: Manifest
        do throws(ManifestErrors) {
            manifest = try Manifest.readRecorded(path: path, files: contents, environment: environment)
        } catch {
            throw .wrongInput("\(error)")
        }
        try manifest.placeOutputs(in: store)
        return manifest
    }
}

extension Manifest {
    /// Makes a relative destination one in the store, whose text stays as it is written: it is part of each output's recipe.
    mutating func placeOutputs(in store: FleetStore) throws(RunError) {
        guard destination.bucket == nil, !destinationText.hasPrefix("/"),
            !destinationText.hasPrefix("file:"), !Variables.occur(in: destinationText)
        else { return }
        do throws(TextError) {
            destination = try store.destination(destinationText)
        } catch {
            throw .wrongInput("\(path): destination \(error.description)")
        }
    }
}
