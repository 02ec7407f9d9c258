import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage
import ObjectStorage

/// The outputs of a job where they are stored: compared with their records, read and removed.
enum StoredOutputs: Sendable {
    /// A folder; nil if it is missing, together with everything in it.
    case folder(Folder?)
    /// A prefix of a bucket; the shard with this name is unfinished, and the store shows nothing of it.
    case bucket(S3Store, unfinished: String?)

    /// A problem of an output as a word and a sentence.
    typealias Problem = (word: String, sentence: String)

    /// The objects that are asked for at once.
    private static let width = 16

    /// Opens the destination of a manifest, as far as it exists; `reader` knows which shard is unfinished.
    /// - Throws: `FileError`; `RunError` for an endpoint that is no address.
    init(_ manifest: Manifest, _ reader: JobReader? = nil) throws {
        if let store = try manifest.destinationStore() {
            let open = try? reader?.openShard(of: manifest.destinationText)
            self = .bucket(store, unfinished: open.map { Shard.name($0.number, $0.formatInBucket) })
            return
        }
        self = .folder(try Presence.folder(manifest.destination.description))
    }

    /// The folder; nil if it is missing, and for a bucket.
    var folder: Folder? { if case .folder(let folder) = self { folder } else { nil } }

    /// Returns the problem of each file, in their order; nil for one that is unchanged.
    ///
    /// Files are read one after the other on the calling thread; objects are asked for some at a time.
    /// - Throws: `StoreError` or `FileError` if the store or this machine cannot tell.
    func problems(_ files: [RecordedFile]) async throws -> [Problem?] {
        guard case .bucket(let store, let unfinished) = self else { return try files.map(fileProblem) }
        return try await withThrowingTaskGroup(of: (Int, Problem?).self) { group in
            var problems = [Problem?](repeating: nil, count: files.count)
            for (index, file) in files.enumerated() {
                if index >= Self.width, let (index, problem) = try await group.next() {
                    problems[index] = problem
                }
                group.addTask { (index, try await Self.objectProblem(file, in: store, unfinished)) }
            }
            for try await (index, problem) in group { problems[index] = problem }
            return problems
        }
    }

    /// Returns the bytes of an output; nil if they cannot be read.
    func read(_ path: String, shardOffset: Int?, bytes: Int) async -> Data? {
        switch self {
        case .folder(let folder):
            try? folder?.readOutput(path, shardOffset: shardOffset, bytes: bytes)
        case .bucket(let store, _):
            if let shardOffset {
                // Only its own program reads Parquet.
                Shard.format(of: path) == .parquet
                    ? nil : try? await Self.member(path, at: shardOffset, bytes: bytes, in: store)
            } else {
                try? await store.get(path, limit: bytes)
            }
        }
    }

    /// True if there is a file or an object at `path`.
    /// - Throws: `StoreError` or `FileError` if the store or this machine cannot tell.
    func exists(_ path: String) async throws -> Bool {
        switch self {
        case .folder(let folder): try folder?.examine(path) != nil
        case .bucket(let store, let unfinished):
            if path == unfinished { true } else { try await store.head(path) != nil }
        }
    }

    /// Removes a file, and folders that become empty; or an object.
    /// - Throws: `FileError`, `StoreError`.
    func remove(_ path: String) async throws {
        switch self {
        case .folder(let folder):
            guard let folder else { return }
            try folder.remove(path)
            var parts = path.split(separator: "/").dropLast()
            while !parts.isEmpty, try folder.removeFolder(parts.joined(separator: "/")) {
                parts = parts.dropLast()
            }
        case .bucket(let store, _):
            try await store.delete(path)
        }
    }

    /// Makes removals durable.
    /// - Throws: `FileError`.
    func sync() throws(FileError) {
        if case .folder(let folder) = self { try folder?.sync() }
    }
}

