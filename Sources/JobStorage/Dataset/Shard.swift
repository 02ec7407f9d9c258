package import Files
package import Foundation

/// The names of a dataset's shards and of their members.
///
/// While a shard is being written, it is a tar file in either format: only a tar file can grow durably, item by item. One in
/// Parquet is made of the tar file when that is full.
package enum Shard {
    /// A format of complete shards.
    package enum Format: String, Sendable, CaseIterable {
        case tar, parquet
    }

    /// The name of a complete shard.
    package static func name(_ number: Int, _ format: Format) -> String {
        digits(number) + ".\(format.rawValue)"
    }

    private static func digits(_ number: Int) -> String {
        String(number).leftPadded(to: 5, with: "0")
    }

    /// The name of one that is being written.
    package static func partName(_ number: Int, _ format: Format) -> String {
        name(number, format) + ".part"
    }

    /// The name of the file with the statistics of a complete shard.
    package static func statisticsName(_ number: Int) -> String {
        digits(number) + "_stats.json"
    }

    /// The file name of the shard in the path of an output, such as `00003.tar` of `00003.tar/000000017.jpg`.
    package static func file(ofMember path: String) -> String {
        path.parts(at: "/", maxSplits: 1).first.map { String($0) } ?? path
    }

    /// The beginning of the names of the files beside the state at `path` that hold the end of an unfinished upload.
    package static func tailPrefix(_ shard: ShardRecord, state path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
        return "\(stem).shard-\(shard.shardID)-"
    }

    /// The contents of the object that reserves the number of a shard in a bucket: those of another state at `path` differ.
    package static func reservation(of shard: ShardRecord, state path: String) -> Data {
        let state = "\(ProcessInfo.processInfo.hostName)\n\(path)\n\(shard.shardID)"
        return Data("reserved by the unfinished shard \(Digest.sha256.hex(of: state))\n".utf8)
    }

    /// The beginning of the names of the shards that an attempt at a partition of a fleet writes: `000026-`, the attempt's ID, `-`.
    package static func prefix(ofAttempt attempt: String, at partition: String) -> String {
        "\(partition)-\(attempt)-"
    }

    /// Returns the number of a shard from its file name, which may be one of a fleet; nil for other files.
    package static func number(of file: String) -> Int? {
        let name = file.hasSuffix(".part") ? file.dropLast(5) : file[...]
        guard let format = format(ofShard: name) else { return nil }
        var stem = name.dropLast(format.rawValue.count + 1)
        if let end = stem.lastIndex(of: "-") {
            guard isAttempt(stem[..<end]) else { return nil }
            stem = stem[stem.index(after: end)...]
        }
        guard stem.count >= 5, stem.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(stem)
    }

    /// True for a partition and the ID of an attempt at it, such as `000026-8f0c1f5e-1d0f-4b43-9d52-9a3f8f1a7c55`.
    private static func isAttempt(_ text: Substring) -> Bool {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].count >= 6 && Int(parts[0]) != nil
            && UUID(uuidString: String(parts[1])) != nil
    }

    /// Returns the format of the shard in the path of an output, such as `00003.tar/000000017.jpg`; nil for other paths.
    package static func format(of path: String) -> Format? {
        path.parts(at: "/", maxSplits: 1).first.flatMap(format(ofShard:))
    }

    private static func format(ofShard name: some StringProtocol) -> Format? {
        Format.allCases.first { name.hasSuffix(".\($0.rawValue)") }
    }

    /// The name that the members of an item share: the number of its row, which never changes, or in a fleet its place in the
    /// manifest.
    package static func key(ofItem itemID: Int64) -> String {
        String(itemID).leftPadded(to: 9, with: "0")
    }

    /// The bytes of an output that a shard holds, `path` as `00003.tar/000000017.jpg`.
    ///
    /// Those of a complete shard in Parquet are missing: only its own program reads them.
    ///
    /// Returns fewer bytes than `count` if the shard ends early, and none if the member's header has changed.
    /// - Throws: `FileError`; `isMissing` if there is no such shard.
    package static func read(_ path: String, at offset: Int, count: Int, in folder: Folder) throws(FileError)
        -> Data
    {
        let parts = path.parts(at: "/", maxSplits: 1).map { String($0) }
        guard parts.count == 2 else { throw FileError("open", path, code: ENOENT) }
        let header = TarMember.header(name: parts[1], size: count)
        let start = offset - header.count
        guard start >= 0 else { return Data() }
        let data: Data
        do {
            // A complete one in Parquet is no tar file any more.
            let name = format(of: path) == .parquet ? parts[0] + ".part" : parts[0]
            data = try folder.read(name, from: start, count: header.count + count)
        } catch {
            guard error.isMissing else { throw error }
            data = try folder.read(parts[0] + ".part", from: start, count: header.count + count)
        }
        return data.starts(with: header) ? Data(data.dropFirst(header.count)) : Data()
    }
}

extension Folder {
    /// The bytes of an output: of its file, or of the shard that holds it at `shardOffset`.
    /// - Throws: `FileError`.
    package func readOutput(_ path: String, shardOffset: Int?, bytes: Int) throws(FileError) -> Data {
        guard let shardOffset else { return try read(path, limit: bytes) }
        return try Shard.read(path, at: shardOffset, count: bytes, in: self)
    }
}
