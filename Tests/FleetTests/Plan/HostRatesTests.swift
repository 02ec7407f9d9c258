import JobFixtures
import JobManifest
import Testing

@testable import Fleet

@Suite struct HostRatesTests {
    @Test(
        "a host has the rate that a run gives it; files have none, and a bucket only a chosen one",
        arguments: [
            ("", nil), ("a.example", 2), ("a.example:8080", 2), ("::1", 3), ("::1:8080", 3),
            ("b.example", 80),
            ("s3://photos", 4), ("s3://other", nil),
        ] as [(String, Double?)]
    )
    func rate(host: String, expected: Double?) throws {
        let manifest = try ManifestFolder().read(
            #"""
            {"sources": [{"urls": ["https://a.example/1.jpg"]}], "outputs": [{"path": "{index}.{ext}"}],
             "loading": {"hosts": {"a.example": {"rate": "2/s"}, "[::1]": {"rate": "3/s"}, "photos": {"rate": "4/s"}}}}
            """#
        )
        #expect(HostRates(manifest).rate(of: host) == expected)
    }
}