/// Files.
extension StoredOutputs {
    private func fileProblem(_ file: RecordedFile) throws(FileError) -> Problem? {
        guard case .folder(let folder) = self else { return nil }
        guard file.shardOffset == nil else { return try Self.memberProblem(file, in: folder) }
        do {
            guard let folder, let status = try folder.examine(file.path) else {
                return ("missing", "the file is missing")
            }
            guard status.size == file.bytes else {
                return (
                    "size",
                    "the file has \(status.size) \(Quantity.noun("byte", status.size)); \(file.bytes) were written"
                )
            }
            let data = try folder.read(file.path, limit: file.bytes)
            return Digest.sha256.hex(of: data) == file.sha256
                ? nil : ("content", "the file differs from what was written")
        } catch {
            return try Self.unreadable(error)
        }
    }

    /// The problem of a file of which something else has taken the place.
    /// - Throws: `error` if this machine is the reason: the file may be whole.
    private static func unreadable(_ error: FileError) throws(FileError) -> Problem {
        guard !error.isLocalTrouble else { throw error }
        return ("unreadable", "\(error)")
    }

    /// The problem of a member of a shard, including its header.
    private static func memberProblem(_ file: RecordedFile, in folder: Folder?) throws(FileError) -> Problem?
    {
        do {
            let data = try folder?.readOutput(file.path, shardOffset: file.shardOffset, bytes: file.bytes)
            guard let data else { return missingShard }
            return problem(ofMember: data, file)
        } catch {
            return error.isMissing ? missingShard : try unreadable(error)
        }
    }

    static let missingShard: Problem = ("missing", "the shard is missing")

    private static func problem(ofMember data: Data, _ file: RecordedFile) -> Problem? {
        Digest.sha256.hex(of: data) == file.sha256
            ? nil : ("content", "the bytes in the shard differ from what was written")
    }
}

/// Objects.
extension StoredOutputs {
    /// The problem of an object: the store reports its size, and its digest if it keeps one; otherwise it is read.
    private static func objectProblem(
        _ file: RecordedFile,
        in store: S3Store,
        _ unfinished: String?
    ) async throws(StoreError) -> Problem? {
        if file.shardOffset != nil {
            let isUnfinished = unfinished.map { file.path.hasPrefix($0 + "/") } ?? false
            return isUnfinished ? nil : try await memberProblem(file, in: store)
        }
        guard let facts = try await store.head(file.path) else { return ("missing", "the object is missing") }
        guard facts.size == file.bytes else {
            return (
                "size",
                "the object has \(facts.size) \(Quantity.noun("byte", facts.size)); \(file.bytes) were written"
            )
        }
        let changed: Problem = ("content", "the object differs from what was written")
        if let sha256 = facts.sha256 { return sha256 == file.sha256 ? nil : changed }
        do throws(StoreError) {
            return Digest.sha256.hex(of: try await store.get(file.path, limit: file.bytes)) == file.sha256
                ? nil : changed
        } catch  where [.damaged, .tooLarge].contains(error.reason) {
            return ("content", error.description)
        }
    }

    private static func memberProblem(_ file: RecordedFile, in store: S3Store) async throws(StoreError)
        -> Problem?
    {
        do throws(StoreError) {
            let data = try await member(file.path, at: file.shardOffset ?? 0, bytes: file.bytes, in: store)
            return problem(ofMember: data, file)
        } catch  where error.reason == .notFound {
            return missingShard
        } catch  where error.service?.status == 416 {
            return ("size", "the shard ends before the member")
        }
    }

    /// The bytes of a member of a shard; none if its header has changed.
    private static func member(
        _ path: String,
        at offset: Int,
        bytes: Int,
        in store: S3Store
    ) async throws(StoreError) -> Data {
        let parts = path.parts(at: "/", maxSplits: 1).map { String($0) }
        let header = TarMember.header(name: parts.last ?? "", size: bytes)
        let data = try await store.get(parts[0], from: offset - header.count, count: header.count + bytes)
        return data.starts(with: header) ? Data(data.dropFirst(header.count)) : Data()
    }
}
