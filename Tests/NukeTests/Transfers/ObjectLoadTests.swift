import Foundation
import LoopbackServer
import Nuke
import Testing

/// Loads of `s3:` URLs from a store that verifies every signature.
@Suite(.timeLimit(.minutes(10)))
struct ObjectLoadTests {
    private static let credential = AccessKey(
        accessKeyID: "AK",
        secretAccessKey: "SK/+="
    )
    private static let keys = AWSCredentials(accessKey: "AK", secretKey: "SK/+=")

    private let store: LoopbackObjectStore

    init() throws {
        store = try LoopbackObjectStore(
            buckets: [.init("photos"), .init("far", region: "eu-west-1"), .init("kept", isVersioned: true)],
            credentials: [Self.credential]
        )
    }

    private func configuration(
        _ credentials: any CredentialProviding = FixedCredentials(keys)
    ) throws -> CurlDataLoader.Configuration {
        var configuration = CurlDataLoader.Configuration()
        // The endpoint alone may be on this machine.
        configuration.addressPolicy = .publicOnly
        configuration.objectStorage = S3Service(
            try S3Configuration(endpoint: store.endpoint),
            credentials: credentials
        )
        return configuration
    }

    private func url(_ key: String, in bucket: String = "photos") throws -> URL {
        try #require(ObjectLocation(bucket: bucket, key: key).url)
    }

    @Test(arguments: ["a.jpg", "a b/c=d+e%41?f#g&h", "//x", "é/日本.png", "a/../b", "~-._()!*'"])
    func loadsAnyKey(key: String) async throws {
        store.put(Data(key.utf8), key: key, bucket: "photos")
        let result = await CurlDataLoader(configuration: try configuration()).load(try url(key))
        #expect(result.error == nil)
        #expect(result.body == Data(key.utf8))
    }

