import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Jobs whose images are in a bucket, with the real program and a store that verifies every signature.
@Suite(.timeLimit(.minutes(10))) struct ObjectSourceTests {
    private static let secrets = ["secret/of+these=tests", "token/of+these=tests"]
    private static let environment = [
        "AWS_ACCESS_KEY_ID": "AKIDTEST", "AWS_SECRET_ACCESS_KEY": secrets[0], "AWS_SESSION_TOKEN": secrets[1],
        "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/nonexistent/config",
        "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent/credentials",
    ]

    private let job: JobFolder
    private let store: LoopbackObjectStore

    init() throws {
        job = try JobFolder()
        let credential = AccessKey(
            accessKeyID: "AKIDTEST",
            secretAccessKey: Self.secrets[0],
            sessionToken: Self.secrets[1]
        )
        store = try LoopbackObjectStore(
            buckets: [.init("photos"), .init("kept", isVersioned: true)],
            credentials: [credential]
        )
    }

    /// Writes a job of these entries; `rest` is added to its manifest.
    private func write(_ entries: [String], _ rest: String = "") throws {
        try job.write(
            """
            "sources": [{"urls": [\(entries.joined(separator: ", "))]}],
            "outputs": [{"format": "png", "path": "{host}/{dir}/{stem}.{ext}"}],
            "storage": {"s3": {"endpoint": "\(store.endpoint)"}}, "network": {}\(rest)
            """
        )
    }

    @Test func loadsWhatABucketHoldsAndAsksNoMore() async throws {
        let keys = ["a.png", "b c/d+e=f%41.png", "q?x#y/z.png"]
        for (number, key) in keys.enumerated() {
            store.put(try TestImages.tiny(number), key: key, bucket: "photos")
        }
        try write(keys.map { "\"s3://photos/\($0)\"" })
        try await job.run(environment: Self.environment)
        #expect(
            job.files(in: "out").sorted()
                == ["photos/a.png", "photos/b_c/d_e_f_41.png", "photos/q_x_y/z.png"]
        )
        #expect(store.count(of: .getObject) == 3)
        // Nothing is asked for again, not even the credentials.
        try await job.run()
        #expect(store.count(of: .getObject) == 3)
        let again = try await job.run("--revalidate", environment: Self.environment)
        #expect(again.output.contains("3 unchanged"), "\(again.output)")
        #expect(store.count(of: .getObject) == 6)
    }

    @Test func aVersionIsAnItemOfItsOwn() async throws {
        store.put(try TestImages.tiny(1), key: "a.png", bucket: "kept")
        let version = try #require(store.object("a.png", in: "kept")?.versionID)
        store.put(try TestImages.tiny(2), key: "a.png", bucket: "kept")
        try job.write(
            """
            "sources": [{"urls": ["s3://kept/a.png", {"url": "s3://kept/a.png", "versionId": "\(version)", "id": "old"}]}],
            "outputs": [{"format": "original", "path": "{id}.{ext}"}],
            "storage": {"s3": {"endpoint": "\(store.endpoint)"}}, "network": {}
            """
        )
        try await job.run(environment: Self.environment)
        #expect(try job.data("out/old.png") == TestImages.tiny(1))
        #expect(job.files(in: "out").count == 2)
        #expect(store.operations.contains { $0.parameter("versionId") == version })
    }

    @Test func namesWhatIsMissing() async throws {
        try write([
            #""s3://photos/missing.png""#, #""s3://nowhere/a.png""#, #""s3://photos""#,
            #""gs://photos/a.png""#,
        ])
        try await job.run(exit: 1, environment: Self.environment)
        #expect(try await job.errors() == ["http_404", "http_404", "bad_url", "scheme"])
        let told = try await job.nukeBatch("items", "job.json").output
        for word in ["NoSuchKey", "NoSuchBucket", "the key is missing", "storage.googleapis.com"] {
            #expect(told.contains(word), "\(told)")
        }
    }

    @Test(arguments: ["none", "wrong", "half"])
    func missingCredentialsStopTheRunAndBlameNoItem(kind: String) async throws {
        store.put(try TestImages.tiny(1), key: "a.png", bucket: "photos")
        try write([#""s3://photos/a.png""#])
        var environment = Self.environment
        switch kind {
        case "none": for name in environment.keys where name.contains("KEY") { environment[name] = "" }
        case "wrong": environment["AWS_SECRET_ACCESS_KEY"] = "another"
        default: environment["AWS_SECRET_ACCESS_KEY"] = ""
        }
        let outcome = try await job.run(exit: 4, environment: environment)
        #expect(outcome.output.contains("stopped: "), "\(outcome.output)")
        let item = try #require(try await job.items().first)
        #expect(item["state"] as? String == "pending" && item["attempts"] as? Int == 0)
        try await job.run(environment: Self.environment)
    }

    @Test func theEndpointAloneMayBePrivate() async throws {
        store.put(try TestImages.tiny(1), key: "a.png", bucket: "photos")
        try write([#""s3://photos/a.png""#, "\"\(store.endpoint)/photos/a.png\""])
        try await job.run(exit: 1, environment: Self.environment)
        #expect(try await job.errors() == ["-", "address"])
    }

    @Test("two keys that look the same have their own images, and their paths are found to be the same")
    func bytesOfKeys() async throws {
        let keys = ["caf\u{E9}.png", "cafe\u{301}.png"]
        let images = try [1, 2].map { try TestImages.tiny($0) }
        for (key, image) in zip(keys, images) { store.put(image, key: key, bucket: "photos") }
        func write(_ path: String) throws {
            let urls = keys.map { #""s3://photos/\#($0)""# }.joined(separator: ", ")
            try job.write(
                """
                "sources": [{"urls": [\(urls)]}], "outputs": [{"format": "original", "path": "\(path)"}],
                "storage": {"s3": {"endpoint": "\(store.endpoint)"}}, "network": {}
                """
            )
        }
        try write("{index}.{ext}")
        try await job.run(environment: Self.environment)
        #expect(try [1, 2].map { try job.data("out/\($0).png") } == images)
        // Planning knows the whole path, so that the first row gets it.
        try write("{stem}.png")
        try await job.run(exit: 1, environment: Self.environment)
        #expect(try await job.errors() == ["-", "collision"])
    }

    @Test func storesNoSecret() async throws {
        store.put(try TestImages.tiny(1), key: "a.png", bucket: "photos")
        try write([#""s3://photos/a.png""#, #""s3://photos/missing.png""#])
        var shown = ""
        for words in [
            ["run", "job.json", "--json"], ["run", "job.json"], ["log", "job.json"],
            ["log", "job.json", "--har", "-"],
            ["explain", "job.json", "s3://photos/a.png"], ["items", "job.json", "--json"],
            ["export", "job.json"],
            ["status", "job.json"], ["report", "job.json", "--output", "report.html"],
        ] {
            let program = try Program("nuke-batch", words, in: job.folder.path, environment: Self.environment)
            let outcome = await program.wait()
            shown += outcome.output + outcome.errors
        }
        #expect(shown.contains("s3://photos/a.png"))
        #expect(store.requests.allSatisfy { $0.headers["x-amz-security-token"] == Self.secrets[1] })
        let signatures = store.requests.compactMap {
            $0.headers["authorization"]?.components(separatedBy: "Signature=").last
        }
        #expect(!signatures.isEmpty)
        for secret in Self.secrets + signatures {
            #expect(!shown.contains(secret))
            #expect(try holders(of: secret).isEmpty)
        }
        // The control: the search finds what is there.
        try job.folder.write("x\(Self.secrets[0])y", to: "planted")
        #expect(try holders(of: Self.secrets[0]) == ["planted"])
    }

    private func holders(of secret: String) throws -> [String] {
        try job.files(in: ".").filter { try job.data($0).firstRange(of: Data(secret.utf8)) != nil }
    }
}
