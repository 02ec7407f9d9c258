import Foundation
import NukeBatch
import TestSupport
import Testing

@Suite(.serialized) struct LongListTests {
    // A sanitizer keeps a shadow of all memory, and what was freed for a while.
    @Test(
        "a million lines are read in constant memory",
        .enabled(if: ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil)
    )
    func million() throws {
        let folder = try ManifestFolder()
        let path = folder.folder.path("urls.txt")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let file = try #require(FileHandle(forWritingAtPath: path))
        for thousand in 0..<1000 {
            let lines = (0..<1000).map {
                "https://cdn.example.com/products/\(thousand)/\($0)/front.jpg?w=1200\n"
            }
            try file.write(contentsOf: Data(lines.joined().utf8))
        }
        try file.close()
        let reader = ItemReader(try folder.read(#"{"sources": [{"list": "urls.txt"}]}"#))
        let before = try residentBytes()
        let clock = ContinuousClock()
        var count = 0
        var last: PlannedItem?
        let time = try clock.measure {
            while let item = try reader.next() {
                count += 1
                if count == 1_000_000 { last = item }
            }
        }
        let grown = try residentBytes() - before
        print("\(count) lines in \(time), \(grown / 1000) kB more")
        #expect(count == 1_000_000)
        #expect(last?.url == "https://cdn.example.com/products/999/999/front.jpg?w=1200")
        #expect(last?.location == "urls.txt:1000000")
        // Other suites run beside this one: the list itself, 60 MB, would not fit.
        #expect(grown < 40_000_000)
    }

    private func residentBytes() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(Int(fields[1])) * 4096
    }
}
