import JobFixtures
import Foundation
import JobManifest
import JobPlanning
import TestSupport
import Testing

@Suite struct OutputPathTests {
    private func path(
        _ template: String,
        url: String = "https://cdn.example.com/a/b/photo.jpeg",
        more: String = "",
        format: String = "webp"
    ) throws -> String {
        let manifest = try ManifestFolder().read(
            """
            {"sources": [{"urls": [{"url": \(quoted(url)) \(more)}]}],
             "outputs": [{"name": "small", "format": "\(format)", "path": \(quoted(template))}],
             "network": {"allow": ["localhost"]}}
            """
        )
        let item = try #require(try ItemReader(manifest).next())
        return try #require(manifest.outputs.first).path.planned(for: item)
    }

    private func quoted(_ text: String) -> String { CanonicalJSON.string(text).text }

    @Test(
        "variables",
        arguments: [
            (
                "{name}/{host}/{dir}/{stem}.{ext}", "https://CDN.example.com/a/b/photo.jpeg",
                "small/cdn.example.com/a/b/photo.webp"
            ),
            (
                "{name}/{host}/{dir}/{stem}.{ext}", "https://cdn.example.com/photo.jpeg",
                "small/cdn.example.com/photo.webp"
            ),
            ("{host}", "http://user:pw@h.example:8080/x", "h.example_8080"),
            ("{host}", "http://h.example:80/x", "h.example"),
            ("{host}", "https://h.example:80", "h.example_80"), ("{host}", "http://[::1]:8080/", "__1_8080"),
            ("{host}", "data:,x", "local"), ("{host}", "photos/x.jpg", "local"),
            ("{index}-{index:6}", "https://a.example/", "1-000001"),
            ("{id}", "http://test.com", "0f7fd3ea4ac6f4a4"),
            ("{stem}", "https://a.example/a%20%C3%A4%2Fb.tar.gz", "a_ä_b.tar"),
            ("{stem}", "https://a.example/p.php?id=1", "p-a0fac88f"), ("{stem}", "https://a.example/", "_"),
            ("{stem}", "https://a.example", "_"), ("{stem}", "https://a.example/.jpg", "_jpg"),
            ("{stem}", "https://a.example/x.jpg#y?z", "x"),
            ("{dir}/x", "https://a.example/a/../%2E%2E/./b//c/d.jpg", "a/b/c/x"),
            ("{dir}/{stem}", "https://a.example/.git/%2e%2e%2fx/y", "_git/_._x/y"),
            ("a//{stem}", "https://a.example/x.jpg", "a/x"),
        ]
    )
    func variables(template: String, url: String, expected: String) throws {
        if template == "{id}" {
            #expect(try path(template, url: url).count == 16)
        } else if url.contains("?id") {
            #expect(try path(template, url: url).count == expected.count)
        } else {
            #expect(try path(template, url: url) == expected)
        }
    }

    @Test(
        "hostile values stay names",
        arguments: [
            ("../../etc/passwd", "_._.._etc_passwd"), ("..", "_."), (".", "_"),
            ("/etc/passwd", "_etc_passwd"),
            ("a\\u0000b", nil), ("a\\nb\\u001b[31m", "a_b__31m"), ("CON", "CON"), ("a:b*c?d|e", "a_b_c_d_e"),
            ("", "_"),
            ("e\\u0301", "é"), ("日本語", "日本語"), ("😀", "_"), (".htaccess", "_htaccess"),
            ("\\u202e\\u200b", "__"), ("a b", "a_b"),
            ("{hash}", "_hash_"), ("a\\\\b", "a_b"),
        ] as [(String, String?)]
    )
    func hostile(value: String, expected: String?) throws {
        guard let expected else {
            #expect(throws: ManifestErrors.self) { try path("{v}", more: #", "vars": {"v": "\#(value)"}"#) }
            return
        }
        #expect(try path("{v}", more: #", "vars": {"v": "\#(value)"}"#) == expected)
        #expect(try path("x/{v}.{ext}", more: #", "vars": {"v": "\#(value)"}"#).hasPrefix("x/"))
    }

    @Test("names of dots alone, put together from several values, are none")
    func dots() throws {
        let empty = #", "vars": {"a": "", "b": ""}"#
        #expect(try path("x/{a}.{b}/y", more: empty) == "x/_/y")
        #expect(try path("x/{a}.{b}./y", more: empty) == "x/_/y")
        #expect(try path("x/{a}", more: empty) == "x")
    }

