import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Messages about a bucket that cannot be used: the cause, and the change that mends it.
@Suite(.timeLimit(.minutes(5))) struct BucketMessageTests {
    /// Runs a command on a job with other variables than its own.
    private func run(
        _ job: JobFolder,
        _ words: [String],
        _ environment: [String: String],
        _ changes: [String: String]
    ) async throws -> Program.Outcome {
        let variables = environment.merging(changes) { $1 }
        return try await Program.run("nuke-batch", words, in: job.folder.path, environment: variables)
    }

    @Test("https to a server without TLS names the endpoint and its other form")
    func plainServer() async throws {
        let job = try ObjectStoreJob()
        let endpoint = job.store.endpoint.replacing("http://", with: "https://")
        let told = try await run(
            job.job,
            ["run", "job.json"],
            job.environment,
            ["AWS_ENDPOINT_URL": endpoint]
        )
        #expect(told.exit != 0 && told.errors.contains(" at \(endpoint): "), "\(told.errors)")
        #expect(
            told.errors.contains("the server speaks no TLS there: write \(job.store.endpoint)"),
            "\(told.errors)"
        )
        #expect(told.exit == 2 && !told.errors.contains("run again"), "\(told.errors)")
        try job.write(#"{"urls": ["s3://shop/a.jpg"]}"#)
        let item = try await run(
            job.job,
            ["run", "job.json"],
            job.environment,
            ["AWS_ENDPOINT_URL": endpoint]
        )
        #expect(item.exit == 1, "\(item.output)\(item.errors)")
        let items = try await job.job.items()
        let message = try #require(items.first?["message"] as? String)
        #expect(message.contains("the server speaks no TLS there: write \(job.store.endpoint)"), "\(message)")
    }

    @Test("a web server is named as no object store", arguments: [403, 404])
    func webServer(status: Int) async throws {
        let server = try LoopbackServer { _ in .status(status) }
        let job = try ObjectStoreJob(#"{"list": "s3://shop/urls.txt"}"#)
        let told = try await run(
            job.job,
            ["run", "job.json"],
            job.environment,
            ["AWS_ENDPOINT_URL": server.address]
        )
        #expect(told.exit == 2, "\(told.errors)")
        let beginning =
            "cannot read s3://shop/urls.txt at \(server.address): the object store answered \(status) to HEAD"
        #expect(told.errors.contains(beginning), "\(told.errors)")
        #expect(told.errors.contains("that the endpoint is an S3 service"), "\(told.errors)")
    }

    @Test func aListInABucketIsNoPattern() async throws {
        let job = try ObjectStoreJob(#"{"list": "s3://shop/lists/*.csv"}"#)
        let told = try await job.run(exit: 2)
        #expect(
            told.errors.contains("s3://shop/lists/*.csv: there is no such object, and only lists in Parquet"),
            "\(told.errors)"
        )
        try job.write(#"{"list": "s3://shop/none.csv"}"#)
        let missing = try await job.run(exit: 2)
        #expect(missing.errors.contains("there is no such object or bucket"), "\(missing.errors)")
        // A key may hold what looks like a pattern.
        try job.put("photos/a.jpg")
        job.store.put(
            Data("s3://shop/photos/a.jpg\n".utf8),
            key: "lists/*.txt",
            bucket: ObjectStoreJob.bucket
        )
        try job.write(#"{"list": "s3://shop/lists/*.txt"}"#)
        try await job.run()
    }

    @Test("a run that the destination stops says nothing of items that failed before")
    func stopped() async throws {
        let job = try BucketJob(2)
        job.store.fault = { _ in .error(status: 403, code: "AccessDenied") }
        let told = try await job.nukeBatch("run", "job.json", exit: 4)
        #expect(
            told.output.contains("takes no outputs") && told.output.contains("run again"),
            "\(told.output)"
        )
        #expect(!(told.output + told.errors).contains("no item has failed"))
    }

    @Test("explain tells what the state knows when the bucket refuses to be looked at")
    func explain() async throws {
        let job = try BucketJob(2)
        try await job.nukeBatch("run", "job.json")
        let wrong = ["AWS_SECRET_ACCESS_KEY": "another"]
        let told = try await run(job.job, ["explain", "job.json", "*.png"], job.environment, wrong)
        #expect(told.exit == 0, "\(told.errors)")
        #expect(told.output.contains("all its outputs are made") && told.output.contains("copy/2.png"))
        let notes = told.lines.filter {
            $0.contains("note: the outputs were not looked at: cannot look for s3://")
        }
        #expect(notes.count == 2 && notes.allSatisfy { $0.contains("403 to HEAD") }, "\(told.output)")
        let items = try ToldJob.objects(
            try await run(job.job, ["explain", "job.json", "*1.png", "--json"], job.environment, wrong)
        )
        #expect((items.first?["note"] as? String)?.contains("not looked at") == true, "\(items)")
        let right = try ToldJob.objects(try await job.nukeBatch("explain", "job.json", "*1.png", "--json"))
        #expect(right.first?["note"] is NSNull, "\(right)")
    }

    @Test("doctor asks each bucket of the sources, and tells apart a service that does not answer")
    func doctor() async throws {
        let job = try ObjectStoreJob(
            #"{"objects": ["s3://shop/photos/", "s3://elsewhere/x/"]}, {"list": "s3://shop/urls.txt"}"#
        )
        let operations = try await job.operations {
            let told = try await job.nukeBatch("doctor", "job.json")
            #expect(
                told.exit != 0 && told.output.contains("s3://shop/photos/ can be listed"),
                "\(told.output)"
            )
            #expect(told.output.contains("cannot list s3://elsewhere/"), "\(told.output)")
            #expect(told.output.contains("cannot read s3://shop/urls.txt"), "\(told.output)")
        }
        #expect(operations.count == 3, "\(operations)")
        job.store.put(Data("s3://shop/photos/a.jpg\n".utf8), key: "urls.txt", bucket: ObjectStoreJob.bucket)
        try job.write(#"{"objects": "s3://shop/photos/"}, {"list": "s3://shop/urls.txt"}"#)
        let whole = try await job.nukeBatch("doctor", "job.json")
        #expect(whole.exit == 0 && whole.output.contains("s3://shop/urls.txt can be read"), "\(whole.output)")

        let closed = ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        let away = try await run(
            job.job,
            ["doctor", "job.json"],
            job.environment,
            ["AWS_ENDPOINT_URL": closed.address]
        )
        #expect(away.output.contains("the endpoint does not answer"), "\(away.output)")
        #expect(away.output.contains(" at \(closed.address): "), "\(away.output)")
        #expect(!away.output.contains("the credentials"), "\(away.output)")
    }

    @Test("keys are shown as they are, not percent-encoded a second time")
    func keys() async throws {
        let job = try ObjectStoreJob(#"{"urls": ["s3://shop/p/with%20space é.jpg"]}"#)
        try await job.run(exit: 1)
        let items = try await job.job.items()
        let message = try #require(items.first?["message"] as? String)
        #expect(message.hasPrefix("s3://shop/p/with%20space é.jpg: "), "\(message)")
        try job.put("dollar${HOME}.jpg")
        try job.write(#"{"objects": "s3://shop/dollar*.jpg"}"#)
        try await job.run()
        #expect(job.job.files() == ["dollar__HOME_.jpg"])
    }
}
