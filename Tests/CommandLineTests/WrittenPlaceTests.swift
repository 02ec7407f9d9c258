import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Places on the command line that are neither folders nor buckets: they are refused, and become no folder `gs:`.
@Suite(.timeLimit(.minutes(5))) struct WrittenPlaceTests {
    @Test(
        arguments: [
            (["run", "job.json", "--destination", "gs://x/y"], #"--destination has the scheme "gs""#),
            (["run", "job.json", "-o", "https://thumbs.s3.amazonaws.com/x"], "write s3://thumbs/x"),
            (["plan", "job.json", "-o", "s3:/thumbs/x"], "write s3://thumbs/x"),
            (["resize", "a.png", "--width", "8", "-o", "gs://x/y"], #"--output has the scheme "gs""#),
            (["report", "job.json", "-o", "azure://x/y"], #"--output has the scheme "azure""#),
            (["report", "job.json", "-o", "s3://thumbs"], "names no object: write s3://bucket/key"),
            (
                ["export", "job.json", "--parquet", "s3://thumbs"],
                "--parquet names no object: write s3://bucket/key"
            ),
            (["export", "job.json", "--parquet", "-"], "--parquet cannot write to standard output"),
            (["log", "job.json", "--har", "gs://x"], #"--har has the scheme "gs""#),
            (["init", "a.png", "-o", "s3://x/job.json"], "--output writes to files of this machine only"),
            (["validate", "other.json"], "other.json:1:40: destination: should have two slashes"),
        ]
    )
    func refused(words: [String], told: String) async throws {
        let job = try JobFolder()
        try job.folder.write(try TestImages.tiny(1), to: "a.png")
        try job.write(#""sources": [{"urls": ["a.png"]}]"#)
        try job.folder.write(#"{"sources":[{"urls":[]}],"destination":"s3:x"}"#, to: "other.json")
        let before = job.files(in: ".")
        let wrong = try await Program.run("nuke-batch", words, in: job.folder.path)
        #expect(
            wrong.exit == 2 && (wrong.errors + wrong.output).contains(told),
            "\(wrong.output)\(wrong.errors)"
        )
        #expect(job.files(in: ".") == before)
    }

    @Test func aFileURLIsAFolder() async throws {
        let job = try JobFolder()
        try job.folder.write(try TestImages.tiny(1), to: "a.png")
        try job.write(
            #""sources": [{"urls": ["a.png"]}], "outputs": [{"format": "png", "path": "{stem}.{ext}"}]"#
        )
        try await job.run("-o", "file://\(job.folder.path)/made")
        #expect(job.files(in: "made") == ["a.png"])
    }

    @Test("relative rows of a list in a bucket are objects beside it; `base` names another prefix")
    func relativeRows() async throws {
        let job = try ObjectStoreJob(#"{"list": "s3://shop/lists/urls.txt"}"#)
        for key in ["lists/photos/a.jpg", "other/photos/b.jpg", "other/photos/a.jpg"] { try job.put(key) }
        let list = Data("photos/a.jpg\n../other/photos/b.jpg\n".utf8)
        job.store.put(list, key: "lists/urls.txt", bucket: ObjectStoreJob.bucket)
        try await job.run()
        let urls = try await job.job.items().map { $0["url"] as? String }
        #expect(urls == ["s3://shop/lists/photos/a.jpg", "s3://shop/other/photos/b.jpg"])

        try job.job.folder.write("photos/a.jpg\nphotos/b.jpg\n", to: "urls.txt")
        try job.write(#"{"list": "urls.txt", "base": "s3://shop/other/"}"#)
        try await job.run()
        let based = try await job.job.items().map { $0["url"] as? String }
        #expect(based == ["s3://shop/other/photos/a.jpg", "s3://shop/other/photos/b.jpg"])
        #expect(job.job.files().contains("photos/b.jpg"), "\(job.job.files())")
    }
}
