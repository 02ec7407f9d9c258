import Files
import JobPlanning
import JobStorage

/// The digests of the images in complete Parquet shards, to compare them with their records.
///
/// Use it on one thread.
final class ParquetShards {
    /// The most shards whose digests are in memory: outputs come nearly in the order of the shards.
    private static let mostShards = 4

    private let destination: Folder?
    /// The digests of the images of a shard by their paths, or the error of reading it; the last used one is the last.
    private var known: [(name: String, digests: Result<[String: String], ParquetError>)] = []

    init(_ destination: Folder?) {
        self.destination = destination
    }

    /// Returns true if the output is in a complete Parquet shard; one that is being written is a tar file.
    func holds(_ file: OutputRecord) -> Bool {
        guard file.shardOffset != nil, Shard.format(of: file.path) == .parquet else { return false }
        return destination?.status(of: Self.split(file.path).shard) != nil
    }

    /// Returns the problem of an output as a word and a sentence; nil if it is unchanged.
    func problem(_ file: OutputRecord) -> (word: String, sentence: String)? {
        let (shard, member) = Self.split(file.path)
        switch digests(of: shard) {
        case .success(let digests):
            guard let digest = digests[member] else { return ("missing", "the shard has no such image") }
            return digest == file.sha256
                ? nil : ("content", "the bytes in the shard differ from what was written")
        case .failure(let error): return ("unreadable", "\(error)")
        }
    }

    private func digests(of shard: String) -> Result<[String: String], ParquetError> {
        if let index = known.firstIndex(where: { $0.name == shard }) { return known[index].digests }
        let path = "\(destination?.path ?? "")/\(shard)"
        let digests = Result { () throws(ParquetError) in try ParquetProgram().imageDigests(of: path) }
        if known.count == Self.mostShards { known.removeFirst() }
        known.append((shard, digests))
        return digests
    }

    private static func split(_ path: String) -> (shard: String, member: String) {
        let parts = path.parts(at: "/", maxSplits: 1).map { String($0) }
        return (parts.first ?? "", parts.count == 2 ? parts[1] : "")
    }
}
