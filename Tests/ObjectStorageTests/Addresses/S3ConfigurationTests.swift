import Foundation
import TestSupport
import Testing

@testable import ObjectStorage

struct S3ConfigurationTests {
    /// An address of a key, by Amazon S3 User Guide, "Virtual hosting of general purpose buckets".
    struct Address: Sendable {
        var endpoint: String?
        var pathStyle: Bool?
        var bucket = "photos"
        var key = "a/b.jpg"
        var region = "eu-central-1"
        let url: String
        let host: String
    }

    @Test(arguments: [
        Address(
            url: "https://photos.s3.eu-central-1.amazonaws.com/a/b.jpg",
            host: "photos.s3.eu-central-1.amazonaws.com"
        ),
        Address(
            bucket: "my.photos",
            url: "https://s3.eu-central-1.amazonaws.com/my.photos/a/b.jpg",
            host: "s3.eu-central-1.amazonaws.com"
        ),
        Address(
            bucket: "My_Photos",
            url: "https://s3.eu-central-1.amazonaws.com/My_Photos/a/b.jpg",
            host: "s3.eu-central-1.amazonaws.com"
        ),
        Address(
            region: "cn-north-1",
            url: "https://photos.s3.cn-north-1.amazonaws.com.cn/a/b.jpg",
            host: "photos.s3.cn-north-1.amazonaws.com.cn"
        ),
        Address(
            pathStyle: true,
            key: "a b+c=d%?#é//e",
            url: "https://s3.eu-central-1.amazonaws.com/photos/a%20b%2Bc%3Dd%25%3F%23%C3%A9//e",
            host: "s3.eu-central-1.amazonaws.com"
        ),
        Address(
            endpoint: "http://127.0.0.1:9000/",
            url: "http://127.0.0.1:9000/photos/a/b.jpg",
            host: "127.0.0.1"
        ),
        Address(
            endpoint: "https://Store.example.com/base",
            key: "",
            url: "https://Store.example.com/base/photos/",
            host: "store.example.com"
        ),
        Address(
            endpoint: "http://localhost:9000",
            pathStyle: false,
            key: "",
            url: "http://photos.localhost:9000/",
            host: "photos.localhost"
        ),
    ])
    func hasTheAddress(address: Address) throws {
        let configuration = try S3Configuration(endpoint: address.endpoint, usesPathStyle: address.pathStyle)
        let location = ObjectLocation(bucket: address.bucket, key: address.key)
        let made = configuration.address(of: location, region: address.region)
        #expect(made.url == address.url)
        #expect(made.host == address.host)
    }

    @Test func settingsGoBeforeTheEnvironment() throws {
        let environment = [
            "AWS_ENDPOINT_URL": "http://all.example:1", "AWS_ENDPOINT_URL_S3": "http://s3.example:2",
            "AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "us-west-2",
        ]
        let byEnvironment = try S3Configuration(environment: environment)
        #expect(byEnvironment.endpoint == "http://s3.example:2")
        #expect(byEnvironment.region == "eu-west-1")
        let bySettings = try S3Configuration(
            endpoint: "http://own.example",
            region: "x",
            environment: environment
        )
        #expect(bySettings.endpoint == "http://own.example")
        #expect(bySettings.region == "x")
        let empty = try S3Configuration(environment: ["AWS_ENDPOINT_URL": "", "AWS_REGION": ""])
        #expect(empty.endpoint == nil && empty.region == nil)
    }

    @Test func theProfileCountsLast() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/config"
        let text =
            "[default]\nregion = us-east-2\n[profile own]\nregion = eu-north-1\nendpoint_url = http://own.example:9000\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let environment = ["AWS_CONFIG_FILE": path, "HOME": folder.path]
        #expect(try S3Configuration(environment: environment).region == "us-east-2")
        let own = environment.merging(["AWS_PROFILE": "own"]) { $1 }
        let configuration = try S3Configuration(environment: own)
        #expect(configuration.region == "eu-north-1" && configuration.endpoint == "http://own.example:9000")
        #expect(try S3Configuration(environment: own.merging(["AWS_REGION": "x"]) { $1 }).region == "x")
    }

    @Test(arguments: [
        ("http://k:p4ss@127.0.0.1:8333/", "http://127.0.0.1:8333/"), ("http://p4ss@a", "http://a"),
        ("k:p4ss@a:9000", "write a:9000"), ("http://k:p4@ss@a?p4ss", "http://a, "),
        ("ftp://k:p4ss@a", "ftp://a"),
    ])
    func neverShowsAPassword(endpoint: String, shown: String) {
        #expect {
            try S3Configuration(environment: ["AWS_ENDPOINT_URL": endpoint, "HOME": "/none"])
        } throws: {
            !"\($0)".contains("p4") && "\($0)".contains(shown) && "\($0)".contains("AWS_SECRET_ACCESS_KEY")
        }
    }

    @Test(arguments: ["", "eu west", "eu-west-1\n", "eu/west", "ü", String(repeating: "a", count: 65)])
    func refusesOtherRegions(region: String) {
        #expect { try S3Configuration(region: region) } throws: {
            ($0 as? S3ConfigurationError)?.setting == "region" && "\($0)".contains("such as eu-central-1")
        }
    }

    @Test(arguments: ["us-east-1", "RegionOne", "ru_central1.a", "auto"])
    func takesTheRegionsOfAnyService(region: String) throws {
        #expect(try S3Configuration(region: region).region == region)
    }

    @Test(arguments: ["", "minio", "ftp://a", "http://", "http://a?b", "s3://bucket"])
    func refusesOtherEndpoints(endpoint: String) {
        #expect { try S3Configuration(endpoint: endpoint) } throws: {
            "\($0)".contains("write it like https://minio.example.com:9000")
        }
    }
}
