import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Shards in Parquet in a bucket: tar files beside the state until they are full, then objects.
@Suite(.timeLimit(.minutes(10))) struct ParquetShardObjectTests {
    private static func job(_ count: Int, itemsPerFile: Int) throws -> (BucketJob, LoopbackServer) {
        try ObjectShardTests.job(count, itemsPerFile: itemsPerFile, pack: "parquet")
    }

    private func checkWhole(_ job: BucketJob, count: Int, at location: SourceLocation = #_sourceLocation)
        async throws
    {
        try await ObjectShardTests.checkWhole(job, count: count, pack: "parquet", at: location)
    }

    @Test(
        "shards are objects with the images in them; a second run sends nothing; verify finds what was changed"
    )
    func whole() async throws {
        let (job, origin) = try Self.job(25, itemsPerFile: 10)
        defer { withExtendedLifetime(origin) {} }
        try await job.nukeBatch("run", "job.json")
        #expect(
            job.keys == (0..<3).flatMap { ["0000\($0).parquet", "0000\($0)_stats.json"] } + ["index.jsonl"]
        )
        let type = "application/vnd.apache.parquet"
        #expect(try job.object("00000.parquet").headers["content-type"] == type)
        // The requests that docs/object-storage.md counts for a shard in Parquet, and one for the index.
        #expect(job.store.count(of: .createMultipartUpload) == 0)
        #expect(job.store.count(of: .putObject) == 10 && job.store.count(of: .deleteObject) == 3)
        #expect(job.store.count(of: .listObjects) == 3 && job.store.count(of: .headObject) == 6)
        try await checkWhole(job, count: 25)
        let sent = job.store.operations.filter { ["PUT", "POST", "DELETE"].contains($0.request.method) }.count
        try await job.nukeBatch("run", "job.json")
        let again = job.store.operations.filter { ["PUT", "POST", "DELETE"].contains($0.request.method) }
        #expect(again.count == sent)

        var bytes = try job.object("00001.parquet").data
        bytes[bytes.count / 2] ^= 0x40
        job.store.put(bytes, key: "made/00001.parquet", bucket: BucketJob.bucket)
        job.store.remove("made/00002.parquet", bucket: BucketJob.bucket)
        let damaged = try await job.nukeBatch("verify", "job.json", exit: 1)
        #expect(damaged.output.contains("the shard is missing"), "\(damaged.output)")
        #expect(
            damaged.output.contains("s3://\(BucketJob.bucket)/made/00001.parquet")
                || damaged.output.contains("the bytes in the shard differ"),
            "\(damaged.output)"
        )
        try await job.nukeBatch("verify", "job.json", "--repair")
        let repaired = try await job.nukeBatch("verify", "job.json")
        #expect(repaired.output.contains("25 outputs checked, 0 damaged"), "\(repaired.output)")
        // The damaged shard has its rows twice until it is removed.
        try await job.nukeBatch("prune", "job.json", "--delete")
        try await checkWhole(job, count: 25)
    }

    @Test("kills at random moments: every row in one shard, once, and nothing left behind")
    func kills() async throws {
        let seed = SeededGenerator.seed(of: "Parquet shards in a bucket")
        var random = SeededGenerator(seed: seed)
        let kinds: [LoopbackObjectStore.Operation.Kind] = [.putObject, .deleteObject, .headObject]
        var (killed, met) = (0, 0)
        var last: (job: BucketJob, origin: LoopbackServer)?
        for _ in 0..<4 {
            let (job, origin) = try Self.job(60, itemsPerFile: 15)
            last = (job, origin)
            for kind in (kinds + kinds).shuffled(using: &random) {
                let moment = Int.random(in: 1...2, using: &random)
                let isAfter = Bool.random(using: &random)
                let delay = Double.random(in: 0.3...3, using: &random)
                let exit = try await job.runKilled(at: kind, moment, takesEffect: isAfter, after: delay)
                met += job.keys.contains { $0.hasSuffix(".part") } ? 1 : 0
                guard exit != 0 else { break }
                killed += 1
            }
            job.store.fault = { _ in nil }
            try await job.nukeBatch("run", "job.json")
            try await checkWhole(job, count: 60)
        }
        print("Parquet shards in a bucket: \(killed) kills, \(met) met a shard being written")
        #expect(killed >= 4 && met > 0)

        // The control: a shard that is there twice, and one that is missing, would be found.
        let (job, _) = try #require(last)
        defer { withExtendedLifetime(last) {} }
        let (all, shard) = (try await images(job), try job.object("00000.parquet").data)
        job.store.put(shard, key: "made/00099.parquet", bucket: BucketJob.bucket)
        #expect(try await images(job).count == all.count + 15)
        for name in ["00000", "00099"] { job.store.remove("made/\(name).parquet", bucket: BucketJob.bucket) }
        #expect(try await images(job).count == all.count - 15)
    }

    private func images(_ job: BucketJob) async throws -> [String] {
        try await ObjectShardTests.images(job, pack: "parquet")
    }

    @Test("a large shard is an upload in parts; kills within it leave none behind")
    func large() async throws {
        let (job, origin) = try Self.job(70, itemsPerFile: 100)
        defer { withExtendedLifetime(origin) {} }
        for kind in [.uploadPart, .completeMultipartUpload] as [LoopbackObjectStore.Operation.Kind] {
            let program = try job.start("run", "job.json")
            let first = job.store.count(of: kind)
            job.store.fault = { operation in
                guard operation.kind == kind, operation.number == first + 1 else { return nil }
                program.signal(SIGKILL)
                return .resetBefore
            }
            #expect(await program.wait().exit == 128 + SIGKILL)
            #expect(job.store.uploads.count == 1)
            let doctor = try await job.nukeBatch("doctor", "job.json")
            #expect(doctor.output.contains("1 unfinished upload in"), "\(doctor.output)")
        }
        job.store.fault = { _ in nil }
        let run = try await job.nukeBatch("run", "job.json")
        #expect(job.keys == ["00000.parquet", "00000_stats.json", "index.jsonl"], "\(run.output)")
        try await checkWhole(job, count: 70)
    }

    @Test("a store that refuses ends the run by name, and the next run goes on; --fresh begins anew")
    func refused() async throws {
        let (job, origin) = try Self.job(12, itemsPerFile: 5)
        defer { withExtendedLifetime(origin) {} }
        job.store.fault = { operation in
            operation.kind == .putObject && operation.key.hasSuffix("00001.parquet")
                ? .error(status: 403, code: "AccessDenied") : nil
        }
        let denied = try await job.nukeBatch("run", "job.json", exit: 4)
        let told = denied.output + denied.errors
        #expect(told.contains("takes no outputs") && told.contains("00001.parquet"), "\(told)")
        #expect(job.keys.contains("00000.parquet") && job.keys.contains("00001.parquet.part"))
        let verified = try await job.nukeBatch("verify", "job.json")
        #expect(verified.output.contains("0 damaged"), "\(verified.output)")
        job.store.fault = { _ in nil }
        try await job.nukeBatch("run", "job.json")
        try await checkWhole(job, count: 12)

        let (other, site) = try Self.job(12, itemsPerFile: 100)
        defer { withExtendedLifetime(site) {} }
        try await other.nukeBatch("run", "job.json", "--limit", "5", exit: 5)
        #expect(other.keys == ["00000.parquet.part", "index.jsonl"])
        try await other.nukeBatch("run", "job.json", "--fresh")
        #expect(other.keys == ["00000.parquet", "00000_stats.json", "index.jsonl"])
        try await checkWhole(other, count: 12)
    }

    @Test("an open shard is finished in its format when the manifest asks for the other one")
    func otherFormat() async throws {
        let (job, origin) = try Self.job(8, itemsPerFile: 100)
        defer { withExtendedLifetime(origin) {} }
        try await job.nukeBatch("run", "job.json", "--limit", "5", exit: 5)
        let manifest = String(decoding: try job.job.data("job.json"), as: UTF8.self)
        try job.job.folder.write(
            manifest.replacing(#""pack": "parquet""#, with: #""pack": "tar""#),
            to: "job.json"
        )
        try await job.nukeBatch("run", "job.json", "--limit", "3", exit: 5)
        #expect(
            job.keys == ["00000.parquet", "00000_stats.json", "00001.tar.part", "index.jsonl"],
            "\(job.keys)"
        )
        try job.job.folder.write(manifest, to: "job.json")
        try await job.nukeBatch("run", "job.json")
        #expect(
            job.keys.filter { !$0.hasSuffix("_stats.json") }
                == ["00000.parquet", "00001.tar", "00002.parquet", "index.jsonl"],
            "\(job.keys)"
        )
        #expect(job.store.uploads.isEmpty)
        let verified = try await job.nukeBatch("verify", "job.json")
        #expect(verified.output.contains("8 outputs checked, 0 damaged"), "\(verified.output)")
    }

    @Test("prune gives up the open shard of a destination that is no longer asked for")
    func pruned() async throws {
        let (job, origin) = try Self.job(8, itemsPerFile: 100)
        defer { withExtendedLifetime(origin) {} }
        try await job.nukeBatch("run", "job.json", "--limit", "5", exit: 5)
        let manifest = String(decoding: try job.job.data("job.json"), as: UTF8.self)
        try job.job.folder.write(manifest.replacing("/made\"", with: "/other\""), to: "job.json")
        let listed = try await job.nukeBatch("prune", "job.json")
        #expect(listed.output.contains("s3://\(BucketJob.bucket)/made/00000.parquet"), "\(listed.output)")
        try await job.nukeBatch("prune", "job.json", "--delete")
        #expect(job.keys == ["index.jsonl"], "\(job.keys)")
        let beside = try FileManager.default.contentsOfDirectory(atPath: job.job.folder.path(".nuke-batch"))
        #expect(!beside.contains { $0.contains(".shard-") }, "\(beside)")
    }

    @Test("an index in Parquet in a bucket has a row for each output")
    func index() async throws {
        let (job, origin) = try Self.job(3, itemsPerFile: 100)
        defer { withExtendedLifetime(origin) {} }
        let manifest = String(decoding: try job.job.data("job.json"), as: UTF8.self)
        try job.job.folder.write(manifest.replacing("index.jsonl", with: "index.parquet"), to: "job.json")
        try await job.nukeBatch("run", "job.json")
        #expect(job.keys == ["00000.parquet", "00000_stats.json", "index.parquet"])
        try job.job.folder.write(try job.object("index.parquet").data, to: "index.parquet")
        let rows = try await ParquetInstallation.run(
            "print(*sorted(row['path'] for row in pq.read_table('index.parquet').to_pylist()))",
            in: job.job.folder.path
        )
        #expect(rows.lines == [(1...3).map { "00000.parquet/00000000\($0).png" }.joined(separator: " ")])
    }
}
