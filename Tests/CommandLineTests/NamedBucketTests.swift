import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Rows reach only the buckets that the manifest names: whoever writes a list does not choose what the job's credentials open.
@Suite(.timeLimit(.minutes(5))) struct NamedBucketTests {
    private static let row = "s3://private/secret.jpg\n"

    /// A job whose list has an object of another bucket, which its credentials open.
    private func job(_ more: String = "", source: String = #"{"list": "urls.txt"}"#) throws -> ObjectStoreJob
    {
        let job = try ObjectStoreJob(source, more)
        job.store.put(try Repository.photo("rocket.jpg"), key: "secret.jpg", bucket: "private")
        try job.job.folder.write(Self.row, to: "urls.txt")
        return job
    }

    @Test("a row alone names no bucket, in a list, in a database and in a list in a bucket")
    func rows() async throws {
        for source in [#"{"list": "urls.txt"}"#, #"{"list": "s3://shop/urls.txt"}"#] {
            let job = try job(source: source)
            job.store.put(Data(Self.row.utf8), key: "urls.txt", bucket: ObjectStoreJob.bucket)
            try await job.run(exit: 1)
            let items = try await job.nukeBatch("items", "job.json")
            #expect(
                items.output.contains("address") && items.output.contains("storage.s3.buckets"),
                "\(items.output)"
            )
            #expect(!job.store.operations.contains { $0.request.path.contains("private") })
        }
    }

    @Test(
        "a bucket that the manifest names, wherever it does",
        arguments: [
            (#", "storage": {"s3": {"buckets": ["private"]}}"#, #"{"list": "urls.txt"}"#),
            ("", #"{"urls": ["s3://private/secret.jpg"]}"#),
            ("", #"{"objects": "s3://private/"}, {"list": "urls.txt"}"#),
            ("", #"{"list": "urls.txt", "base": "s3://private/x"}"#),
            ("", #"{"urls": ["s3://private/secret.jpg"]}, {"list": "urls.txt"}"#),
            (#", "loading": {"hosts": {"private": {"rate": "100/s"}}}"#, #"{"list": "urls.txt"}"#),
        ]
    )
    func named(more: String, source: String) async throws {
        let job = try job(more, source: source)
        try await job.run()
        #expect(job.store.operations.contains { $0.request.path.contains("private/secret.jpg") })
    }

    @Test(
        "what is no bucket's name is refused where it stands",
        arguments: ["..", "s3://private", "a b", ""]
    )
    func names(name: String) async throws {
        let job = try job(#", "storage": {"s3": {"buckets": ["\#(name)"]}}"#)
        let outcome = try await job.nukeBatch("validate", "job.json")
        #expect(
            outcome.exit == 2 && outcome.output.contains("buckets[0]"),
            "\(outcome.output)\(outcome.errors)"
        )
    }
}
