import Foundation
import JobFixtures
import JobManifest
import TestSupport
import Testing

@testable import JobPlanning

@Suite struct ObjectMatcherTests {
    private func selected(_ keys: [String], _ source: String) throws -> [String] {
        let manifest = try ManifestFolder().read(#"{"sources": [\#(source)]}"#)
        guard case .objects(let selection) = try #require(manifest.sources.first).kind else { return [] }
        var matcher = ObjectMatcher(selection, bucket: "b")
        return keys.filter { matcher.selects($0) }
    }

    @Test(
        "patterns of keys are those of files",
        arguments: [
            ("**/*.jpg", ["a.jpg", "x/a.JPG", "x/y/a.jpg"]), ("*.jpg", ["a.jpg"]),
            ("x/*", ["x/a.JPG", "x/b.png"]), ("x/**", ["x/a.JPG", "x/b.png", "x/y/a.jpg"]),
            ("**/{a,b}.{png,JPG}", ["a.jpg", "x/a.JPG", "x/b.png", "x/y/a.jpg"]),
            ("x/y/?.j[op]g", ["x/y/a.jpg"]),
            ("**/.*", [".hidden.jpg"]), ("**/*.\u{212A}", ["z.\u{212A}"]), ("**/*k", ["z.\u{212A}"]),
            ("", ["a.jpg", "x/a.JPG", "x/b.png", "x/y/a.jpg"]),
            ("x", ["x/a.JPG", "x/b.png", "x/y/a.jpg"]), ("a.jpg", ["a.jpg"]), ("A.jpg", []),
        ]
    )
    func patterns(pattern: String, expected: [String]) throws {
        let keys = [
            ".hidden.jpg", "a.jpg", "c.txt", "x/a.JPG", "x/b.png", "x/y/a.jpg", "xy/c.txt", "z.\u{212A}",
        ]
        #expect(try selected(keys, #"{"objects": "s3://b/\#(pattern)"}"#) == expected, "\(pattern)")
    }

    @Test("the case of names counts if it should, and folders and names can be left out")
    func settings() throws {
        let keys = ["a.JPG", "b.jpg", "drafts/c.jpg", "x/draft-1.jpg", "x/drafts/d.jpg"]
        #expect(
            try selected(keys, #"{"objects": "s3://b/**/*.jpg", "ignoreCase": false}"#)
                == Array(keys.dropFirst())
        )
        let excluded = #"{"objects": "s3://b/", "exclude": ["drafts", "**/draft-*", "s3://b/x/drafts/"]}"#
        #expect(try selected(keys, excluded) == ["a.JPG", "b.jpg"])
    }

    @Test("random patterns select the same keys and files", arguments: 1...20)
    func sameAsFiles(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func any(_ choices: [String]) -> String { choices[Int.random(in: 0..<choices.count, using: &random)] }
        let folder = try ManifestFolder()
        // Folders without a wildcard have to exist.
        var keys: Set = ["root/a/a/a/z.txt"]
        for _ in 0..<40 {
            let folders = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                any(["a", "B", "ab", ".c"]) + "/"
            }
            keys.insert(
                "root/" + folders.joined() + any(["1", "a.b", "ab", ".x"])
                    + any([".jpg", ".JPG", ".png", ".txt"])
            )
        }
        for key in keys { try folder.folder.write("x", to: key) }
        let sorted = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for _ in 0..<20 {
            let depth = Int.random(in: 0...3, using: &random)
            let parts = (0..<depth).map { _ in any(["**/", "*/", "a/", "{a,b}/", "?/", ".*/", "a*/"]) }
            let pattern =
                "root/" + parts.joined()
                + any(["*.jpg", "*", "**", "*.{jpg,png}", "?.jpg", "a*b*", "[a-c]*", ".*"])
            let files = try folder.items(#"{"sources": [{"files": "\#(pattern)"}]}"#).map(\.location)
            let objects = try selected(sorted, #"{"objects": "s3://b/\#(pattern)"}"#)
            #expect(files == objects, "seed \(seed), pattern \(pattern)")
        }
    }
}
