import JobFixtures
import Imaging
import JobManifest
import JobPlanning
import TestSupport
import Testing

@Suite struct ManifestTests {
    @Test("a manifest that says nothing has the defaults of the contract")
    func defaults() throws {
        let folder = try ManifestFolder()
        let manifest = try folder.read(
            #"{"sources": [{"urls": []}], "outputs": [{}]}"#,
            environment: ["HOME": "/home/ada"]
        )
        #expect(manifest.name == "job")
        #expect(manifest.destination.description == folder.folder.path("out"))
        #expect(manifest.cache.directory == "/home/ada/.cache/nuke-batch/originals")
        #expect(manifest.cache.sizeLimit == 10_000_000_000)
        #expect(manifest.cache.policy == .storeOriginalData)
        #expect(
            manifest.loading.concurrency == 16 && manifest.loading.perHost == 6
                && manifest.loading.burst == 25
        )
        #expect(manifest.loading.rate == Rate(count: 80, seconds: 1))
        #expect(manifest.loading.timeout == .seconds(60) && manifest.loading.connectTimeout == .seconds(10))
        #expect(manifest.loading.totalTimeout == .seconds(600) && manifest.loading.maxRedirects == 5)
        #expect(manifest.loading.maxBytes == 100_000_000)
        #expect(manifest.retry.attempts == 4 && manifest.retry.backoff == .seconds(1) ... .seconds(60))
        #expect(manifest.retry.statuses == [408, 425, 429, 500, 502, 503, 504])
        #expect(manifest.limits.memory == 1 << 30 && manifest.limits.maxPixels == 100_000_000)
        #expect(manifest.limits.maxDimension == 65_500 && manifest.limits.maxDuration == nil)
        #expect(manifest.network.schemes == ["https", "http", "s3", "ftp", "data", "file"])
        #expect(manifest.network.allow.isEmpty && manifest.network.fileRoots == [folder.folder.path])
        let output = try #require(manifest.outputs.first)
        #expect(output.name == "output" && output.format == .same && output.existing == .replace)
        #expect(output.path.description == "output/{host}/{dir}/{stem}.{ext}")
        #expect(output.background == .white)
    }

    @Test("everything that is said is taken")
    func everything() throws {
        let folder = try ManifestFolder()
        try folder.folder.write("x", to: "photos/a.jpg")
        let manifest = try folder.read(
            #"""
            {
              "$schema": "x", "version": 1, "name": "all",
              "sources": [
                {"urls": ["https://a.example/1.jpg"], "priority": "high", "headers": {"A": "b"}, "vars": {"n": 5},
                 "processors": [{"rotate": {"degrees": -90, "flip": "vertical"}}]},
                {"files": "photos/*.jpg"}
              ],
              "processors": [{"grayscale": {}}],
              "outputs": [{
                "name": "small",
                "processors": [{"resize": {"width": 320, "height": 200, "contentMode": "aspectFill", "crop": true,
                                           "upscale": true, "filter": "mitchell", "linear": true}},
                               {"crop": {"rect": [1, 2, 3, 4]}}],
                "format": {"jpeg": {"quality": 70, "progressive": true, "subsampling": "4:4:4"}},
                "path": "{name}/{index:6}.{ext}", "metadata": "strip", "existing": "keep", "background": "#000",
                "when": {"minWidth": 200, "minHeight": 100, "maxAspect": 4, "types": ["jpeg", "png"]}
              }],
              "destination": "../made",
              "cache": {"directory": "cache", "sizeLimit": "1GB", "policy": "none", "staleIfError": false},
              "loading": {"concurrency": 4, "rate": "600/m", "headers": {"A": "1", "B": "2"}, "userAgent": "me",
                          "auth": {"basic": {"user": "u", "password": "p"}},
                          "hosts": {"CDN.example": {"rate": "1/s", "headers": {"a": "3"}}}},
              "retry": {"attempts": 2, "backoff": "5s..10m", "statuses": [500]},
              "limits": {"processing": 3, "memory": "64MiB", "maxPixels": "1MP", "maxDuration": "1h"},
              "network": {"schemes": ["https"], "allow": ["LocalHost", "10.0.0.0/8"], "fileRoots": ["."]}
            }
            """#
        )
        #expect(manifest.name == "all" && manifest.processors == [.grayscale])
        #expect(manifest.sources[0].priority == .high && manifest.sources[0].variables == ["n": "5"])
        #expect(manifest.sources[0].processors == [.rotate(Rotate(degrees: 270, flip: .vertical))])
        let output = manifest.outputs[0]
        let resize = Resize(
            width: 320,
            height: 200,
            contentMode: .aspectFill,
            crop: true,
            upscale: true,
            filter: .mitchell,
            linear: true
        )
        #expect(output.processors == [.resize(resize), .crop(Crop(x: 1, y: 2, width: 3, height: 4))])
        #expect(
            output.format == .encoded(.jpeg(JPEGOptions(quality: 70, progressive: true, subsampling: .s444)))
        )
        #expect(output.existing == .keep && output.background == RGBColor(red: 0, green: 0, blue: 0))
        #expect(output.condition.minWidth == 200 && output.condition.types == [.jpeg, .png])
        #expect(manifest.destination.description.hasSuffix("/made") && manifest.destinationText == "../made")
        #expect(manifest.cache.directory == folder.folder.path("cache") && manifest.cache.policy == .none)
        let host = manifest.loading.settings(host: "cdn.EXAMPLE", port: 8080)
        #expect(host.rate.perSecond == 1 && host.concurrency == 4 && host.headers == ["a": "3", "B": "2"])
        #expect(manifest.loading.settings(host: "other.example", port: nil).rate.perSecond == 10)
        #expect(manifest.loading.authorization == .basic(user: "u", password: "p"))
        #expect(
            manifest.retry.backoff == .seconds(5) ... .seconds(600) && manifest.limits.memory == 67_108_864
        )
        #expect(manifest.network.allow == ["localhost", "10.0.0.0/8"])
        #expect(manifest.network.fileRoots == [folder.folder.path, folder.folder.path("photos")])
    }

    @Test("variables are expanded for use and stay as written in what is stored")
    func variables() throws {
        let text = #"""
            {"sources": [{"urls": [{"url": "${ORIGIN}/a.jpg?t=${TOKEN}", "headers": {"X": "${TOKEN} $${TOKEN}"}}]}],
             "destination": "${OUT}/x", "loading": {"auth": {"bearer": "${TOKEN}"}}}
            """#
        let environment = ["ORIGIN": "https://a.example", "TOKEN": "se{cret", "OUT": "/made", "OTHER": "x"]
        let folder = try ManifestFolder()
        let manifest = try folder.read(text, environment: environment)
        #expect(manifest.destination.description == "/made/x" && manifest.destinationText == "${OUT}/x")
        #expect(manifest.loading.authorization == .bearer("se{cret"))
        let item = try #require(try ItemReader(manifest).next())
        #expect(
            item.url == "${ORIGIN}/a.jpg?t=${TOKEN}" && item.target == "https://a.example/a.jpg?t=se%7Bcret"
        )
        #expect(manifest.target(of: item.url) == item.target)
        #expect(item.headers == ["X": "${TOKEN} $${TOKEN}"])
        #expect(manifest.expanded(headers: item.headers) == ["X": "se{cret ${TOKEN}"])
        #expect(!item.identity.contains("se{cret"))
    }

    @Test("an output's recipe changes with what shapes it, and with nothing else")
    func recipe() throws {
        let folder = try ManifestFolder()
        func recipe(_ output: String, _ more: String = "") throws -> String {
            let manifest = try folder.read(
                #"{"sources": [{"urls": []}], "outputs": [{\#(output)}] \#(more)}"#
            )
            return manifest.recipe(of: try #require(manifest.outputs.first), source: 0)
        }
        let plain = try recipe(#""format": "jpeg", "processors": [{"resize": {"width": 5}}]"#)
        #expect(
            plain
                == #"{"background":[255,255,255],"destination":"out","format":{"jpeg":{"progressive":false,"quality":82,"#
                + #""subsampling":"4:2:0"}},"metadata":"strip","path":"{name}/{host}/{dir}/{stem}.{ext}","#
                + #""processors":[{"resize":{"contentMode":"aspectFit","crop":false,"filter":"lanczos3","height":null,"#
                + #""linear":false,"upscale":false,"width":5}}],"#
                + #""when":{"maxAspect":null,"minHeight":null,"minWidth":null,"types":[]}}"#
        )
        let spelt = try recipe(
            #""processors": [{"resize": {"upscale": false, "width": 5.0}}], "format": {"jpeg": {"quality": 82}}"#,
            #", "loading": {"rate": "1/s"}, "limits": {"processing": 1}, "name": "other""#
        )
        #expect(spelt == plain)
        #expect(
            try recipe(#""format": {"jpeg": {"quality": 81}}, "processors": [{"resize": {"width": 5}}]"#)
                != plain
        )
        #expect(try recipe(#""format": "jpeg", "processors": [{"resize": {"width": 6}}]"#) != plain)
        let more = #", "processors": [{"grayscale": {}}]"#
        #expect(try recipe(#""format": "jpeg", "processors": [{"resize": {"width": 5}}]"#, more) != plain)
        #expect(try recipe(#""format": "original""#, more) == recipe(#""format": "original""#))
    }

    @Test("names for the gravity and their points are kept apart and are stable")
    func gravity() throws {
        let manifest = try ManifestFolder().read(
            #"""
            {"sources": [{"urls": []}], "outputs": [{"processors": [
              {"crop": {"width": 1, "height": 2, "gravity": "northEast"}},
              {"crop": {"width": 1, "height": 2, "gravity": {"x": 0.5, "y": 0.25}}}]}]}
            """#
        )
        let recipe = manifest.recipe(of: try #require(manifest.outputs.first), source: 0)
        #expect(
            recipe.contains(#""gravity":"northEast""#) && recipe.contains(#""gravity":{"x":0.5,"y":0.25}"#)
        )
    }
}
