import Foundation
import Imaging
import JobFixtures
import JobManifest
import JobPlanning
import TestSupport
import Testing

/// Manifests that a program builds, beside those of a file.
@Suite struct BuiltManifestTests {
    private static let sources: [ManifestSource] = [.urls(["https://a.example/1.jpg"])]

    @Test("without more it has the defaults of a file, and paths from the working directory")
    func defaults() throws {
        let manifest = try Manifest(sources: Self.sources, outputs: [ManifestOutput()], state: "x.sqlite")
        let read = try ManifestFolder().read(#"{"sources": [{"urls": []}], "outputs": [{}]}"#)
        #expect("\(manifest.outputs)" == "\(read.outputs)")
        #expect(manifest.destinationText == read.destinationText && manifest.loading == read.loading)
        #expect(manifest.retry == read.retry && manifest.limits == read.limits)
        #expect(manifest.cache == CacheSettings() && manifest.network == NetworkSettings())
        #expect(manifest.facts.isEmpty && manifest.dataset == nil && manifest.warnings.isEmpty)
        let folder = FileManager.default.currentDirectoryPath
        #expect(manifest.folder == folder && manifest.statePath == folder + "/x.sqlite")
        #expect(manifest.name == "job" && manifest.path == "-" && manifest.shownPath == "the manifest")
    }

    @Test("the text that it was read from makes the same manifest in another process")
    func text() throws {
        let step = Step.resize(Resize(width: 5))
        let manifest = try Manifest(sources: Self.sources, processors: [step], state: "x.sqlite")
        let again = try Manifest.readRecorded(path: "-", text: manifest.text, environment: [:])
        #expect(again.sha256 == manifest.sha256 && again.processors == [step])
        let other = try Manifest(sources: Self.sources, state: "x.sqlite")
        #expect(other.sha256 != manifest.sha256)
    }

    @Test("settings arrive as they are")
    func settings() throws {
        let read = try ManifestFolder().read(
            #"""
            {"sources": [{"urls": []}], "outputs": [{}], "facts": ["size", "blurHash"], "destination": "/made",
             "cache": {"directory": "/cache", "sizeLimit": "1GB", "policy": "none", "maxAge": "7d",
                       "revalidate": "stale", "staleIfError": false, "compression": true},
             "loading": {"concurrency": 4, "perHost": 3, "rate": "600/m", "burst": 2, "timeout": "1500ms",
                         "connectTimeout": "2s", "totalTimeout": "3m", "maxRedirects": 0, "maxBytes": 5,
                         "bandwidth": "10MB", "method": "HEAD", "headers": {"A": "1"}, "userAgent": "me",
                         "auth": {"basic": {"user": "u", "password": "p"}},
                         "hosts": {"a.example": {"rate": "1/h", "auth": {"bearer": "t"}},
                                   "b.example:8080": {"auth": {"netrc": true}},
                                   "c.example": {"auth": {"awsSigV4": {"region": "r", "service": "s3", "accessKey": "A",
                                                          "secretKey": "S", "sessionToken": "T"}}}}},
             "retry": {"attempts": 2, "backoff": "250ms..10m", "statuses": [500, 503], "recheck": "never"},
             "limits": {"processing": 3, "memory": "64MiB", "maxPixels": "1MP", "maxDimension": 900,
                        "maxDuration": "1h"},
             "network": {"schemes": ["https", "file"], "allow": ["localhost", "10.0.0.0/8"],
                         "fileRoots": ["/srv"], "proxy": "http://proxy.example:3128"},
             "dataset": {"pack": "tar", "itemsPerFile": 7, "index": "all.csv", "honourOptOut": false}}
            """#
        )
        let built = try Manifest(
            sources: Self.sources,
            outputs: [ManifestOutput()],
            facts: read.facts,
            destination: read.destinationText,
            state: "x.sqlite",
            cache: read.cache,
            loading: read.loading,
            retry: read.retry,
            limits: read.limits,
            network: read.network,
            dataset: read.dataset
        )
        #expect(built.facts == read.facts && built.destination == .folder("/made"))
        #expect(built.cache == read.cache && built.retry == read.retry && built.limits == read.limits)
        #expect(built.loading == read.loading)
        #expect(built.network == read.network && built.dataset == read.dataset)
    }

    @Test(
        "a choice of proxy and of a later request arrives",
        arguments: [NetworkSettings.Proxy.none, .environment]
    )
    func choices(proxy: NetworkSettings.Proxy) throws {
        var network = NetworkSettings()
        network.proxy = proxy
        var retry = RetrySettings()
        retry.recheck = .after(.seconds(90))
        let manifest = try Manifest(sources: Self.sources, state: "x", retry: retry, network: network)
        #expect(manifest.network.proxy == proxy && manifest.retry.recheck == .after(.seconds(90)))
    }

    @Test("variables of the environment are those of a file, and a literal ${ is $${")
    func variables() throws {
        let manifest = try Manifest(
            sources: [.urls(["https://a.example/${TOKEN}"])],
            destination: "/made/$${x}",
            state: "${FOLDER}/x.sqlite",
            environment: ["TOKEN": "secret", "FOLDER": "/state"]
        )
        #expect(manifest.statePath == "/state/x.sqlite" && manifest.destination.description == "/made/${x}")
        #expect(manifest.target(of: "https://a.example/${TOKEN}") == "https://a.example/secret")
    }
}
