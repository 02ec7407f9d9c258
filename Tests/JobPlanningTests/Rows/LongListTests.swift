import JobFixtures
import Foundation
import JobManifest
import JobPlanning
import TestSupport
import Testing

@Suite(.serialized) struct LongListTests {
    @Test("of a million lines each is read at its place")
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
        var count = 0
        var last: PlannedItem?
        while let item = try reader.next() {
            count += 1
            if count == 1_000_000 { last = item }
        }
        #expect(count == 1_000_000)
        #expect(last?.url == "https://cdn.example.com/products/999/999/front.jpg?w=1200")
        #expect(last?.location == "urls.txt:1000000")
    }
}
