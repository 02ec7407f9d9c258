import Files
import JobManifest
import JobPlanning
import JobStorage
import ObjectStorage

/// The digests of the images in complete Parquet shards, to compare them with their records.
///
/// Use it in one task, one call after the other.
final class ParquetShards {
    /// The most shards whose digests are in memory: outputs come nearly in the order of the shards.
    private static let mostShards = 4

    private typealias Digests = Result<[String: String], ParquetError>

    private let outputs: StoredOutputs
    /// The folder of the copy of a shard in a bucket.
    private let folder: String
    /// The digests of the images of a shard by their paths, or the error of reading it.
    ///
    /// Nil stands for a shard that is missing. The last used one is the last.
    private var known: [(name: String, digests: Digests?)] = []

    /// Reads the shards among `outputs`; copies of those in a bucket get no name, and are on the file system of the state at `path`.
    init(_ outputs: StoredOutputs, state path: String) {
        self.outputs = outputs
        folder = Folder.enclosing(path)
    }

    /// Returns true if the output is in a complete Parquet shard; one that is being written is a tar file.
    /// - Throws: `FileError` if that cannot be found out.
    func holds(_ file: RecordedFile) throws(FileError) -> Bool {
        guard file.shardOffset != nil, Shard.format(of: file.path) == .parquet else { return false }
        let shard = Self.split(file.path).shard
        return switch outputs {
        case .folder(let folder): try folder?.examine(shard) != nil
        case .bucket(_, let unfinished): shard != unfinished
        }
    }

    /// Returns the problem of an output as a word and a sentence; nil if it is unchanged.
    /// - Throws: `StoreError` if the store cannot tell; `FileError` if a shard cannot be copied.
    func problem(_ file: RecordedFile) async throws -> StoredOutputs.Problem? {
        let (shard, member) = Self.split(file.path)
        switch try await digests(of: shard) {
        case .success(let digests):
            guard let digest = digests[member] else { return ("missing", "the shard has no such image") }
            return digest == file.sha256
                ? nil : ("content", "the bytes in the shard differ from what was written")
        case .failure(let error): return ("unreadable", "\(error)")
        case nil: return StoredOutputs.missingShard
        }
    }

    private func digests(of shard: String) async throws -> Digests? {
        if let index = known.firstIndex(where: { $0.name == shard }) { return known[index].digests }
        let digests: Digests?
        switch outputs {
        case .folder(let folder):
            let path = "\(folder?.path ?? "")/\(shard)"
            digests = Result { () throws(ParquetError) in try ParquetProgram().imageDigests(of: path) }
        case .bucket(let store, _):
            let copy = try await copy(of: shard, in: store)
            digests = copy.map { copy in
                Result { () throws(ParquetError) in
                    try ParquetProgram().imageDigests(of: copy, named: store.location(shard).description)
                }
            }
        }
        if known.count == Self.mostShards { known.removeFirst() }
        known.append((shard, digests))
        return digests
    }

    /// Returns a copy of a shard; nil if there is no such object.
    private func copy(of shard: String, in store: S3Store) async throws -> UnnamedFile? {
        let reader: ObjectReader
        do throws(StoreError) { reader = try await store.reader(shard) } catch {
            guard error.reason == .notFound else { throw error }
            return nil
        }
        let file = try UnnamedFile(in: Folder(path: folder))
        while file.count < reader.facts.size { try file.append(try await reader.piece(at: file.count)) }
        return file
    }

    private static func split(_ path: String) -> (shard: String, member: String) {
        let parts = path.parts(at: "/", maxSplits: 1).map { String($0) }
        return (parts.first ?? "", parts.count == 2 ? parts[1] : "")
    }
}
