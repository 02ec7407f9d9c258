import Files
import Foundation
import JobManifest
import JobPlanning
import ObjectStorage

/// The destination for the files that a run writes at its end: markup and indexes, in a folder or in a bucket.
enum DestinationFiles: Sendable {
    case folder(Folder, StagingFolder, DurableWriter)
    /// `scratch` is beside the state: a large file is written there before it becomes an object.
    case bucket(S3Store, scratch: Scratch)

    /// The place of files that are being written for a bucket.
    struct Scratch: Sendable {
        let folder: Folder
        /// The beginning of their names, which the next run uses again.
        let prefix: String
    }

    /// Opens the destination of a manifest, and creates its folder.
    /// - Throws: `FileError`; `RunError` for an endpoint that is no address.
    init(_ manifest: Manifest, state path: String) throws {
        if let store = try manifest.destinationStore() {
            let folder = try Folder(path: Folder.enclosing(path))
            self = .bucket(store, scratch: Scratch(folder: folder, prefix: FilePath.stem(of: path)))
        } else {
            let folder = try Folder(path: manifest.destination.description, create: true)
            self = .folder(folder, StagingFolder(in: folder), DurableWriter(threads: 4))
        }
    }

    /// The permissions of a new file: until it is an object, it is beside the state.
    var permissions: UInt32 {
        if case .folder = self { Permissions.file } else { Permissions.privateFile }
    }

    /// True if there is a file at `path`.
    /// - Throws: `FileError`, `StoreError`.
    func exists(_ path: String) async throws -> Bool {
        switch self {
        case .folder(let folder, _, _): try folder.examine(path) != nil
        case .bucket(let store, _): try await store.head(path) != nil
        }
    }

    /// Writes a file durably, unless it has these bytes.
    /// - Throws: `FileError`, `StoreError`.
    func write(_ data: Data, to path: String) async throws {
        switch self {
        case .folder(let folder, let staging, let writer):
            if (try? folder.read(path, limit: data.count)) == data { return }
            try await writer.write(data, to: path, in: folder, staging: staging)
        case .bucket(let store, _):
            if let facts = try await store.head(path), facts.size == data.count,
                facts.sha256 == Digest.sha256.hex(of: data)
            {
                return
            }
            _ = try await store.put(data, at: path, Self.attributes(of: path))
        }
    }

    /// Begins a file that is written piece by piece.
    /// - Throws: `FileError`.
    func begin(_ path: String) throws(FileError) -> PublishedFile {
        let place = try placeOfWhole(path)
        let target: PublishedFile.Target =
            switch self {
            case .folder: .file(place.name)
            case .bucket(let store, _): .object(path, store, Self.attributes(of: path))
            }
        return try PublishedFile("\(place.name).part", in: place.folder, as: target)
    }

    /// Returns the place in which another program writes the whole file at `path`: its own, or one beside the state.
    /// - Throws: `FileError`.
    func placeOfWhole(_ path: String) throws(FileError) -> (name: String, folder: Folder) {
        let parts = path.parts(at: "/").filter { !$0.isEmpty }.map(String.init)
        switch self {
        case .folder(let root, _, _):
            let parent = parts.dropLast().joined(separator: "/")
            return (parts.last ?? path, parent.isEmpty ? root : try root.folder(parent, create: true))
        case .bucket(_, let scratch):
            return ("\(scratch.prefix).\(parts.joined(separator: "_"))", scratch.folder)
        }
    }

    /// Stores a file that was written in `place` as an object, and removes it; one in a folder is in its place already.
    /// - Throws: `FileError`, `StoreError`.
    func publishWhole(_ place: (name: String, folder: Folder), as path: String) async throws {
        guard case .bucket(let store, _) = self else { return }
        let payload = try Payload(file: "\(place.folder.path)/\(place.name)")
        try await store.putWhole(payload, at: path, Self.attributes(of: path))
        try place.folder.remove(place.name)
        try place.folder.sync()
    }

    /// Removes what is needed only for writing.
    func close() {
        if case .folder(_, let staging, _) = self { staging.close() }
    }

    /// The attributes of an index or a snippet.
    static func attributes(of path: String) -> ObjectAttributes {
        let types = [
            "json": "application/json", "jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8",
            "html": "text/html; charset=utf-8", "tar": "application/x-tar",
            "parquet": "application/vnd.apache.parquet",
        ]
        return ObjectAttributes(contentType: types[(path as NSString).pathExtension])
    }
}
