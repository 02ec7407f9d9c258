import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `explain --presign`: links that open what is in a bucket, for people without its keys.
@Suite(.timeLimit(.minutes(5))) struct ObjectLinkTests {
    private func explanation(_ outcome: Program.Outcome) throws -> [String: Any] {
        #expect(outcome.exit == 0, "\(outcome.errors)")
        return try #require(try ToldJob.objects(outcome).first)
    }

    private func data(_ link: Any?) throws -> Data {
        let text = try #require(link as? String)
        return try Data(contentsOf: try #require(URL(string: text)))
    }

    @Test("a link opens the original, in the version that the item names")
    func originals() async throws {
        let job = try ObjectStoreJob()
        try job.put("photos/a b+c?é.jpg")
        try await job.run()
        let url = "s3://shop/photos/a b+c?é.jpg"
        let item = try explanation(try await job.nukeBatch("explain", "job.json", url, "--presign", "--json"))
        let link = (item["original"] as? [String: Any])?["link"]
        #expect(try data(link) == Repository.photo("rocket.jpg"))
        #expect((item["outputs"] as? [[String: Any]])?.first?["link"] is NSNull)
        let text = try await job.nukeBatch("explain", "job.json", url, "--presign")
        #expect(text.output.contains("link for 60 minutes: \(job.store.endpoint)/shop/"), "\(text.output)")
        #expect(!text.output.contains("se/cr+et"))
        let plain = try await job.nukeBatch("explain", "job.json", url)
        #expect(!plain.output.contains("X-Amz-Signature"), "\(plain.output)")

        try job.write(#"{"urls": [{"url": "s3://shop/photos/x.jpg", "versionId": "v1"}]}"#)
        let missing = try await job.run(exit: 1)
        #expect(missing.output.contains("1 failed"))
        let old = try explanation(
            try await job.nukeBatch("explain", "job.json", "*x.jpg", "--presign", "--json")
        )
        #expect(((old["original"] as? [String: Any])?["link"] as? String)?.contains("versionId=v1&") == true)
    }

    @Test("a link opens an output; without credentials nothing is told")
    func outputs() async throws {
        let job = try BucketJob(1)
        try await job.nukeBatch("run", "job.json")
        let words = ["explain", "job.json", "small/1.png", "--presign"]
        let told = try await job.nukeBatch("explain", "job.json", "small/1.png", "--presign", "--json")
        let item = try explanation(told)
        let outputs = try #require(item["outputs"] as? [[String: Any]])
        #expect(try data(outputs[0]["link"]) == job.object("small/1.png").data)
        #expect(try data(outputs[1]["link"]) == job.object("copy/1.png").data)
        #expect((item["original"] as? [String: Any])?["link"] is NSNull)
        let nobody = job.environment.merging(["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""]) { $1 }
        let refused = try await Program.run("nuke-batch", words, in: job.job.folder.path, environment: nobody)
        #expect(refused.exit == 2 && refused.output.isEmpty, "\(refused.output)\(refused.errors)")
        #expect(refused.errors.contains("AWS_ACCESS_KEY_ID"), "\(refused.errors)")
    }
}
