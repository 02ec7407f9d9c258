import JobFixtures
import JobManifest
import JobPlanning
import TestSupport
import Testing

@Suite struct SourceInspectorTests {
    @Test("a text is read as if it were the file, which need not exist")
    func text() throws {
        let folder = try ManifestFolder()
        try folder.folder.write("x", to: "photos/a.jpg")
        let text = #"{"sources": [{"files": "photos/*"}], "outputs": [{"format": "png"}]}"#
        let path = folder.folder.path("other.json")
        let manifest = try Manifest.read(text, path: path, environment: [:])
        #expect(manifest.path == path && manifest.name == "other" && manifest.folder == folder.folder.path)
        #expect(try manifest.sha256 == folder.read(text).sha256)
        let error = #expect(throws: ManifestErrors.self) {
            try Manifest.read(#"{"sources": [{"files": "none/*"}]}"#, path: path, environment: [:])
        }
        #expect(error?.errors.map(\.path) == ["sources[0]"])
    }

    @Test("the items of one source are counted up to a limit, without the job's own")
    func itemCount() throws {
        let folder = try ManifestFolder()
        for name in ["a.jpg", "b.jpg", "out/c.jpg"] { try folder.folder.write("x", to: name) }
        let manifest = try folder.read(
            #"{"sources": [{"files": "*.png"}, {"files": "**/*.jpg"}, {"urls": ["https://a.example/1"]}]}"#
        )
        #expect(try manifest.itemCount(ofSource: 0, upTo: 9).count == 0)
        #expect(try manifest.itemCount(ofSource: 1, upTo: 9).count == 2)
        #expect(try manifest.itemCount(ofSource: 1, upTo: 1).count == 1)
        #expect(try manifest.itemCount(ofSource: 2, upTo: 9).count == 1)
    }

    @Test("relative paths of a list start from its base, and so does {dir} of files below it")
    func base() throws {
        let folder = try ManifestFolder()
        try folder.folder.write("p/1.jpg\n/elsewhere/2.jpg\nhttps://a.example/r/3.jpg\n", to: "lists/a.txt")
        let manifest = try folder.read(
            #"""
            {"sources": [{"list": "lists/a.txt", "base": "photos"}],
             "outputs": [{"format": "png", "path": "{dir}/{stem}.{ext}"}]}
            """#
        )
        var items: [PlannedItem] = []
        try ItemReader(manifest).forEach { items.append($0) }
        #expect(items.first?.url == "file://" + folder.folder.path("photos/p/1.jpg"))
        let paths = items.map { manifest.outputs[0].path.planned(for: $0) }
        #expect(paths == ["p/1.png", "elsewhere/2.png", "r/3.png"])
        let errors = try folder.errors(#"{"sources": [{"urls": ["a.jpg"], "base": "photos"}]}"#)
        #expect(errors.count == 1 && errors[0].contains("base") && errors[0].contains("is only for"))
    }
}
