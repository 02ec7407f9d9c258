import Foundation
import JobFixtures
import JobManifest
import TestSupport
import Testing

@Suite struct IncludeTests {
    @Test("the keys of an included manifest are defaults, whole, and the first file that has one holds")
    func defaults() throws {
        let folder = try ManifestFolder()
        try folder.folder.write(
            #"{"version": 1, "name": "common", "loading": {"burst": 7, "perHost": 2}, "retry": {"attempts": 9}}"#,
            to: "common.json"
        )
        try folder.folder.write(
            #"{"loading": {"burst": 8}, "limits": {"processing": 3}, "outputs": [{"name": "small"}]}"#,
            to: "more.json"
        )
        let manifest = try folder.read(
            #"{"include": ["common.json", "more.json"], "sources": [{"urls": []}], "retry": {"backoff": "2s..3s"}}"#
        )
        #expect(manifest.name == "common" && manifest.outputs.map(\.name) == ["small"])
        #expect(
            manifest.loading.burst == 7 && manifest.loading.perHost == 2 && manifest.limits.processing == 3
        )
        // Its own, with nothing of the included one in it.
        #expect(manifest.retry.attempts == 4 && manifest.retry.backoff == .seconds(2) ... .seconds(3))
    }

    @Test("paths start from the folder of the file that they stand in, also those of variables")
    func paths() throws {
        let folder = try ManifestFolder()
        try folder.folder.write("b.jpg\n", to: "shared/urls.txt")
        try folder.folder.write(#"{"include": "inner/settings.json"}"#, to: "shared/common.json")
        try folder.folder.write(
            #"""
            {"sources": [{"urls": ["a.jpg", "${DIRECTORY}/c.jpg", "${WEB}/d.jpg"]}, {"list": "../urls.txt"}],
             "destination": "out", "cache": {"directory": "cache"}, "network": {"fileRoots": ["photos"]}}
            """#,
            to: "shared/inner/settings.json"
        )
        let text = #"{"include": "shared/common.json"}"#
        let environment = ["DIRECTORY": "x", "WEB": "https://a.example"]
        let manifest = try folder.read(text, environment: environment)
        let inner = folder.folder.path("shared/inner")
        #expect(
            manifest.destination.description == inner + "/out" && manifest.cache.directory == inner + "/cache"
        )
        #expect(manifest.network.fileRoots == [inner + "/photos"])
        let items = try folder.items(text, environment: environment)
        let targets = ["a.jpg", "x/c.jpg"].map { "file://\(inner)/\($0)" } + ["https://a.example/d.jpg"]
        #expect(items.map(\.target) == targets + ["file://\(inner)/b.jpg"])
        // A run knows what is stored alone.
        #expect(items.map { manifest.target(of: $0.url) } == items.map(\.target))
        #expect(items[2].url == "${WEB}/d.jpg")
    }

    @Test("errors name the file that they are in, and all come at once")
    func errors() throws {
        let folder = try ManifestFolder()
        try folder.folder.write(
            "{\"sorces\": [],\n \"retry\": {\"attempts\": 0}, \"limits\": 1}",
            to: "sub/common.json"
        )
        let errors = try folder.errors(
            #"{"include": "sub/common.json", "sources": [{"urls": [1]}], "limits": {}}"#
        )
        let included = folder.folder.path("sub/common.json")
        #expect(errors.count == 3, "\(errors)")
        #expect(errors[0].hasPrefix("1:54: sources[0].urls[0]: "))
        #expect(errors[1].hasPrefix("\(included):1:2: sorces: unknown key; did you mean \"sources\"?"))
        #expect(errors[2].hasPrefix("\(included):2:24: retry.attempts: should be from 1 to 100, not 0"))
    }

    @Test("what cannot be included is an error where it stands")
    func refused() throws {
        let folder = try ManifestFolder()
        let missing = try folder.errors(#"{"include": "gone.json", "sources": [{"urls": []}]}"#)
        #expect(
            missing.first?.hasPrefix(#"1:13: include: "gone.json" cannot be included: there is no such file"#)
                == true
        )
        try folder.folder.write(#"{"include": "job.json"}"#, to: "circle.json")
        let circle = try folder.errors(#"{"include": "circle.json", "sources": [{"urls": []}]}"#)
        #expect(
            circle == [
                folder.folder.path("circle.json")
                    + ":1:13: include: \"job.json\" includes itself: remove one of the inclusions"
            ]
        )
        try folder.folder.write("[]", to: "list.json")
        let list = try folder.errors(#"{"include": ["list.json", 1], "sources": [{"urls": []}]}"#)
        #expect(list.count == 2 && list[1].contains("list.json:1:1: should be an object"), "\(list)")
        let sources = try folder.errors(#"{"include": []}"#)
        #expect(sources.first?.contains("\"sources\" is missing") == true)
    }

    @Test("a change of an included file is a change of the manifest")
    func digest() throws {
        let folder = try ManifestFolder()
        try folder.folder.write(#"{"retry": {"attempts": 1}}"#, to: "common.json")
        let text = #"{"include": "common.json", "sources": [{"urls": []}]}"#
        let first = try folder.read(text).sha256
        #expect(try folder.read(text).sha256 == first)
        try folder.folder.write(#"{"retry": {"attempts": 2}}"#, to: "common.json")
        #expect(try folder.read(text).sha256 != first)
    }

    @Test("a pipe is not included, nor waited for")
    func pipe() throws {
        let folder = try ManifestFolder()
        try #require(mkfifo(folder.folder.path("pipe"), 0o600) == 0)
        let errors = try folder.errors(#"{"include": "pipe", "sources": [{"urls": []}]}"#)
        #expect(errors == [#"1:13: include: "pipe" cannot be included: is not a regular file"#])
    }
}
