import Files
import Foundation
import JobPlanning
import JobStorage

/// Paths that items of several parts have written with different bytes, which no part can see by itself.
extension FleetCollector {
    /// The pieces of digests that are in memory at the same time.
    private static let piecesAtOnce = 2

    /// Writes the digests of all files that the items of a part's state have written, for the proof of all parts.
    /// - Throws: `RunError`, `JobStoreError`.
    func writeFiles(ofState path: String, part: CollectPart) async throws -> [PartRecord.Piece] {
        guard let reader = try JobReader(path: path) else { throw RunError.machine("cannot read \(path)") }
        let list = "\(scratch.path)/files"
        let file = try FileHandle.scratch(list)
        defer { try? FileManager.default.removeItem(atPath: list) }
        do {
            defer { try? file.close() }
            var digests = Data()
            try reader.forEachFile { name, sha256 in
                guard let sha256 = SHA256Name(parsing: sha256) else {
                    throw RunError.machine("\(path): the file \(name) has no SHA-256")
                }
                digests += WrittenFile.digests(ofPath: name, sha256: sha256)
                guard digests.count >= 1 << 20 else { return }
                try file.write(contentsOf: digests)
                digests.removeAll(keepingCapacity: true)
            }
            try file.write(contentsOf: digests)
        }
        return try await store.writePieces(of: list, part: part)
    }

    /// Returns paths that items of these parts have written with different bytes, sorted: at most as many as a report names.
    /// - Throws: `RunError`; `forged` for a part whose digests are not those of its state.
    func clashingPaths(of records: [PartRecord]) async throws -> [String] {
        let pieces = records.flatMap { record in record.files.map { (record.collected, $0) } }
        var search = try PathClashes(pieces.reduce(0) { $0 + $1.1.bytes }, in: scratch)
        try await FleetStore.forEach(pieces, inGroupsOf: Self.piecesAtOnce) { [store] part, piece in
            try await store.read(piece, of: part)
        } _: {
            try search.add($0)
        }
        let clashes = try search.find(limit: CollectReport.mostClashes)
        var paths = Set<String>()
        guard !clashes.isEmpty else { return [] }
        for record in records where paths.count < clashes.count {
            paths.formUnion(try await self.paths(of: clashes, in: record))
        }
        return paths.sorted()
    }

    /// Returns the paths of a part's files whose digests are among `clashes`.
    private func paths(of clashes: Set<UInt128>, in record: PartRecord) async throws -> Set<String> {
        var digests = Set<UInt128>()
        for piece in record.files {
            WrittenFile.forEach(in: try await store.read(piece, of: record.collected)) { file in
                if clashes.contains(file.path) { digests.insert(file.path) }
            }
        }
        guard !digests.isEmpty else { return [] }
        let state = partStatePath
        try await store.readPieces(of: record, part: record.collected, to: state)
        defer { try? FileManager.default.removeItem(atPath: state) }
        var paths = Set<String>()
        try JobReader(path: state)?.forEachFile { path, _ in
            if digests.contains(WrittenFile.digest(ofPath: path)) { paths.insert(path) }
        }
        guard paths.count == digests.count else {
            let key = store.appending(FleetKey.record(record.collected))
            throw RunError.forged("\(key): files are not those of its state: \(record.collected.remedy)")
        }
        return paths
    }
}
