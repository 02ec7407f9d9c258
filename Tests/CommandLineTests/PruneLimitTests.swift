import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `prune --delete` for a list that has lost its rows: it refuses, and names the command that does it all the same.
@Suite(.timeLimit(.minutes(10))) struct PruneLimitTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for number in 1...9 { try job.folder.write(try TestImages.tiny(number), to: "\(number).png") }
    }

    private func write(_ numbers: [Int], _ rest: String = "") throws {
        try job.folder.write("image\n" + numbers.map { "\($0).png\n" }.joined(), to: "list.csv")
        try job.write(
            """
            "sources": [{"list": "list.csv", "columns": {"url": "image"}}],
            "outputs": [{"format": "png", "path": "{stem}.{ext}"}], "network": {"fileRoots": ["."]}\(rest)
            """
        )
    }

    /// The program's answer to a run whose list may be empty.
    private func plan(_ numbers: [Int], _ rest: String = "", _ words: String...) async throws {
        try write(numbers, rest)
        let run = try await Program.run("nuke-batch", ["run", "job.json"] + words, in: job.folder.path)
        #expect([0, 2].contains(run.exit), "\(run.output)\(run.errors)")
    }

    private func prune(_ words: String..., exit: Int32) async throws -> Program.Outcome {
        let words = ["prune", "job.json", "--delete"] + words
        let outcome = try await Program.run("nuke-batch", words, in: job.folder.path)
        #expect(outcome.exit == exit, "\(words): \(outcome.output)\(outcome.errors)")
        return outcome
    }

    @Test(
        "half may go; more needs --max-delete, as a number or a percentage",
        arguments: ["5", "56%", "100%"]
    )
    func half(_ limit: String) async throws {
        try await plan(Array(1...9))
        try await plan(Array(6...9))
        let refused = try await prune(exit: 2)
        #expect(refused.errors.contains("5 of 9 recorded outputs"), "\(refused.errors)")
        #expect(refused.errors.contains("nuke-batch prune job.json --delete --max-delete 5"))
        #expect(job.files().count == 9)
        for low in ["4", "55%", "0"] {
            #expect(
                try await prune("--max-delete", low, exit: 2).errors.contains("--max-delete allows fewer")
            )
        }
        for wrong in ["-1", "x", "101%", "5 %", ""] { _ = try await prune("--max-delete", wrong, exit: 2) }
        #expect(job.files().count == 9)
        _ = try await prune("--max-delete", limit, exit: 0)
        #expect(job.files() == ["6.png", "7.png", "8.png", "9.png"])
        // Of four, two are half.
        try await plan([8, 9])
        _ = try await prune(exit: 0)
        #expect(job.files() == ["8.png", "9.png"])
    }

    @Test("of a dataset, the images in shards count") func shards() async throws {
        let dataset = #", "dataset": {"pack": "tar", "itemsPerFile": 3}"#
        try write(Array(1...9), dataset)
        try await job.run()
        let tars = job.files().filter { $0.hasSuffix(".tar") }
        #expect(tars.count == 3)
        try write([9], dataset)
        try await job.run()
        let refused = try await prune(exit: 2)
        #expect(refused.errors.contains("6 of 9 recorded outputs"), "\(refused.errors)")
        #expect(job.files().filter { $0.hasSuffix(".tar") } == tars)
        _ = try await prune("--max-delete", "6", exit: 0)
        #expect(job.files().filter { $0.hasSuffix(".tar") }.count == 1)
    }

    @Test("partitions are counted together, before anything is removed") func partitions() async throws {
        for shard in ["1/2", "2/2"] { try await plan(Array(1...9), "", "--shard", shard) }
        for shard in ["1/2", "2/2"] { try await plan([1, 2, 3, 4], "", "--shard", shard) }
        let refused = try await prune("--all-shards", exit: 2)
        #expect(refused.errors.contains("5 of 9 recorded outputs"), "\(refused.errors)")
        #expect(job.files().count == 9)
        let command = "nuke-batch prune job.json --all-shards --delete --max-delete 5"
        #expect(refused.errors.contains(command), "\(refused.errors)")
        #expect(try await job.shell(command).exit == 0)
        #expect(job.files().count == 4)
    }

    @Test("objects of a bucket are kept as well") func bucket() async throws {
        let job = try BucketJob(5)
        try await job.nukeBatch("run", "job.json")
        try job.write(numbers: [1])
        try await job.nukeBatch("run", "job.json")
        let refused = try await job.nukeBatch("prune", "job.json", "--delete", exit: 2)
        #expect(refused.errors.contains("8 of 10 recorded outputs"), "\(refused.errors)")
        #expect(job.store.objects(in: BucketJob.bucket).count == 10)
        try await job.nukeBatch("prune", "job.json", "--delete", "--max-delete", "80%")
        #expect(job.store.objects(in: BucketJob.bucket) == ["made/copy/1.png", "made/small/1.png"])
    }

    @Test("of a plan without items nothing is removed, even if it is little") func empty() async throws {
        try await plan([1, 2])
        try await plan([2])
        _ = try await prune(exit: 0)
        // Files that someone has removed are no reason to remove the last one.
        try job.folder.write("image\n", to: "list.csv")
        try job.write(
            """
            "sources": [{"urls": []}], "outputs": [{"format": "png", "path": "{stem}.{ext}"}]
            """
        )
        let run = try await job.nukeBatch("run", "job.json")
        guard run.exit == 0 else { return }
        let refused = try await prune(exit: 2)
        #expect(refused.errors.contains("the manifest has no items any more"), "\(refused.errors)")
        #expect(job.files() == ["2.png"])
        _ = try await prune("--max-delete", "1", exit: 0)
        #expect(job.files().isEmpty)
    }
}
