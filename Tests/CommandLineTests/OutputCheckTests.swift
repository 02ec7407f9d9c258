import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// The look at recorded outputs that are not simply files: shards, markup, partitions, objects, and failed items.
@Suite(.timeLimit(.minutes(10))) struct OutputCheckTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
    }

    /// A job of local pictures with these numbers.
    private func write(
        _ numbers: ClosedRange<Int>,
        output: String? = #""path": "{stem}.{ext}""#,
        rest: String = ""
    ) throws {
        for number in numbers { try job.folder.write(try TestImages.tiny(number), to: "\(number).png") }
        let urls = numbers.map { "\"\($0).png\"" }.joined(separator: ", ")
        let keys = output.map { ", \($0)" } ?? ""
        try job.write(
            """
            "sources": [{"urls": [\(urls)]}], "outputs": [{"name": "a", "format": "png"\(keys)}],
            "network": {"fileRoots": ["."]}\(rest)
            """
        )
    }

    private func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: job.folder.path(name))
    }

    /// The warnings of a run.
    private func warnings(_ words: String..., exit: Int32 = 0) async throws -> [String] {
        let run = try await Program.run(
            "nuke-batch",
            ["run", "job.json", "--quiet"] + words,
            in: job.folder.path
        )
        #expect(run.exit == exit, "\(run.output)\(run.errors)")
        return run.lines.filter { $0.hasPrefix("warning: ") }
    }

    @Test(
        "a shard that is missing or cut is packed again; none of more than twenty images is a folder that is not mounted"
    )
    func shards() async throws {
        let dataset = #", "dataset": {"pack": "tar", "itemsPerFile": 3}"#
        try write(1...7, output: nil, rest: dataset)
        try await job.run()
        #expect(try await warnings().isEmpty)
        let shards = job.files().filter { $0.hasSuffix(".tar") }
        #expect(shards.count == 3)
        try remove("out/\(shards[0])")
        #expect(try await warnings().first?.hasPrefix("warning: 3 outputs are missing in") == true)
        #expect(try await job.nukeBatch("verify", "job.json").exit == 0)
        let cut = try job.data("out/\(shards[1])").prefix(700)
        try cut.write(to: URL(fileURLWithPath: job.folder.path("out/\(shards[1])")))
        #expect(try await warnings().first?.hasPrefix("warning: 3 outputs are missing in") == true)
        #expect(try await job.nukeBatch("verify", "job.json").exit == 0)
        #expect(try await warnings().isEmpty)
        try write(1...21, output: nil, rest: dataset)
        try await job.run()
        try FileManager.default.moveItem(atPath: job.folder.path("out"), toPath: job.folder.path("old"))
        #expect(try await job.run(exit: 4).errors.contains("none of the 21 recorded outputs is in"))
        #expect(job.files().isEmpty)
    }

    @Test("markup that is missing or changed in size is written again") func markup() async throws {
        let paths =
            #""widths": [4], "path": "i/{stem}-{width}.{ext}", "markup": {"file": "html/{stem}.html"}"#
        try write(1...2, output: paths)
        try await job.run()
        let html = try job.data("out/html/1.html")
        try remove("out/html/1.html")
        #expect(try await warnings().first?.hasPrefix("warning: 1 file of markup is missing in") == true)
        #expect(try job.data("out/html/1.html") == html)
        #expect(try await warnings().isEmpty)
        try job.folder.write("", to: "out/html/1.html")
        try remove("out/\(try #require(job.files().first { $0.hasPrefix("i/2-") }))")
        let both = try await warnings()
        #expect(
            both.count == 1 && both[0].contains("1 output is missing") && both[0].contains("markup"),
            "\(both)"
        )
        #expect(try job.data("out/html/1.html") == html)
        #expect(try await job.nukeBatch("verify", "job.json").exit == 0)
    }

    @Test("each partition looks for its own") func partitions() async throws {
        try write(1...8)
        for shard in ["1/2", "2/2"] { try await job.run("--shard", shard) }
        let all = job.files()
        #expect(all.count == 8)
        for name in all { try remove("out/\(name)") }
        var missing = 0
        for shard in ["1/2", "2/2"] {
            let sentence = try #require(try await warnings("--shard", shard).first)
            missing += Int(sentence.split(separator: " ")[1]) ?? 0
        }
        #expect(missing == 8 && job.files() == all)
    }

    @Test(
        "an output is not made twice: one that left the manifest, one that is skipped, one that another row has"
    )
    func others() async throws {
        try write(1...3, output: #""path": "same.{ext}", "onCollision": "first""#)
        try await job.run()
        #expect(try await warnings().isEmpty && job.files() == ["same.png"])
        try remove("out/same.png")
        #expect(try await warnings().first?.contains("1 output is missing") == true)
        #expect(try await warnings().isEmpty && job.files() == ["same.png"])
        try write(1...3)
        try await job.run()
        try write(2...3)
        try await job.run()
        // It is orphaned.
        try remove("out/1.png")
        #expect(try await warnings().isEmpty)
        #expect(job.files().contains("1.png") == false)
    }

    @Test("an item that failed since is tried again once for its missing output, and stays failed")
    func failed() async throws {
        let isGone = Atomic(false)
        let picture = try TestImages.tiny(1)
        let server = try LoopbackServer { _ in
            isGone.load(ordering: .relaxed) ? .status(404) : .data(picture, type: "image/png")
        }
        try job.write(
            """
            "sources": [{"urls": ["\(server.address)/1.png"]}], "outputs": [{"format": "png", "path": "{stem}.{ext}"}],
            "cache": {"policy": "none"}
            """
        )
        try await job.run()
        isGone.store(true, ordering: .relaxed)
        try await job.run("--revalidate", exit: 1)
        #expect(job.files() == ["1.png"])
        try remove("out/1.png")
        let requests = server.requests.count
        try await job.run("--fail-on", "new")
        #expect(server.requests.count == requests + 1)
        try await job.run("--fail-on", "new")
        #expect(server.requests.count == requests + 1)
        #expect(job.files().isEmpty)
    }

    @Test("a file in the place of a folder, and a folder in the place of a file, are trouble of this machine")
    func inPlace() async throws {
        try write(1...2, output: #""path": "d/{stem}.{ext}""#)
        try await job.run()
        try remove("out/d/1.png")
        try FileManager.default.createDirectory(
            atPath: job.folder.path("out/d/1.png"),
            withIntermediateDirectories: false
        )
        #expect(try await job.run(exit: 4).output.contains("a folder has the name of the file"))
        try remove("out/d")
        try job.folder.write("a file", to: "out/d")
        let file = try await job.run(exit: 4)
        #expect(file.errors.contains("out/d"), "\(file.errors)")
        try remove("out/d")
        try await job.run()
        #expect(job.files() == ["d/1.png", "d/2.png"])
    }

    @Test("a bucket is looked at only with --check, by listing it") func bucket() async throws {
        let job = try BucketJob(15)
        try await job.nukeBatch("run", "job.json")
        let objects = job.store.objects(in: BucketJob.bucket)
        #expect(objects.count == 30 && job.store.operations.count == 30)
        try await job.nukeBatch("run", "job.json")
        #expect(job.store.operations.count == 30)
        try await job.nukeBatch("run", "job.json", "--check")
        let listing = job.store.operations.count - 30
        // Not one for each output.
        #expect((1...8).contains(listing))
        job.store.remove("made/copy/3.png", bucket: BucketJob.bucket)
        job.store.put(Data("cut".utf8), key: "made/small/4.png", bucket: BucketJob.bucket)
        try await job.nukeBatch("run", "job.json")
        #expect(job.store.operations.count == 30 + listing)
        let seen = try await job.nukeBatch("run", "job.json", "--check")
        #expect(seen.output.contains("2 outputs are missing in s3://outputs/made"), "\(seen.output)")
        #expect(job.store.objects(in: BucketJob.bucket) == objects)
        try await job.checkWhole()
        for key in objects { job.store.remove(key, bucket: BucketJob.bucket) }
        let gone = try await job.nukeBatch("run", "job.json", "--check", exit: 4)
        #expect(
            gone.errors.contains("none of the 30 recorded outputs is in s3://outputs/made"),
            "\(gone.errors)"
        )
        let both = try await job.nukeBatch("run", "job.json", "--check", "--skip-check", exit: 2)
        #expect(both.errors.contains("exclude each other"), "\(both.errors)")
    }

    @Test("objects at new keys are adopted with --check, without it they are written") func movedObjects()
        async throws
    {
        let job = try BucketJob(3)
        for (prefix, state) in [("made", "a"), ("new", "b"), ("other", "c")] {
            try await job.nukeBatch(
                "run",
                "job.json",
                "-o",
                "s3://outputs/\(prefix)",
                "--state-file",
                "\(state).sqlite"
            )
        }
        let puts = job.store.count(of: .putObject)
        #expect(puts == 18)
        let moved = ["run", "job.json", "--state-file", "a.sqlite", "-o"]
        let adopted = try await Program.run(
            "nuke-batch",
            moved + ["s3://outputs/new", "--check"],
            in: job.job.folder.path,
            environment: job.environment
        )
        #expect(adopted.exit == 0 && adopted.output.contains("6 reused"), "\(adopted.output)")
        #expect(job.store.count(of: .putObject) == puts)
        let written = try await Program.run(
            "nuke-batch",
            moved + ["s3://outputs/other"],
            in: job.job.folder.path,
            environment: job.environment
        )
        #expect(written.exit == 0 && job.store.count(of: .putObject) == puts + 6, "\(written.output)")
    }
}
