import Files
import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Shards of a dataset in a bucket: uploads in parts that a killed run continues.
@Suite(.timeLimit(.minutes(10))) struct ObjectShardTests {
    /// A job of copies of 1 MB, which need several parts.
    static func job(_ count: Int, itemsPerFile: Int, pack: String = "tar") throws -> (
        BucketJob, LoopbackServer
    ) {
        let origin = try LoopbackServer { request in
            guard
                let number = Int(
                    ((request.path as NSString).lastPathComponent as NSString).deletingPathExtension
                )
            else { return .status(404) }
            return LoopbackServer.Response(body: .data(large(number)))
        }
        var job = try BucketJob(1)
        if pack == "parquet" { job.more = ParquetInstallation.environment }
        let urls = (1...count).map { #""\#(origin.address)/\#($0).png""# }
        try job.job.write(
            """
            "sources": [{"urls": [\(urls.joined(separator: ", "))]}],
            "outputs": [{"name": "copy", "format": "original"}],
            "loading": {"rate": "5000/s", "burst": 100},
            "dataset": {"pack": "\(pack)", "itemsPerFile": \(itemsPerFile), "index": "index.jsonl"},
            "destination": "s3://\(BucketJob.bucket)/made"
            """
        )
        return (job, origin)
    }

    /// A tiny picture with a megabyte behind its end.
    static func large(_ number: Int) -> Data {
        let filler = Data(repeating: UInt8(truncatingIfNeeded: number), count: 1_000_000)
        return ((try? TestImages.tiny(number)) ?? Data()) + filler
    }

    /// The digests of the images in the complete shards, sorted.
    static func images(_ job: BucketJob, pack: String = "tar") async throws -> [String] {
        let folder = try TemporaryFolder()
        for key in job.keys where key.hasSuffix(".\(pack)") {
            try folder.write(try job.object(key).data, to: key)
        }
        let members = try await ReadShards(folder.path, pack: pack).members
        return members.filter { $0.name.hasSuffix(".png") }.map(\.sha256).sorted()
    }

    /// Checks that every item is in one shard, once and whole.
    static func checkWhole(
        _ job: BucketJob,
        count: Int,
        pack: String = "tar",
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let expected = (1...count).map { Digest.sha256.hex(of: large($0)) }
        let found = try await images(job, pack: pack)
        #expect(found == expected.sorted(), "\(found.count)", sourceLocation: location)
        let shards = job.keys.filter { $0.hasSuffix(".\(pack)") }.map { $0.replacing(".\(pack)", with: "") }
        let told = job.keys.filter { $0.hasSuffix("_stats.json") }.map {
            $0.replacing("_stats.json", with: "")
        }
        #expect(shards == told, sourceLocation: location)
        #expect(job.store.uploads.isEmpty, sourceLocation: location)
        #expect(!job.keys.contains { $0.hasSuffix(".part") }, "\(job.keys)", sourceLocation: location)
        let beside = try FileManager.default.contentsOfDirectory(atPath: job.job.folder.path(".nuke-batch"))
        #expect(!beside.contains { $0.contains(".shard-") }, "\(beside)", sourceLocation: location)
        let index = String(decoding: try job.object("index.jsonl").data, as: UTF8.self)
        #expect(index.split(separator: "\n").count == count, sourceLocation: location)
        let verified = try await job.nukeBatch("verify", "job.json", at: location)
        #expect(verified.output.contains("\(count) outputs checked, 0 damaged"), sourceLocation: location)
    }

    @Test("shards are uploads in parts; a second run sends nothing")
    func whole() async throws {
        let (job, origin) = try Self.job(25, itemsPerFile: 20)
        defer { withExtendedLifetime(origin) {} }
        try await job.nukeBatch("run", "job.json")
        #expect(
            job.keys == ["00000.tar", "00000_stats.json", "00001.tar", "00001_stats.json", "index.jsonl"]
        )
        #expect(try job.object("00000.tar").headers["content-type"] == "application/x-tar")
        #expect(job.store.count(of: .uploadPart) >= 3)
        // The requests that docs/object-storage.md counts for a tar file, and one for the index.
        #expect(job.store.count(of: .listObjects) == 2 && job.store.count(of: .headObject) == 4)
        #expect(job.store.count(of: .createMultipartUpload) == 2)
        #expect(job.store.count(of: .completeMultipartUpload) == 2)
        #expect(job.store.count(of: .putObject) == 5 && job.store.count(of: .deleteObject) == 2)
        try await Self.checkWhole(job, count: 25)
        let requests = job.store.operations.filter {
            $0.request.method != "HEAD" && $0.request.method != "GET"
        }.count
        try await job.nukeBatch("run", "job.json")
        let again = job.store.operations.filter { $0.request.method != "HEAD" && $0.request.method != "GET" }
            .count
        #expect(again == requests)
    }

    @Test("kills at random moments: every item in one shard, once, and no upload left behind")
    func kills() async throws {
        let seed = SeededGenerator.seed(of: "shards in a bucket")
        var random = SeededGenerator(seed: seed)
        let kinds: [LoopbackObjectStore.Operation.Kind] = [
            .putObject, .createMultipartUpload, .uploadPart, .completeMultipartUpload, .deleteObject,
        ]
        var killed = 0
        for _ in 0..<4 {
            let (job, origin) = try Self.job(60, itemsPerFile: 25)
            defer { withExtendedLifetime(origin) {} }
            for kind in kinds.shuffled(using: &random) {
                let moment = Int.random(in: 1...2, using: &random)
                let isAfter = Bool.random(using: &random)
                let delay = Double.random(in: 0.2...1.2, using: &random)
                let exit = try await job.runKilled(at: kind, moment, takesEffect: isAfter, after: delay)
                guard exit != 0 else { break }
                killed += 1
            }
            job.store.fault = { _ in nil }
            try await job.nukeBatch("run", "job.json")
            try await Self.checkWhole(job, count: 60)
        }
        print("shards in a bucket: \(killed) kills")
        #expect(killed >= 4)
    }

    @Test("--fresh aborts the upload of the state that it deletes")
    func fresh() async throws {
        let (job, origin) = try Self.job(30, itemsPerFile: 100)
        defer { withExtendedLifetime(origin) {} }
        let upload = try await stopInTheMiddle(job)
        try await job.nukeBatch("run", "job.json", "--fresh")
        #expect(!job.store.uploads.contains { $0.id == upload.id })
        try await Self.checkWhole(job, count: 30)
    }

    @Test(
        "prune aborts the upload of a dataset that is no longer asked for; one that is gone is told and repaired"
    )
    func aborted() async throws {
        let (job, origin) = try Self.job(30, itemsPerFile: 100)
        defer { withExtendedLifetime(origin) {} }
        _ = try await stopInTheMiddle(job)
        // A copy of the state, whose manifest packs nothing, gives the upload up behind the job's back.
        let copy = try BucketJob(1)
        let folders = [job, copy].map { URL(fileURLWithPath: $0.job.folder.path(".nuke-batch")) }
        try FileManager.default.copyItem(at: folders[0], to: folders[1])
        let listed = try await prune(copy, in: job)
        #expect(
            listed.output.contains("to remove  s3://\(BucketJob.bucket)/made/00000.tar"),
            "\(listed.output)"
        )
        #expect(job.store.uploads.count == 1)
        let removed = try await prune(copy, in: job, "--delete")
        #expect(removed.output.contains("1 removed"), "\(removed.output)")
        #expect(job.store.uploads.isEmpty && !job.keys.contains { $0.hasSuffix(".part") })
        let told = try await job.nukeBatch("run", "job.json")
        #expect(
            (told.output + told.errors).contains("the unfinished upload of"),
            "\(told.output)\(told.errors)"
        )
        let damaged = try await job.nukeBatch("verify", "job.json", exit: 1)
        #expect(damaged.output.contains("20 damaged"), "\(damaged.output)")
        try await job.nukeBatch("verify", "job.json", "--repair")
        try await Self.checkWhole(job, count: 30)
    }

    /// Runs 20 of the items, whose shard stays open; its finished parts are no damage.
    private func stopInTheMiddle(_ job: BucketJob) async throws -> LoopbackObjectStore.Upload {
        try await job.nukeBatch("run", "job.json", "--limit", "20", exit: 5)
        let upload = try #require(job.store.uploads.first)
        #expect(!upload.parts.isEmpty)
        let verified = try await job.nukeBatch("verify", "job.json")
        #expect(verified.output.contains("0 damaged"), "\(verified.output)")
        return upload
    }

    private func prune(_ copy: BucketJob, in job: BucketJob, _ words: String...) async throws
        -> Program.Outcome
    {
        let outcome = try await Program.run(
            "nuke-batch",
            ["prune", "job.json"] + words,
            in: copy.job.folder.path,
            environment: job.environment
        )
        #expect(outcome.exit == 0, "\(outcome.errors)")
        return outcome
    }
}
