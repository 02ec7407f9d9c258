import JobFixtures
import JobManifest
import Testing

struct LoadingSettingsTests {
    private func errors(_ part: String, environment: [String: String] = [:]) throws -> [String] {
        try ManifestFolder().errors(#"{"sources": [{"urls": []}], \#(part)}"#, environment: environment)
    }

    @Test func readsWhatConcernsTheWayToOrigins() throws {
        let manifest = try ManifestFolder().read(
            #"""
            {"sources": [{"urls": ["ftp://a.example/b.jpg"]}],
             "loading": {"bandwidth": "10MB", "method": "HEAD", "auth": {"netrc": true}, "hosts": {
                "b.example": {"bandwidth": 5000, "auth": {"awsSigV4": {"region": "eu-central-1", "service": "s3",
                    "accessKey": "AK", "secretKey": "${KEY}"}}}}},
             "network": {"proxy": "http://proxy.example:3128"}}
            """#,
            environment: ["KEY": "SK"]
        )
        #expect(manifest.loading.bandwidth == 10_000_000 && manifest.loading.method == .head)
        #expect(manifest.loading.authorization == .netrc)
        let own = try #require(manifest.loading.hosts["b.example"])
        #expect(own.bandwidth == 5000 && own.method == .head)
        guard case .awsSigV4(let keys) = own.authorization else {
            Issue.record("\(String(describing: own.authorization))")
            return
        }
        #expect(keys.region == "eu-central-1" && keys.secretKey == "SK" && keys.sessionToken == nil)
        #expect(manifest.network.proxy == .url("http://proxy.example:3128"))
    }

    @Test(arguments: [
        (#""loading": {"bandwidth": "10MB/s"}"#, "loading.bandwidth"),
        (#""loading": {"bandwidth": 0}"#, "loading.bandwidth"),
        (#""loading": {"method": "PUT"}"#, "loading.method"),
        (#""loading": {"auth": {"netrc": false}}"#, "loading.auth.netrc"),
        (#""loading": {"auth": {"netrc": true, "bearer": "x"}}"#, "loading.auth"),
        (
            #""loading": {"auth": {"awsSigV4": {"service": "s3", "accessKey": "A", "secretKey": "S"}}}"#,
            "region"
        ),
        (
            #""loading": {"auth": {"awsSigV4": {"region": "a:b", "service": "s3", "accessKey": "A", "secretKey": "S"}}}"#,
            "loading.auth.awsSigV4.region"
        ),
        (#""network": {"proxy": "proxy.example"}"#, "network.proxy"),
        (#""network": {"proxy": "ftp://proxy.example"}"#, "network.proxy"),
    ])
    func refuses(part: String, place: String) throws {
        let errors = try errors(part)
        #expect(errors.count == 1, "\(errors)")
        #expect(errors.first?.contains(place) == true, "\(errors)")
    }

    @Test func givesAHostNoSettingsOfOtherHosts() throws {
        let manifest = try ManifestFolder().read(
            #"""
            {"sources": [{"urls": []}],
             "loading": {"burst": 3, "hosts": {"a.example": {"burst": 4}, "b.example": {"perHost": 5}}}}
            """#
        )
        let hosts = manifest.loading.hosts
        #expect(hosts.count == 2 && hosts.values.allSatisfy(\.hosts.isEmpty))
        #expect(hosts["a.example"]?.burst == 4 && hosts["a.example"]?.perHost == 6)
        #expect(hosts["b.example"]?.burst == 3 && hosts["b.example"]?.perHost == 5)
    }

    @Test func neverShowsAProxysPassword() throws {
        let errors = try errors(#""network": {"proxy": "${P}"}"#, environment: ["P": "user:SECRET@proxy"])
        #expect(errors.count == 1 && !errors[0].contains("SECRET"), "\(errors)")
    }
}
