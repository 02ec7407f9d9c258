import Files
import Foundation
import JobPlanning

/// Finds paths that were written with different bytes, among any number of files.
///
/// The digests of files are spread over temporary ones by their first bits, each of which is then compared in memory.
struct PathClashes {
    /// The bytes of digests that are compared at a time, and the most temporary files: at 32 GB, they are twice as large.
    private static let (comparedBytes, mostFiles) = (64 << 20, 256)
    /// The bytes that are kept for a temporary file until they are written.
    private static let pendingBytes = 64 << 10

    private let paths: [String]
    private let files: [FileHandle]
    private var pending: [[UInt8]]

    /// Begins a search among files whose digests have `bytes` in all; `most` are compared at a time.
    /// - Throws: `RunError.machine`.
    init(_ bytes: Int, in folder: ScratchFolder, most: Int = comparedBytes) throws(RunError) {
        let count = min(max(1, (bytes + most - 1) / most), Self.mostFiles)
        paths = (0..<count).map { "\(folder.path)/paths-\($0)" }
        pending = Array(repeating: [], count: count)
        files = try paths.map { path throws(RunError) in try FileHandle.scratch(path) }
    }

    /// Adds the files whose digests are in `data`.
    /// - Throws: An error of writing the temporary files.
    mutating func add(_ data: Data) throws {
        let bytes = [UInt8](data)
        for offset in stride(from: 0, to: bytes.count - WrittenFile.size + 1, by: WrittenFile.size) {
            let first = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
            let index = first * files.count >> 16
            pending[index] += bytes[offset..<offset + WrittenFile.size]
            if pending[index].count >= Self.pendingBytes { try write(index) }
        }
    }

    /// Returns the digests of the first `limit` paths that two files with different bytes have.
    /// - Throws: An error of the temporary files, which are removed.
    mutating func find(limit: Int) throws -> Set<UInt128> {
        var clashes = Set<UInt128>()
        for index in paths.indices {
            try write(index)
            try files[index].close()
            let digests = try Payload(file: paths[index])
            try FileManager.default.removeItem(atPath: paths[index])
            var written: [WrittenFile] = []
            written.reserveCapacity(digests.count / WrittenFile.size)
            try digests.forEachPiece { piece in
                WrittenFile.forEach(in: piece) { written.append($0) }
            }
            written.sort()
            for (one, other) in zip(written, written.dropFirst()) where one.path == other.path {
                guard clashes.count < limit else { break }
                if one.bytes != other.bytes { clashes.insert(one.path) }
            }
        }
        return clashes
    }

    private mutating func write(_ index: Int) throws {
        guard !pending[index].isEmpty else { return }
        try files[index].write(contentsOf: pending[index])
        pending[index].removeAll(keepingCapacity: true)
    }
}
