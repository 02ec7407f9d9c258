@testable import JobManifest
import Testing

@Suite struct StorageSettingsTests {
    @Test func readsEveryKey() throws {
        let reading = try NodeReading(
            """
            {"s3": {"endpoint": "https://minio.example:9000/", "region": "eu-west-1", "pathStyle": false,
                    "putRate": "5/s", "anonymous": true, "requesterPays": true}}
            """
        )
        let settings = StorageSettings(reading.node).s3
        #expect(reading.errors.isEmpty)
        #expect(settings.endpoint == "https://minio.example:9000" && settings.region == "eu-west-1")
        #expect(settings.usesPathStyle == false && settings.putRate == Rate(count: 5, seconds: 1))
        #expect(settings.isAnonymous && settings.paysForRequests)
        let again = try NodeReading(StorageSettings(reading.node).json.text)
        #expect(StorageSettings(again.node).s3 == settings)
    }

    @Test func hasDefaults() throws {
        let settings = StorageSettings(try NodeReading("{}").node).s3
        #expect(settings == S3Settings())
        #expect(settings.endpoint == nil && settings.putRate == Rate(count: 1000, seconds: 1))
    }

    @Test(arguments: ["minio", "ftp://a", "https://u:p@a", "s3://bucket"])
    func refusesOtherEndpoints(endpoint: String) throws {
        let reading = try NodeReading(#"{"s3": {"endpoint": "\#(endpoint)"}}"#)
        _ = StorageSettings(reading.node)
        #expect(
            reading.errors.count == 1 && reading.errors[0].hasPrefix("s3.endpoint: "),
            "\(reading.errors)"
        )
    }

    @Test(arguments: ["", "eu west"])
    func refusesOtherRegions(region: String) throws {
        let reading = try NodeReading(#"{"s3": {"region": "\#(region)"}}"#)
        _ = StorageSettings(reading.node)
        #expect(reading.errors.count == 1 && reading.errors[0].hasPrefix("s3.region: "), "\(reading.errors)")
    }

    @Test func tellsWhereCredentialsAndRatesBelong() throws {
        let reading = try NodeReading(#"{"s3": {"secretKey": "x", "access_key_id": "y", "putRate": 100}}"#)
        _ = StorageSettings(reading.node)
        #expect(reading.errors.count == 3, "\(reading.errors)")
        let isTold = reading.errors.filter {
            $0.contains("AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; see docs/object-storage.md")
        }
        #expect(isTold.count == 2, "\(reading.errors)")
        #expect(
            reading.errors.contains { $0.contains(#"s3.putRate: 100 is not a rate: write it like "80/s""#) }
        )
    }

    @Test(arguments: [
        ("{}", 3000, 16), (#"{"rate": "80/s"}"#, 80, 16), (#"{"perHost": 6, "concurrency": 32}"#, 3000, 6),
    ])
    func bucketsHaveHigherLimitsUnlessTheManifestChooses(text: String, rate: Int, perHost: Int) throws {
        let settings = LoadingSettings(try NodeReading(text).node).ofBuckets
        #expect(settings.rate == Rate(count: rate, seconds: 1))
        #expect(settings.perHost == perHost)
    }
}