    @Test("long values are cut to 200 bytes with a hash, long names to what a file may be called")
    func long() throws {
        let long = String(repeating: "ä", count: 300)
        let value = try path("{v}", more: #", "vars": {"v": "\#(long)"}"#)
        let other = try path("{v}", more: #", "vars": {"v": "\#(long)x"}"#)
        #expect(value.utf8.count <= 200 && value.utf8.count > 190 && value.hasPrefix("ää") && value != other)
        #expect(value.suffix(8).allSatisfy { $0.isHexDigit })
        let name = try path("{v}{v}.{ext}", more: #", "vars": {"v": "\#(long)"}"#)
        #expect(name.utf8.count <= 255 && name.hasSuffix(".webp"))
    }

    @Test("what is known only later stays in braces, and is filled in then")
    func late() throws {
        let planned = try path("{shard}/{hash}-{width}x{height}/{stem}.{ext}", format: "original")
        #expect(planned == "{shard}/{hash}-{width}x{height}/photo.{ext}")
        let facts = OutputFacts(fileExtension: "jpg", width: 3, height: 2, hash: "abcd")
        let template = try #require(
            try ManifestFolder().read(
                #"{"sources": [{"urls": ["u"]}], "outputs": [{"format": "original", "path": "{shard}/{hash}.{ext}"}]}"#
            ).outputs.first
        ).path
        #expect(template.finished(planned, with: facts) == "ab/abcd-3x2/photo.jpg")
        let folder = try ManifestFolder()
        for (output, known) in [
            (#""format": "jpeg""#, true), (#""format": "same""#, false), (#""path": "{id}""#, true),
            (#""path": "{hash}""#, false),
        ] {
            let manifest = try folder.read(#"{"sources": [{"urls": []}], "outputs": [{\#(output)}]}"#)
            #expect(manifest.outputs.first?.path.isKnownInPlanning == known)
        }
    }

    @Test(
        "templates that are none",
        arguments: [
            "", "/x", "../x", "a/../x", "a/..", "./x", "a/", "{dir}/", "{", "}", "a{b", "{}", "{id:3}",
            "{index:0}",
            "{index:x}", "{index:99}", "{index:+3}", "{id", "{\u{301}id", "a\u{1}b",
            "{nothing}",
        ]
    )
    func wrong(template: String) throws {
        #expect(throws: ManifestErrors.self) { try path(template) }
    }

    @Test("of a glob's files, folders count below the root")
    func glob() throws {
        let folder = try ManifestFolder()
        try folder.folder.write("x", to: "p ä/q/r/a.jpg")
        let manifest = try folder.read(#"{"sources": [{"files": "p ä/**"}], "outputs": [{"format": "png"}]}"#)
        let item = try #require(try ItemReader(manifest).next())
        #expect(manifest.outputs.first?.path.planned(for: item) == "output/local/q/r/a.png")
    }

    @Test("what a variable of the environment holds gets into no path but as the host")
    func secrets() throws {
        let manifest = try ManifestFolder().read(
            #"{"sources": [{"urls": ["https://${HOST}/${TOKEN}/a.jpg?k=${TOKEN}", "${BASE}/b/c.jpg"]}], "outputs": [{"format": "png"}]}"#,
            environment: ["HOST": "h.example", "TOKEN": "secret", "BASE": "https://b.example/base"]
        )
        let reader = ItemReader(manifest)
        let path = try #require(manifest.outputs.first).path
        let first = path.planned(for: try #require(try reader.next()))
        #expect(first.hasPrefix("output/h.example/__TOKEN_/a-") && !first.contains("secret"))
        #expect(path.planned(for: try #require(try reader.next())) == "output/b.example/b/c.png")
    }

    @Test("{output} is the output's name; {name} yields to a column of that name, with a warning")
    func names() throws {
        let folder = try ManifestFolder()
        try folder.folder.write("url,name\nhttps://a.example/1,Ann\nhttps://a.example/2,Bob\n", to: "a.csv")
        func manifest(_ path: String, _ source: String) throws -> Manifest {
            try folder.read(
                #"{"sources": [\#(source)], "outputs": [{"name": "small", "format": "png", "path": "\#(path)"}]}"#
            )
        }
        func paths(_ manifest: Manifest) throws -> [String] {
            let reader = ItemReader(manifest)
            var paths: [String] = []
            while let item = try reader.next() {
                paths.append(try #require(manifest.outputs.first).path.planned(for: item))
            }
            return paths
        }
        let table = #"{"list": "a.csv"}"#
        let both = try manifest("{output}/{name}/{index}.png", table)
        #expect(try paths(both) == ["small/Ann/1.png", "small/Bob/2.png"])
        #expect(both.warnings.count == 1)
        #expect(
            both.warnings[0].contains("outputs[0].path: {name}") && both.warnings[0].contains("sources[0]")
        )
        let many = try manifest(
            "{name}/{index}.png",
            Array(repeating: table, count: 5).joined(separator: ", ")
        )
        let places = "sources[0], sources[1], sources[2] and 2 more"
        #expect(many.warnings.count == 1)
        #expect(many.warnings[0].contains(" is the column or variable of \(places): write {output}"))
        #expect(try manifest("{output}/{index}.png", table).warnings.isEmpty)
        let plain = try manifest("{name}/{index}.png", #"{"urls": ["https://a.example/1"]}"#)
        #expect(try paths(plain) == ["small/1.png"] && plain.warnings.isEmpty)
        let vars = try manifest("{name}.png", #"{"urls": ["https://a.example/1"], "vars": {"name": "Bob"}}"#)
        #expect(try paths(vars) == ["Bob.png"] && vars.warnings.count == 1)
    }
}
