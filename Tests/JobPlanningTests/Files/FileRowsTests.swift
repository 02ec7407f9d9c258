import JobFixtures
import Foundation
import JobManifest
@testable import JobPlanning
import TestSupport
import Testing

@Suite struct FileRowsTests {
    private func items(_ pattern: String, in folder: ManifestFolder) throws -> [PlannedItem] {
        try folder.items(#"{"sources": [{"files": "\#(pattern)"}]}"#)
    }

    private func found(_ pattern: String, in folder: ManifestFolder) throws -> [String] {
        try items(pattern, in: folder).map(\.location)
    }

    private func tree(_ names: String...) throws -> ManifestFolder {
        let folder = try ManifestFolder()
        for name in names { try folder.folder.write("x", to: name) }
        return folder
    }

    @Test(
        "patterns",
        arguments: [
            ("p/*.jpg", ["p/a.jpg", "p/b.jpg"]), ("p/?.jpg", ["p/a.jpg", "p/b.jpg"]),
            ("p/[b-z].jpg", ["p/b.jpg"]),
            ("p/[!b].jpg", ["p/a.jpg"]), ("p/*.{jpg,png}", ["p/a.jpg", "p/b.jpg", "p/c.png"]),
            ("p/**/*.jpg", ["p/a.jpg", "p/b.jpg", "p/q/d.jpg", "p/q/r/e.jpg", "p/ä.x/f.jpg"]),
            ("p/**", ["p/a.jpg", "p/b.jpg", "p/c.png", "p/q/d.jpg", "p/q/r/e.jpg", "p/ä.x/f.jpg"]),
            ("p/**/r/*", ["p/q/r/e.jpg"]), ("p/*/*.jpg", ["p/q/d.jpg", "p/ä.x/f.jpg"]),
            ("p/?.x/*", ["p/ä.x/f.jpg"]),
            ("p/{q,q/r}/*.jpg", ["p/q/d.jpg", "p/q/r/e.jpg"]),
            ("p/{a,{b,c}}.*", ["p/a.jpg", "p/b.jpg", "p/c.png"]),
            ("p/{a,*}.jpg", ["p/a.jpg", "p/b.jpg"]), ("p/.*", ["p/.hidden.jpg"]), ("p/a.jpg", ["p/a.jpg"]),
            ("p/**/**/e.jpg", ["p/q/r/e.jpg"]), ("p/z*", []), ("p//*.png", ["p/c.png"]),
        ] as [(String, [String])]
    )
    func patterns(pattern: String, expected: [String]) throws {
        let folder = try tree(
            "p/b.jpg",
            "p/a.jpg",
            "p/c.png",
            "p/q/d.jpg",
            "p/q/r/e.jpg",
            "p/ä.x/f.jpg",
            "p/.hidden.jpg",
            "p/.git/g.jpg"
        )
        #expect(try found(pattern, in: folder) == expected)
    }

    /// The locations of what a source selects; `keys` are the keys of the source.
    private func selected(_ keys: String, in folder: ManifestFolder) throws -> [String] {
        try folder.items(#"{"sources": [{\#(keys)}]}"#).map(\.location)
    }

    @Test("the case of names does not matter unless the manifest says so")
    func cases() throws {
        let folder = try tree("p/a.jpg", "p/B.JPG", "p/Ä.Jpg", "p/c.png")
        #expect(try selected(#""files": "p/*.jpg""#, in: folder) == ["p/B.JPG", "p/a.jpg", "p/Ä.Jpg"])
        #expect(try selected(#""files": "p/[a-b]*.{jpg}""#, in: folder) == ["p/B.JPG", "p/a.jpg"])
        #expect(try selected(#""files": "p/ä*""#, in: folder) == ["p/Ä.Jpg"])
        #expect(try selected(#""files": "p/*.jpg", "ignoreCase": false"#, in: folder) == ["p/a.jpg"])
    }

    @Test(
        "files that are named are sorted, each once, and none by another case or through a link that leaves"
    )
    func named() throws {
        let folder = try tree("p/b.jpg", "p/a[1].jpg", "p/A.jpg", "q/c d.jpg", "out/e.jpg")
        try FileManager.default.createSymbolicLink(
            atPath: folder.folder.path("p/link.jpg"),
            withDestinationPath: "../q/c d.jpg"
        )
        let names = ["q/c d.jpg", "p/b.jpg", "p/a\\\\[1\\\\].jpg", "p/./b.jpg", "p/link.jpg"]
        let files = names.map { "\"\($0)\"" }.joined(separator: ", ")
        #expect(
            try selected(#""files": [\#(files)], "ignoreCase": false"#, in: folder)
                == ["p/a[1].jpg", "p/b.jpg", "q/c d.jpg"]
        )
        #expect(
            try selected(#""files": [\#(files), "p/*.jpg"], "ignoreCase": false"#, in: folder)
                == ["p/A.jpg", "p/a[1].jpg", "p/b.jpg", "q/c d.jpg"]
        )
        #expect(try folder.errors(#"{"sources": [{"files": "p/B.jpg", "ignoreCase": false}]}"#).count == 1)
    }

    @Test("a folder means the images in it, and what is not there is an error")
    func folders() throws {
        let folder = try tree("p/a.jpg", "p/q/b.TIFF", "p/notes.txt", "p/.c.jpg", "home/d.png")
        for pattern in ["p", "p/", "./p"] {
            #expect(try selected(#""files": "\#(pattern)""#, in: folder) == ["p/a.jpg", "p/q/b.TIFF"])
        }
        let home = ["HOME": folder.folder.path("home")]
        let items = try folder.items(#"{"sources": [{"files": "~/*"}]}"#, environment: home)
        #expect(items.map(\.location) == ["home/d.png"])
        for pattern in ["none", "none/", "p/none.jpg", "p/none\\\\*.jpg"] {
            let errors = try folder.errors(#"{"sources": [{"files": "\#(pattern)"}]}"#)
            #expect(errors.count == 1 && errors[0].contains("none"), "\(errors)")
        }
    }

    @Test("several globs are one sorted list, in which each file is once; others are excluded")
    func lists() throws {
        let folder = try tree(
            "p/b.jpg",
            "p/q/draft-1.jpg",
            "p/q/c.jpg",
            "r/a.jpg",
            "r/draft-2.jpg",
            "r/x/d.jpg"
        )
        let all = ["p/b.jpg", "p/q/c.jpg", "p/q/draft-1.jpg", "r/a.jpg", "r/draft-2.jpg", "r/x/d.jpg"]
        let globs = #""files": ["r/**", "p/**/*.jpg", "p/*"]"#
        #expect(try selected(globs, in: folder) == all)
        let excluded: [(String, [String])] = [
            (#""**/DRAFT-*""#, ["p/b.jpg", "p/q/c.jpg", "r/a.jpg", "r/x/d.jpg"]),
            (#"["p/q", "r/x/d.jpg"]"#, ["p/b.jpg", "r/a.jpg", "r/draft-2.jpg"]), (#""q""#, all),
        ]
        for (patterns, left) in excluded {
            #expect(try selected("\(globs), \"exclude\": \(patterns)", in: folder) == left, "\(patterns)")
        }
        // Below the glob's own folder, too.
        let own = #""files": "p/**", "exclude": ["q"]"#
        #expect(try selected(own, in: folder) == ["p/b.jpg"])
        let items = try folder.items(
            #"{"sources": [{\#(globs)}], "outputs": [{"path": "{dir}/{stem}"}]}"#
        )
        let base = "file://" + folder.folder.path("p").dropLast()
        #expect(Set(items.map(\.base)) == [base])
    }

    @Test("a combining mark at the beginning of a name hides no slash")
    func combiningMarks() throws {
        let mark = "\u{301}"
        let folder = try tree("p/\(mark)a.jpg", "p/\(mark)q/b.jpg", "p/c.jpg", "\(mark)d.jpg")
        let all = ["p/c.jpg", "p/\(mark)a.jpg", "p/\(mark)q/b.jpg"]
        #expect(try selected(#""files": "p/**/*.jpg""#, in: folder) == all)
        let excluded = #""exclude": ["p/\#(mark)a*", "p/\#(mark)q"]"#
        #expect(try selected(#""files": "p/**/*.jpg", \#(excluded)"#, in: folder) == ["p/c.jpg"])
        #expect(try selected(#""files": "*.jpg""#, in: folder) == ["\(mark)d.jpg"])
    }

    @Test("the job's own outputs, cached originals and state are no sources")
    func own() throws {
        let folder = try tree("a.jpg", "p/b.jpg", "made/small/a.jpg", "kept/c.jpg", ".nuke-batch/d.jpg")
        try FileManager.default.createSymbolicLink(
            atPath: folder.folder.path("p/link"),
            withDestinationPath: "../made"
        )
        let manifest = try folder.read(
            #"""
            {"sources": [{"files": "**/*.jpg"}], "destination": "made",
             "cache": {"directory": "kept"}}
            """#
        )
        let reader = ItemReader(manifest)
        var found: [String] = []
        try reader.forEach { found.append($0.location) }
        #expect(found == ["a.jpg", "p/b.jpg"])
        #expect(reader.leftOut == 3, "one of them is also behind a link")
    }

    @Test("files come in the order of the bytes of their whole paths")
    func order() throws {
        let folder = try tree("p/a/x", "p/a-b/x", "p/a.x", "p/aa", "p/B", "p/ä")
        #expect(try found("p/**", in: folder) == ["p/B", "p/a-b/x", "p/a.x", "p/a/x", "p/aa", "p/ä"])
    }

    @Test(
        "a file's URL is absolute, its validator tells its size and time, its folder is one that may be read"
    )
    func facts() throws {
        let folder = try tree("p/ä b.jpg")
        let path = folder.folder.path("p/ä b.jpg")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 5)],
            ofItemAtPath: path
        )
        let item = try #require(try items("p/*", in: folder).first)
        #expect(item.url == "file://" + folder.folder.path("p/%C3%A4%20b.jpg"))
        #expect(item.validator == "1-5.0" && item.location == "p/ä b.jpg")
        let manifest = try folder.read(#"{"sources": [{"files": "p/*"}], "network": {"fileRoots": []}}"#)
        #expect(manifest.network.fileRoots == [folder.folder.path("p")])
    }

    @Test("links are followed below the root, not out of it, and not in circles")
    func links() throws {
        let folder = try tree("p/q/a.jpg", "secret/b.jpg", "p-more/c.jpg")
        let manager = FileManager.default
        func link(_ name: String, to target: String) throws {
            try manager.createSymbolicLink(atPath: folder.folder.path(name), withDestinationPath: target)
        }
        try link("p/inside.jpg", to: "q/a.jpg")
        try link("p/outside.jpg", to: "../secret/b.jpg")
        try link("p/away", to: folder.folder.path("secret"))
        try link("p/near", to: "../p-more")
        try link("p/z", to: "q")
        try link("p/q/circle", to: "..")
        try link("p/q/self", to: ".")
        try link("p/dead.jpg", to: "nothing")
        #expect(try found("p/**/*.jpg", in: folder) == ["p/inside.jpg", "p/q/a.jpg", "p/q/self/a.jpg"])
        // A root that is itself a link is what its owner has named.
        try link("r", to: "p/q")
        #expect(try found("r/*.jpg", in: folder) == ["r/a.jpg"])
    }

    @Test("links that are not followed are told of, where a file or a folder in their place would be read")
    func passedOver() throws {
        let folder = try tree("p/q/a.jpg", "secret/b.jpg", "secret/c.txt")
        func link(_ name: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(
                atPath: folder.folder.path(name),
                withDestinationPath: target
            )
        }
        func told(_ keys: String) throws -> [String] {
            let reader = ItemReader(try folder.read(#"{"sources": [{\#(keys)}]}"#))
            try reader.forEach { _ in }
            return reader.warnings
        }
        try link("p/inside.jpg", to: "q/a.jpg")
        try link("p/text.txt", to: "../secret/c.txt")
        #expect(try told(#""files": "p/**/*.jpg""#).isEmpty)
        try link("p/outside.jpg", to: "../secret/b.jpg")
        let one = try #require(try told(#""files": "p/*.jpg""#).first)
        #expect(one.hasPrefix("the symbolic link p/outside.jpg was not followed: it leads out of the folder"))
        try link("p/away", to: folder.folder.path("secret"))
        try link("p/dead.jpg", to: "nothing")
        for (files, count) in [("p/*.jpg", 2), ("p/**/*.jpg", 3), ("p/*.png", 0), ("p/*/*.jpg", 1)] {
            let warnings = try told(#""files": "\#(files)""#)
            #expect(warnings.count == min(count, 1), "\(files): \(warnings)")
            let isCounted = warnings.allSatisfy { $0.contains("\(count) symbolic links") || count == 1 }
            #expect(isCounted, "\(files): \(warnings)")
        }
        // From a higher folder, they are followed; what is excluded is not missed.
        let both = #""files": ["p/out*.jpg", "**/out*.jpg"]"#
        #expect(try told(both).isEmpty)
        #expect(try selected(both, in: folder) == ["p/outside.jpg"])
        let excluding = #""files": "p/**/*.jpg", "exclude": ["p/away", "p/outside.jpg", "p/dead.jpg"]"#
        #expect(try told(excluding).isEmpty)
        let named = try told(#""files": ["p/outside.jpg", "p/inside.jpg"], "ignoreCase": false"#)
        #expect(named.count == 1 && named[0].hasPrefix("the symbolic link p/outside.jpg was"), "\(named)")
    }

    @Test("a name that is no UTF-8 is a file by its bytes")
    func notUTF8() throws {
        let folder = try tree("p/a.jpg")
        let path = Array(folder.folder.path("p/").utf8) + [0xFF, 0x2E, 0x6A, 0x70, 0x67, 0]
        close(open(path.map(CChar.init(bitPattern:)), O_CREAT | O_WRONLY, 0o600))
        let items = try items("p/*.jpg", in: folder)
        #expect(items.allSatisfy { $0.problem == nil && $0.validator != nil })
        #expect(items.map(\.url) == ["a.jpg", "%FF.jpg"].map { "file://" + folder.folder.path("p/") + $0 })
        #expect(items.map(\.location) == ["p/a.jpg", #"p/\xFF.jpg"#])
    }

    @Test("braces that would stand for a million patterns are refused")
    func manyBraces() throws {
        let errors = try tree("p/a").errors(
            #"{"sources": [{"files": "p/\#(String(repeating: "{a,b}", count: 20))"}]}"#
        )
        #expect(errors.count == 1 && errors[0].contains("more than 1024"))
    }

    @Test("a pattern of many stars takes no exponential time")
    func manyStars() throws {
        let folder = try tree("p/" + String(repeating: "a", count: 200))
        #expect(try found("p/" + String(repeating: "*a", count: 40) + "b", in: folder).isEmpty)
    }
}
