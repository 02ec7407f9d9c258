import Testing

@testable import JobManifest

@Suite struct ObjectSelectionTests {
    private func selection(_ patterns: [String], _ more: String = "") throws -> ObjectSelection {
        let list = patterns.map { "\"\($0)\"" }.joined(separator: ", ")
        let manifest = try UnseenSources().read(#"{"objects": [\#(list)]\#(more)}"#)
        guard case .objects(let selection) = try #require(manifest.sources.first).kind else {
            throw TextError("is no selection")
        }
        return selection
    }

    @Test(
        "only what begins as the pattern does is listed",
        arguments: [
            ("s3://b", "", "s3://b/"), ("s3://b/", "", "s3://b/"),
            ("s3://b/photos", "photos/", "s3://b/photos/"),
            ("s3://b/photos/", "photos/", "s3://b/photos/"), ("s3://b/a/b.jpg", "a/b.jpg", "s3://b/a/"),
            ("s3://b/a/B.JPG", "a/B.JPG", "s3://b/a/"), ("s3://b/a/**/*.jpg", "a/", "s3://b/a/"),
            ("s3://b/a/2026-*/x.jpg", "a/2026-", "s3://b/a/"), ("s3://b/a/img*", "a/", "s3://b/a/"),
            ("s3://b/a/{1,12}*/x", "a/1", "s3://b/a/"), ("s3://b/a//x/*.jpg", "a//x/", "s3://b/a//x/"),
            ("s3://b//*.jpg", "/", "s3://b//"), ("s3://b/a/\\\\*x/*", "a/*x/", "s3://b/a/*x/"),
            ("s3://b/a b/ü/*", "a b/ü/", "s3://b/a b/ü/"), ("s3://b/../*.jpg", "../", "s3://b/../"),
        ]
    )
    func prefixes(pattern: String, prefix: String, base: String) throws {
        let selection = try selection([pattern])
        #expect(selection.targets == [ObjectSelection.Target(bucket: "b", prefix: prefix)])
        #expect(selection.base == base)
    }

    @Test("names count as they are written where the case counts")
    func caseCounts() throws {
        let selection = try selection(["s3://b/a/img*"], #", "ignoreCase": false"#)
        #expect(selection.targets.map(\.prefix) == ["a/img"])
    }

    @Test("what another listing finds is not listed twice, and buckets come in their order")
    func targets() throws {
        let selection = try selection([
            "s3://c/x/*", "s3://b/a/b/*", "s3://b/a/*", "s3://b/a-b/*", "s3://b/a/b/c/*",
        ])
        #expect(selection.targets.map { "\($0.bucket) \($0.prefix)" } == ["b a-b/", "b a/", "c x/"])
        #expect(selection.base == nil)
    }

    @Test("the folder of several patterns is the last that they have in common")
    func base() throws {
        #expect(try selection(["s3://b/a/b/*", "s3://b/a/bc/*"]).base == "s3://b/a/")
        #expect(try selection(["s3://b/x/*", "s3://b/y/*"]).base == "s3://b/")
    }
}
