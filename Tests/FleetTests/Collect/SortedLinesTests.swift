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
    @Test(
        "lines come back in the order of their ordinals, with their bytes",
        arguments: [1 << 20, 10_000, 1]
    )
    func order(most: Int) throws {
        let seed = SeededGenerator.seed(of: "sorted lines")
        var random = SeededGenerator(seed: seed)
        let manifest = try ManifestFolder()
        let urls = (1...300).map { #""https://example.com/\#($0)\#(String(repeating: "é", count: $0))""# }
        let job = try manifest.read(
            #"{"sources": [{"urls": [\#(urls.joined(separator: ", "))]}], "outputs": [{}]}"#
        )
        var lines: [PartitionLine] = []
        try ItemReader(job).forEach { lines.append(PartitionLine($0)) }
        #expect(lines.count == 300)
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
}
