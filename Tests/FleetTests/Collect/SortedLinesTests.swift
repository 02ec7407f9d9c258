import Files
import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import TestSupport
import Testing

@testable import Fleet

/// Lines that are sorted in memory and in files.
@Suite struct SortedLinesTests {
    private let manifest: ManifestFolder

    init() throws {
        manifest = try ManifestFolder()
    }

    /// The lines of items with these URLs.
    private func lines(_ urls: [String]) throws -> [PartitionLine] {
        try manifest.folder.write(urls.map { $0 + "\n" }.joined(), to: "urls.txt")
        let job = try manifest.read(#"{"sources": [{"list": "urls.txt"}], "outputs": [{}]}"#)
        var lines: [PartitionLine] = []
        try ItemReader(job).forEach { lines.append(PartitionLine($0)) }
        #expect(lines.count == urls.count)
        return lines
    }

    @Test(
        "lines come back in the order of their ordinals, with their bytes",
        arguments: [1 << 20, 10_000, 1]
    )
    func order(most: Int) throws {
        let seed = SeededGenerator.seed(of: "sorted lines")
        var random = SeededGenerator(seed: seed)
        let lines = try lines(
            (1...300).map { "https://example.com/\($0)\(String(repeating: "é", count: $0))" }
        )
        let folder = try ScratchFolder(prefix: "sorted", in: manifest.folder.path("scratch"))
        var sorted = SortedLines(in: folder, most: most)
        for line in lines.shuffled(using: &random) { try sorted.add(line) }
        #expect(sorted.count == 300)
        var found: [String] = []
        try sorted.forEach { found.append(String(decoding: $0, as: UTF8.self)) }
        #expect(found == lines.map(\.text), "seed \(seed)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(most > 1 ? files.count < 300 : files.count == 300)
    }

    @Test("lines on the borders of the blocks that a file is written and read in are whole")
    func blocks() throws {
        let lines = try lines(
            (1...3000).map { "https://example.com/\($0)/" + String(repeating: "x", count: 900 + $0 % 7) }
        )
        #expect(lines.reduce(0) { $0 + $1.text.utf8.count } > 2 << 20)
        let folder = try ScratchFolder(prefix: "sorted", in: manifest.folder.path("scratch"))
        var sorted = SortedLines(in: folder)
        for line in lines.reversed() { try sorted.add(line) }
        var count = 0
        try sorted.forEach { text in
            if count < lines.count, text != Data(lines[count].text.utf8) { Issue.record("line \(count + 1)") }
            count += 1
        }
        #expect(count == lines.count)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }
}
