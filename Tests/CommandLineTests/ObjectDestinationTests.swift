import Foundation
import LoopbackServer
import Synchronization
import SQLite
import TestSupport
import Testing

/// A destination in a bucket: what is written, kept, checked and removed.
@Suite(.timeLimit(.minutes(5))) struct ObjectDestinationTests {
    @Test("outputs become objects with their attributes; a second run writes nothing")
    func whole() async throws {
        let attributes =
            #""cacheControl": "max-age=60", "storageClass": "STANDARD_IA", "metadata": {"Licence": "CC0"}"#
        let job = try BucketJob(5, output: #", "object": {\#(attributes)}"#)
        try await job.nukeBatch("run", "job.json")
        #expect(job.store.operations.map(\.kind) == Array(repeating: .putObject, count: 10))
        try await job.checkWhole()
        let small = try job.object("small/3.png")
        #expect(small.headers["content-type"] == "image/png")
        #expect(small.headers["cache-control"] == "max-age=60")
        #expect(small.headers["x-amz-meta-licence"] == "CC0" && small.storageClass == "STANDARD_IA")
        let copy = try job.object("copy/3.png")
        #expect(copy.headers["content-type"] == "image/png" && copy.headers["cache-control"] == nil)
        let puts = job.store.count(of: .putObject)
        #expect(puts == 10)
        try await job.nukeBatch("run", "job.json")
        #expect(job.store.count(of: .putObject) == puts)
        #expect(!FileManager.default.fileExists(atPath: job.job.folder.path("out")))
        #expect(!FileManager.default.fileExists(atPath: job.job.folder.path("s3:")))
        #expect(try job.leaks().isEmpty)
        try job.job.folder.write(BucketJob.keys.secretAccessKey, to: "control.txt")
        #expect(try job.leaks() == ["control.txt"])
        let lines = try await job.job.items()
        let outputs = try #require(lines.first?["outputs"] as? [[String: Any]])
        #expect(outputs.compactMap { $0["path"] as? String }.sorted() == ["copy/1.png", "small/1.png"])
    }

    @Test("changed attributes are written again from the cached original, and only those")
    func changedAttributes() async throws {
        let job = try BucketJob(3)
        try await job.nukeBatch("run", "job.json")
        let (requests, puts) = (job.origin.requests.count, job.store.count(of: .putObject))
        try job.write(output: #", "object": {"contentType": "image/x-own"}"#)
        let plan = try await job.nukeBatch("plan", "job.json")
        #expect(plan.output.contains("object"), "\(plan.output)")
        try await job.nukeBatch("run", "job.json")
        #expect(job.origin.requests.count == requests)
        #expect(job.store.count(of: .putObject) == puts + 3)
        #expect(try job.object("small/2.png").headers["content-type"] == "image/x-own")
        #expect(try job.object("copy/2.png").headers["content-type"] == "image/png")
        try await job.checkWhole()
    }

    @Test("--destination leads to a bucket, and attributes need one")
    func option() async throws {
        let job = try BucketJob(1, output: #", "object": {"cacheControl": "no-store"}"#)
        let refused = try await job.nukeBatch("run", "job.json", "--destination", "out", exit: 2)
        #expect(refused.errors.contains("outputs[0].object"), "\(refused.errors)")
        try await job.nukeBatch("run", "job.json", "-o", "s3://\(BucketJob.bucket)/elsewhere/")
        #expect(
            job.store.objects(in: BucketJob.bucket) == ["elsewhere/copy/1.png", "elsewhere/small/1.png"]
        )
        let text = #", "object": {"cacheControl": ""}}], "destination": "out""#
        try job.job.write(#""sources": [{"urls": []}], "outputs": [{"name": "a"\#(text)"#)
        let folder = try await job.nukeBatch("run", "job.json", exit: 2)
        #expect(folder.errors.contains("outputs[0].object: is for a destination s3://"), "\(folder.errors)")
        #expect(folder.errors.contains("cacheControl: should be"), "\(folder.errors)")
    }

    @Test(
        "a foreign object is kept or replaced, also by a store that ignores the condition",
        arguments: [true, false]
    )
    func existing(isHonest: Bool) async throws {
        let job = try BucketJob(3, output: #", "existing": "keep""#)
        if !isHonest { job.store.fault = { $0.kind == .putObject ? .ignoredCondition : nil } }
        job.store.put(Data("foreign".utf8), key: "made/small/2.png", bucket: BucketJob.bucket)
        job.store.put(Data("foreign".utf8), key: "made/copy/2.png", bucket: BucketJob.bucket)
        try await job.nukeBatch("run", "job.json")
        #expect(try job.object("small/2.png").data == Data("foreign".utf8))
        #expect(try job.object("copy/2.png").data == (try TestImages.tiny(2)), "existing is replace there")
        let outputs = try await job.job.items().compactMap { $0["outputs"] as? [[String: Any]] }.joined()
        let kept = outputs.filter { $0["state"] as? String == "skipped" }
        #expect(kept.count == 1 && kept.first?["reason"] as? String == "exists", "\(kept)")
        // With a state of its own, equal bytes count as made.
        try await job.nukeBatch("run", "job.json", "--fresh")
        let again = try await job.job.items().compactMap { $0["outputs"] as? [[String: Any]] }.joined()
        #expect(again.filter { $0["state"] as? String == "done" }.count == 5, "\(again)")
        try await requiresNoLook(job)
    }

    /// Checks that a job that knows its keys, and finds nothing at them, does not look into its state for each of them, which needs
    /// an index.
    private func requiresNoLook(_ job: BucketJob) async throws {
        let indexes = "SELECT count(*) FROM sqlite_schema WHERE name = 'output_by_path'"
        func count(_ state: String) throws -> Int64 {
            try Connection(path: job.job.folder.path(state), mode: .readOnly).integer(indexes)
        }
        #expect(try count(".nuke-batch/job.sqlite") == 1)
        try job.job.write(
            """
            "sources": [{"urls": ["\(job.origin.address)/1.png"]}],
            "outputs": [{"format": "png", "path": "{stem}.png", "existing": "keep"}],
            "destination": "s3://\(BucketJob.bucket)/empty"
            """
        )
        try await job.nukeBatch("run", "job.json", "--state-file", "empty.sqlite")
        #expect(job.store.object("empty/1.png", in: BucketJob.bucket) != nil)
        #expect(try count("empty.sqlite") == 0)
    }

    @Test("verify finds what changed, and --repair makes it again")
    func verify() async throws {
        let job = try BucketJob(4)
        try await job.nukeBatch("run", "job.json")
        let made = try job.object("small/2.png").data
        job.store.put(made.dropLast(), key: "made/small/2.png", bucket: BucketJob.bucket)
        job.store.put(
            Data(repeating: 7, count: made.count),
            key: "made/small/3.png",
            bucket: BucketJob.bucket
        )
        let found = try await job.nukeBatch("verify", "job.json", exit: 1)
        #expect(found.output.contains("size  small/2.png") && found.output.contains("content  small/3.png"))
        #expect(found.output.contains("8 outputs checked, 2 damaged"), "\(found.output)")
        let requests = job.origin.requests.count
        try await job.nukeBatch("verify", "job.json", "--repair", exit: 0)
        #expect(job.origin.requests.count == requests)
        try await job.checkWhole()
    }

    @Test("prune removes only objects that the job has made and nobody changed")
    func prune() async throws {
        let job = try BucketJob(4)
        try await job.nukeBatch("run", "job.json")
        job.store.put(Data("foreign".utf8), key: "made/small/9.png", bucket: BucketJob.bucket)
        job.store.put(Data("changed".utf8), key: "made/small/4.png", bucket: BucketJob.bucket)
        try job.write(numbers: [1, 2])
        try await job.nukeBatch("run", "job.json")
        let listed = try await job.nukeBatch("prune", "job.json")
        #expect(listed.output.contains("3 to remove"), "\(listed.output)")
        #expect(job.store.count(of: .deleteObject) == 0)
        try await job.nukeBatch("prune", "job.json", "--delete")
        let expected = [
            "copy/1.png", "copy/2.png", "small/1.png", "small/2.png", "small/4.png", "small/9.png",
        ]
        #expect(job.keys == expected)
    }

    @Test("explain, report, export, status and doctor know the bucket")
    func reports() async throws {
        let job = try BucketJob(2)
        try await job.nukeBatch("run", "job.json")
        let url = "s3://\(BucketJob.bucket)/made/small/2.png"
        let explained = try await job.nukeBatch("explain", "job.json", url)
        #expect(explained.output.contains("2.png") && explained.output.contains("it is current"))
        try await job.nukeBatch("report", "job.json", "-o", "s3://\(BucketJob.bucket)/pages/report.html")
        let page = try #require(job.store.object("pages/report.html", in: BucketJob.bucket))
        #expect(page.headers["content-type"] == "text/html; charset=utf-8")
        let html = String(decoding: page.data, as: UTF8.self)
        #expect(html.components(separatedBy: "data:image/webp").count == 5, "two originals and two outputs")
        let doctor = try await job.nukeBatch("doctor", "job.json")
        #expect(doctor.output.contains("honours If-None-Match"), "\(doctor.output)")
        #expect(doctor.output.contains("no unfinished upload"), "\(doctor.output)")
        #expect(job.keys.count == 4 + 1, "the probe is gone")
        job.store.fault = { $0.kind == .putObject ? .ignoredCondition : nil }
        let careless = try await job.nukeBatch("doctor", "job.json")
        #expect(careless.output.contains("does not honour If-None-Match"), "\(careless.output)")
        job.store.fault = { _ in .error(status: 403, code: "AccessDenied") }
        let refused = try await job.nukeBatch("doctor", "job.json", exit: 4)
        #expect(refused.output.contains("takes no objects") && refused.output.contains("AccessDenied"))
        try await job.nukeBatch("verify", "job.json", exit: 4)
        let export = try await job.nukeBatch("export", "job.json")
        #expect(export.output.contains("small/2.png"))
        try await job.nukeBatch("status", "job.json")
    }

    @Test("markup and an index are objects, too")
    func endOfRun() async throws {
        let markup = #", "markup": {"file": "all.json"}"#
        let job = try BucketJob(3, output: markup, rest: #", "dataset": {"index": "rows/index.csv"}"#)
        try await job.nukeBatch("run", "job.json")
        let rows = try job.object("rows/index.csv")
        #expect(rows.headers["content-type"] == "text/csv; charset=utf-8")
        #expect(String(decoding: rows.data, as: UTF8.self).split(separator: "\r\n").count == 1 + 6)
        let index = try job.object("all.json")
        #expect(index.headers["content-type"] == "application/json")
        let entries = try JSONSerialization.jsonObject(with: index.data) as? [String: Any]
        #expect(entries?.count == 3)
        let puts = job.store.count(of: .putObject)
        try await job.nukeBatch("run", "job.json")
        #expect(job.store.count(of: .putObject) == puts)
        try await job.nukeBatch("verify", "job.json")
        let beside = try FileManager.default.contentsOfDirectory(atPath: job.job.folder.path(".nuke-batch"))
        #expect(!beside.contains { $0.hasSuffix(".part") }, "\(beside)")
    }
}
