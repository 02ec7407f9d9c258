import JobFixtures
import Testing

@testable import JobManifest

@Suite struct ManifestChangesTests {
    private static func manifest(quality: Int, _ rest: String = "", url: String = "https://a.example/1.jpg")
        -> String
    {
        """
        {"sources": [{"urls": ["\(url)"]}],
         "outputs": [{"name": "small", "format": {"jpeg": {"quality": \(quality)}}}]\(rest)}
        """
    }

    private func snapshot(_ text: String, environment: [String: String] = [:]) throws -> ManifestSnapshot {
        try #require(ManifestSnapshot(try ManifestFolder().read(text, environment: environment)))
    }

    private func changes(from old: ManifestSnapshot, to new: ManifestSnapshot) throws -> ManifestChanges {
        // As a state keeps them: each is written and read.
        let kept = ManifestSnapshot(json: old.json)
        let found = try #require(ManifestChanges(from: kept, to: new))
        return try #require(ManifestChanges(json: JSONLine.text(found)))
    }

    @Test("a changed value is named with both values; another layout changes nothing")
    func values() throws {
        let old = try snapshot(Self.manifest(quality: 80))
        let found = try changes(from: old, to: try snapshot(Self.manifest(quality: 85)))
        #expect(found.count == 1)
        #expect(found.first.map(\.text) == ["outputs[0].format.jpeg.quality: 80 → 85"])
        let spaced = Self.manifest(quality: 80).replacing(",", with: " , ")
        #expect(try changes(from: old, to: try snapshot("// new\n" + spaced)).count == 0)
    }

    @Test("secrets are neither kept nor compared, and queries are kept but not shown")
    func secrets() throws {
        let texts = ["s3cret-a", "s3cret-b"].map { secret in
            Self.manifest(
                quality: 80,
                #", "loading": {"headers": {"X-Key": "\#(secret)", "X-Other": "${TOKEN}"}}"#,
                url: "https://user:\(secret)@a.example/1.jpg?signature=\(secret.suffix(1))"
            )
        }
        let snapshots = try texts.map { try snapshot($0, environment: ["TOKEN": "s3cret-c"]) }
        for snapshot in snapshots { #expect(!snapshot.json.contains("s3cret"), "\(snapshot.json)") }
        let found = try changes(from: snapshots[0], to: snapshots[1])
        #expect(found.count == 1, "the query has changed")
        let shown = try #require(found.first.first)
        #expect(shown.path == "sources[0].urls[0]")
        #expect(shown.old?.text == #""https://redacted@a.example/1.jpg?…""#, "\(shown.text)")
        #expect(shown.new?.text == shown.old?.text)
    }

    @Test("of many changes the first are kept, and all are counted")
    func many() throws {
        let settings = { (number: Int) in
            let outputs = (0..<30).map {
                #"{"name": "o\#($0)", "format": {"webp": {"quality": \#(number)}}}"#
            }
            let list = outputs.joined(separator: ", ")
            return #"{"sources": [{"urls": ["https://a.example/1.jpg"]}], "outputs": [\#(list)]}"#
        }
        let found = try changes(from: try snapshot(settings(50)), to: try snapshot(settings(60)))
        #expect(found.count == 30 && found.first.count == 20)
    }

    @Test("a manifest that lists very many URLs itself is not kept")
    func large() throws {
        let urls = (0..<10_000).map { #""https://a.example/photos/\#($0).jpg""# }.joined(separator: ", ")
        let manifest = try ManifestFolder().read(#"{"sources": [{"urls": [\#(urls)]}]}"#)
        #expect(ManifestSnapshot(manifest) == nil)
    }

    @Test("what is no manifest cannot be compared", arguments: ["", "[]", "{", "7"])
    func damaged(text: String) throws {
        let new = try snapshot(Self.manifest(quality: 80))
        #expect(ManifestChanges(from: ManifestSnapshot(json: text), to: new) == nil)
        #expect(ManifestChanges(json: text) == nil)
    }
}