    @Test func onlyTheStoreMayHaveAPrivateAddress() async throws {
        store.put(Data("x".utf8), key: "a", bucket: "photos")
        let loader = CurlDataLoader(configuration: try configuration())
        #expect(await loader.load(try url("a")).error == nil)
        let direct = try #require(URL(string: store.endpoint + "/photos/a"))
        let byName = try #require(
            URL(string: store.endpoint.replacing("127.0.0.1", with: "localhost") + "/photos/a")
        )
        for url in [direct, byName] {
            #expect((await loader.load(url).error as? DataLoadingError)?.reason == .address)
        }
        #expect(store.count(of: .getObject) == 1)
    }

    @Test func refusesObjectsWithoutAStore() async throws {
        let error = await CurlDataLoader().load(try url("a")).error as? DataLoadingError
        #expect(error?.reason == .scheme)
        let bucket = try #require(URL(string: "s3://photos"))
        let noKey =
            await CurlDataLoader(configuration: try configuration()).load(bucket).error as? DataLoadingError
        #expect(noKey?.reason == .badURL)
    }

    @Test func loadsAVersion() async throws {
        store.put(Data("old".utf8), key: "a", bucket: "kept")
        let version = try #require(store.object("a", in: "kept")?.versionID)
        store.put(Data("new".utf8), key: "a", bucket: "kept")
        let loader = CurlDataLoader(configuration: try configuration())
        let newest = try url("a", in: "kept")
        #expect(await loader.load(newest).body == Data("new".utf8))
        let old = newest.appending(queryItems: [URLQueryItem(name: "versionId", value: version)])
        #expect(await loader.load(old).body == Data("old".utf8))
    }

    @Test func followsRegionAndClock() async throws {
        store.put(Data("x".utf8), key: "a", bucket: "far")
        store.clockOffset = -3600
        let loader = CurlDataLoader(configuration: try configuration())
        for _ in 0..<3 { #expect(await loader.load(try url("a", in: "far")).error == nil) }
        #expect(store.count(of: .getObject) == 5)
    }

    /// Python's hashlib and zlib, and its package crc32c, have computed the values.
    @Test(arguments: [
        ("sha256", "DSLNzBDm0Enb4a9RI9UIc/38Gk9YMG5Yy2JBvpRyAU0="), ("sha1", "8kl9hzRRQO1btT+iM6ukXhrv3XU="),
        ("crc32", "n1l/VQ=="), ("crc32c", "9s1VQw=="),
    ])
    func comparesChecksums(algorithm: String, value: String) async throws {
        let loader = CurlDataLoader(configuration: try configuration())
        let pipeline = ImagePipeline { $0.dataLoader = loader }
        let bytes = Data("some bytes".utf8)
        let headers = ["x-amz-checksum-\(algorithm)": value]
        store.put(bytes, key: "a", bucket: "photos", headers: headers)
        let request = ImageRequest(url: try url("a"))
        #expect(try await pipeline.data(for: request).0 == bytes)
        for fault in [LoopbackObjectStore.Fault.flippedByte, .wrongChecksum] {
            store.fault = { $0.kind == .getObject ? fault : nil }
            await #expect { try await pipeline.data(for: request) } throws: { error in
                guard case .dataLoadingFailed(let cause) = error as? ImagePipeline.Error else { return false }
                return (cause as? DataLoadingError)?.reason == .integrity
            }
        }
    }

    @Test(arguments: [false, true])
    func resumesTheSameObjectOnly(isChanged: Bool) async throws {
        let loader = CurlDataLoader(configuration: try configuration())
        let pipeline = ImagePipeline { $0.dataLoader = loader }
        let first = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        store.put(first, key: "a", bucket: "photos")
        store.fault = { $0.kind == .getObject && $0.number == 1 ? .resetInsideResponse : nil }
        let request = ImageRequest(url: try url("a"))
        await #expect(throws: ImagePipeline.Error.self) { try await pipeline.data(for: request) }
        let second = isChanged ? Data(repeating: 1, count: 500_000) : first
        if isChanged { store.put(second, key: "a", bucket: "photos") }
        #expect(try await pipeline.data(for: request).0 == second)
        let gets = store.operations.filter { $0.kind == .getObject }.map(\.request.headers)
        #expect(gets.count == (isChanged ? 3 : 2))
        #expect(gets[1]["range"]?.hasPrefix("bytes=") == true && gets[1]["if-match"] != nil)
        #expect(gets.allSatisfy { $0["if-range"] == nil })
        if isChanged { #expect(gets[2]["range"] == nil && gets[2]["if-match"] == nil) }
    }

    @Test func saysWhatTheStoreSays() async throws {
        let loader = CurlDataLoader(configuration: try configuration())
        let missing = await loader.load(try url("missing")).error as? DataLoadingError
        #expect(missing?.statusCode == 404 && missing?.isTransient == false)
        #expect(missing?.description.contains("NoSuchKey") == true)
        let nowhere = await loader.load(try url("a", in: "nowhere")).error as? DataLoadingError
        #expect(nowhere?.description.contains("NoSuchBucket") == true)
    }

    @Test func wrongCredentialsAreALocalProblem() async throws {
        let wrong = FixedCredentials(AWSCredentials(accessKey: "AK", secretKey: "other"))
        let error = await CurlDataLoader(configuration: try configuration(wrong)).load(try url("a")).error
        #expect((error as? DataLoadingError)?.reason == .local)
        #expect("\(String(describing: error))".contains("SignatureDoesNotMatch"))
    }

    @Test("a store that names no time holds the object back, and not its bucket; no attempt counts")
    func slowDown() async throws {
        store.put(Data("x".utf8), key: "a", bucket: "photos")
        store.fault = { $0.kind == .getObject && $0.number == 1 ? .slowDown : nil }
        var configuration = try configuration()
        let limiter = HostRateLimiter(limits: .init(rate: 1000, burst: 100, concurrency: 4))
        configuration.rateLimiter = limiter
        let loader = CurlDataLoader(configuration: configuration)
        let error = await loader.load(try url("a")).error as? DataLoadingError
        #expect(error?.statusCode == 503 && error?.isSlowDown == true && error?.isHostHeld == false)
        #expect(error?.retryAfter == .seconds(1))
        // Nobody waits. On a slow machine the one refusal fills a second, and the host counts as refusing.
        #expect(limiter.waiting.allSatisfy { $0.reason == .slowedDown && $0.count == 0 })
        #expect(await loader.load(try url("a")).error == nil)
    }
}
