import Files
import Foundation
import TestSupport
import Testing

@testable import Fleet

/// Paths that were written with different bytes, among files whose digests are compared in memory and in temporary files.
@Suite struct PathClashesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The digests of a file, and of the bytes with this number.
    private func file(_ path: String, _ bytes: Int) -> Data {
        WrittenFile.digests(ofPath: path, sha256: SHA256Name(of: Data("\(bytes)".utf8)))
    }

    /// Finds the paths among files that are given in three pieces.
    private func clashes(of files: [Data], most: Int, limit: Int = 100) throws -> (Set<UInt128>, files: Int) {
        let scratch = try ScratchFolder(prefix: "clashes", in: folder.path("scratch"))
        var search = try PathClashes(files.reduce(0) { $0 + $1.count }, in: scratch, most: most)
        let count = try FileManager.default.contentsOfDirectory(atPath: scratch.path).count
        for piece in 0..<3 {
            let part = files[files.count * piece / 3..<files.count * (piece + 1) / 3]
            try search.add(part.reduce(Data()) { $0 + $1 })
        }
        let found = try search.find(limit: limit)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
        return (found, count)
    }

    @Test(
        "paths with different bytes are found, and those with the same bytes are not",
        arguments: [1 << 20, 10_000, 1]
    )
    func found(most: Int) throws {
        let seed = SeededGenerator.seed(of: "path clashes")
        var random = SeededGenerator(seed: seed)
        var files = (0..<3000).map { file("a/\($0).jpg", $0) }
        // The same bytes at the same path, which is no clash, and the same bytes at another path.
        files += (0..<500).map { file("a/\($0).jpg", $0) } + (0..<500).map { file("b/\($0).jpg", $0) }
        let (none, count) = try clashes(of: files.shuffled(using: &random), most: most)
        #expect(none.isEmpty && count == [1 << 20: 1, 10_000: 13, 1: 256][most], "seed \(seed)")
        let clashing = stride(from: 7, to: 3000, by: 301).map { "a/\($0).jpg" }
        files += clashing.map { file($0, -1) }
        files += clashing.map { file($0, -2) }
        let (found, _) = try clashes(of: files.shuffled(using: &random), most: most)
        #expect(found == Set(clashing.map(WrittenFile.digest)), "seed \(seed)")
        let (some, _) = try clashes(of: files.shuffled(using: &random), most: most, limit: 3)
        #expect(some.count == 3 && some.isSubset(of: found), "seed \(seed)")
    }

    @Test("digests come back as they were written, and no files are no clash")
    func digests() throws {
        let data = file("a.jpg", 1) + file("b.jpg", 2)
        #expect(data.count == 2 * WrittenFile.size)
        var files: [WrittenFile] = []
        WrittenFile.forEach(in: data) { files.append($0) }
        #expect(files.map(\.path) == ["a.jpg", "b.jpg"].map(WrittenFile.digest))
        // The first half of `printf a.jpg | sha256sum`, and of `printf 1 | sha256sum`.
        #expect(files.first?.path == 0x509b0d4641a7c3ba088ffa28559d1f57)
        #expect(files.first?.bytes == 0x6b86b273ff34fce19d6b804eff5a3f57)
        #expect(try clashes(of: [], most: 1).0.isEmpty)
    }
}
