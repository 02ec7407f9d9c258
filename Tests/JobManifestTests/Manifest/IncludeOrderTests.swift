import JobFixtures
import JobManifest
import TestSupport
import Testing

@Suite struct IncludeOrderTests {
    private static let sources = #""sources": [{"urls": []}]"#

    @Test("a manifest's own key comes first, then those of its inclusions with theirs, in order")
    func order() throws {
        let folder = try ManifestFolder()
        try folder.folder.write(#"{"include": "c.json", "retry": {"attempts": 2}}"#, to: "a.json")
        try folder.folder.write(
            #"{"name": "b", "retry": {"attempts": 3}, "limits": {"memory": 3}, "cache": {"sizeLimit": 3}}"#,
            to: "b.json"
        )
        try folder.folder.write(
            #"{"name": "c", "retry": {"attempts": 4}, "limits": {"memory": 4}, "loading": {"burst": 4}}"#,
            to: "c.json"
        )
        let manifest = try folder.read(
            #"{"include": ["a.json", "b.json"], \#(Self.sources), "loading": {"burst": 1}}"#
        )
        #expect(manifest.loading.burst == 1 && manifest.retry.attempts == 2)
        #expect(manifest.name == "c" && manifest.limits.memory == 4 && manifest.cache.sizeLimit == 3)
    }

    @Test("a file may be included by several, but by none that it includes")
    func circles() throws {
        let folder = try ManifestFolder()
        try folder.folder.write(#"{"include": "c.json"}"#, to: "a.json")
        try folder.folder.write(#"{"include": "./x/../c.json"}"#, to: "b.json")
        try folder.folder.write(#"{"name": "c"}"#, to: "c.json")
        let text = #"{"include": ["a.json", "b.json", "a.json"], \#(Self.sources)}"#
        #expect(try folder.read(text).name == "c")
        try folder.folder.write(#"{"include": "b.json"}"#, to: "c.json")
        let errors = try folder.errors(#"{"include": "a.json", \#(Self.sources)}"#)
        #expect(errors.count == 1 && errors[0].hasPrefix(folder.folder.path("b.json") + ":1:13: include: "))
        let own = try folder.errors(#"{"include": "job.json", \#(Self.sources)}"#)
        #expect(own == [#"1:13: include: "job.json" includes itself: remove one of the inclusions"#])
    }

    @Test("100 files make a manifest, and no more")
    func many() throws {
        let folder = try ManifestFolder()
        for index in 1...100 { try folder.folder.write("{}", to: "\(index).json") }
        func text(_ count: Int) -> String {
            let names = (1...count).map { "\"\($0).json\"" }.joined(separator: ",")
            return "{\"include\":[\(names)],\(Self.sources)}"
        }
        #expect(try folder.errors(text(99)).isEmpty)
        let errors = try folder.errors(text(100))
        #expect(errors.count == 1)
        #expect(errors[0].contains(": include[99]: exceeds the limit of 100 files"), "\(errors)")
    }

    @Test("the name of an inclusion may hold variables, and the version of each file counts")
    func variables() throws {
        let folder = try ManifestFolder()
        try folder.folder.write(#"{"version": 1, "$schema": "x", "name": "a"}"#, to: "sub/a.json")
        let text = #"{"include": "${DIR}/a.json", \#(Self.sources)}"#
        #expect(try folder.read(text, environment: ["DIR": "sub"]).name == "a")
        let absolute = folder.folder.path("sub")
        #expect(try folder.read(text, environment: ["DIR": absolute]).name == "a")
        try folder.folder.write(#"{"version": 2}"#, to: "sub/a.json")
        let errors = try folder.errors(text, environment: ["DIR": "sub"])
        #expect(errors.count == 1 && errors[0].contains("sub/a.json:1:13: version: version 2 is unknown"))
    }

    @Test("the digest of one file is that of its bytes, of several that of all and their places")
    func digest() throws {
        let folder = try ManifestFolder()
        let plain = "{\(Self.sources)}"
        let digest = "a9f35db789ccb7b8fd17f1e4c2864ec3778bf096c439abe5cb1169e334b8471a"
        #expect(try folder.read(plain).sha256 == digest)
        #expect(try folder.read(plain + "\n").sha256 != digest)
        try folder.folder.write("{}", to: "a.json")
        try folder.folder.write("{}", to: "b.json")
        let first = try folder.read(#"{"include": "a.json", \#(Self.sources)}"#).sha256
        let text = #"{"include": ["a.json", "b.json"], \#(Self.sources)}"#
        let both = try folder.read(text).sha256
        #expect(first != both && first.count == 64)
        try folder.folder.write("{} ", to: "b.json")
        #expect(try folder.read(text).sha256 != both)
    }
}
