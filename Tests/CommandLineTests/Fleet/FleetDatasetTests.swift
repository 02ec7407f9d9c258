import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// Datasets in shards that a fleet writes: each item in one listed shard, once, whatever became of the workers.
@Suite(.timeLimit(.minutes(10))) struct FleetDatasetTests {
    /// The names of the shards that `collect` lists, which are all in the store's folder `out`.
    private func listed(_ fleet: FleetFolder) throws -> [String] {
        let text = String(decoding: try fleet.job.data("store/collected/shards.txt"), as: UTF8.self)
        return try text.split(separator: "\n").map { line in
            let out = fleet.job.folder.path("store/out/")
            #expect(line.hasPrefix(out))
            return String(try #require(line.split(separator: "/").last))
        }
    }

    private func proven(_ fleet: FleetFolder, _ count: Int) async throws {
        let verified = try await fleet.job.nukeBatch("verify", "store/collected/job.json")
        #expect(verified.output.contains("\(count) outputs checked, 0 damaged"), "\(verified.output)")
    }

    @Test(
        "partitions write shards of their own, which one list and one index tell of",
        arguments: ["tar", "parquet"]
    )
    func shards(pack: String) async throws {
        let dataset = #"{"pack": "\#(pack)", "itemsPerFile": 2, "index": "index.jsonl"}"#
        var fleet = try FleetFolder(7, dataset: dataset)
        fleet.environment = pack == "parquet" ? ParquetInstallation.environment : [:]
        #expect(try await fleet.plan(3) == 3)
        _ = try await fleet.work(0..<3)
        let collected = try await fleet.fleet("collect")
        #expect(collected.exit == 0, "\(collected.errors)")
        let names = try listed(fleet)
        // Three, two and two items, so that one shard is not full.
        #expect(names.count == 4 && names.allSatisfy { $0.hasSuffix(".\(pack)") }, "\(names)")
        #expect(Set(names.map { $0.prefix(7) }) == ["000000-", "000001-", "000002-"])
        let read = try await ReadShards(fleet.job.folder.path("store/out"), pack: pack)
        #expect(read.shards.keys.sorted() == names.sorted())
        #expect(Set(read.members.compactMap(\.url)).count == 7 && read.groups.count == 7)
        let index = String(decoding: try fleet.job.data("store/out/index.jsonl"), as: UTF8.self)
        let paths = try index.split(separator: "\n").map { line in
            let row = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            )
            return try #require(row["path"] as? String)
        }
        #expect(paths.count == 7 && Set(paths.compactMap { $0.split(separator: "/").first }).count == 4)
        #expect(fleet.job.files(in: "store/collected").contains("results.parquet") == (pack == "parquet"))
        if pack == "tar" {
            // Members are named after their places in the manifest.
            #expect(Set(read.groups).map(\.self).sorted() == (1...7).map { "00000000\($0)" })
            try await proven(fleet, 7)
        }
    }

    @Test("the shards of all partitions have the columns and types of the whole job, as one machine has them")
    func types() async throws {
        var fleet = try FleetFolder(3)
        fleet.environment = ParquetInstallation.environment
        let rows = [#""n":1,"score":0.5"#, #""n":null,"score":2,"tags":["x"]"#, #""ok":true,"n":-7"#]
        let lines = rows.enumerated().map { #"{"url":"\#(fleet.origin.address)/\#($0 + 1).png",\#($1)}"# }
        try fleet.job.folder.write(lines.joined(separator: "\n"), to: "list.jsonl")
        let manifest =
            #""sources": [{"list": "list.jsonl", "columns": {"url": "url"}}], "outputs": [{"format": "png"}]"#
        let dataset = #", "dataset": {"pack": "parquet", "caption": "tags", "index": "index.parquet"}"#
        try fleet.job.write(manifest + dataset)
        #expect(try await fleet.plan(1) == 3)
        _ = try await fleet.work(0..<3)
        let collected = try await fleet.fleet("collect")
        #expect(collected.exit == 0, "\(collected.errors)")
        try await fleet.job.run(environment: fleet.environment)
        let script = """
            import glob
            def told(paths):
                schemas, rows = set(), []
                for path in paths:
                    table = pq.read_table(path)
                    names = [name for name in table.schema.names if name.startswith("columns.") or name == "url"]
                    schemas.add(" ".join(f"{name[8:]}:{table.schema.field(name).type}" for name in names if name != "url"))
                    rows += table.select(names).to_pylist()
                return schemas, sorted(rows, key=lambda row: row["url"])
            one, fleet = told(glob.glob("out/0*.parquet")), told(glob.glob("store/out/0*.parquet"))
            index = told(["out/index.parquet"])
            assert one == fleet == index == told(["store/out/index.parquet"]), (one, fleet, index)
            print(len(glob.glob("store/out/0*.parquet")), *one[0])
            print(json.dumps([list(row.values())[1:] for row in one[1]]))
            """
        let outcome = try await ParquetInstallation.run(script, in: fleet.job.folder.path)
        let values = #"[[1, null, 0.5, null], [null, null, 2.0, "[\"x\"]"], [-7, true, null, null]]"#
        #expect(
            outcome.lines == ["3 n:int64 ok:bool score:double tags:string", values],
            "\(outcome.errors)"
        )
    }

    @Test("a worker that is killed goes on with its shards, and the shards of one that lost are removed")
    func kills() async throws {
        let (count, perFile) = (300, 40)
        let seen = Mutex<(requests: Int, program: Program?)>((0, nil))
        let pictures = try LoopbackServer.tinyPictures()
        let origin = try LoopbackServer { request in
            let program = seen.withLock { seen in
                seen.requests += 1
                return seen.requests == count / 2 ? seen.program : nil
            }
            program?.signal(SIGKILL)
            return .redirect(to: "\(pictures.address)\(request.path)")
        }
        let fleet = try FleetFolder(
            count,
            origin: origin,
            dataset: #"{"pack": "tar", "itemsPerFile": \#(perFile)}"#
        )
        #expect(try await fleet.plan(count) == 1)
        func words(_ scratch: String) -> [String] {
            ["fleet", "work", "--store", "store", "--partition", "0", "--scratch", scratch]
        }
        // The one whose node is gone; another begins again and commits.
        let lost = try Program("nuke-batch", words("gone"), in: fleet.job.folder.path)
        seen.withLock { $0.program = lost }
        #expect(await lost.wait().exit == 128 + SIGKILL)
        // The one that is killed and goes on.
        let killed = try Program("nuke-batch", words("scratch"), in: fleet.job.folder.path)
        seen.withLock { $0 = (0, killed) }
        #expect(await killed.wait().exit == 128 + SIGKILL)
        #expect(try await Program.run("nuke-batch", words("scratch"), in: fleet.job.folder.path).exit == 0)
        #expect(fleet.attempts(0, ".started").count == 3)
        #expect(fleet.job.files(in: "store/out").count { $0.hasSuffix(".part") } <= 1)

        let collected = try await fleet.fleet("collect", "--gc")
        #expect(collected.exit == 0, "\(collected.errors)")
        #expect(fleet.attempts(0, ".started").count == 1)
        let names = try listed(fleet)
        let files = fleet.job.files(in: "store/out")
        #expect(files.filter { $0.hasSuffix(".tar") }.sorted() == names.sorted())
        #expect(files.count == 2 * names.count, "\(files)")
        let read = try await ReadShards(fleet.job.folder.path("store/out"), pack: "tar")
        #expect(read.groups.count == count && Set(read.groups).count == count)
        #expect(names.count == (count + perFile - 1) / perFile)
        try await proven(fleet, count)
    }

    @Test("what the time did not suffice for is in no shard, and the shards are complete")
    func deferral() async throws {
        let origin = try LoopbackServer.tinyPictures(refusing: "/2.png", with: 503)
        let fleet = try FleetFolder(
            3,
            origin: origin,
            dataset: #"{"pack": "tar", "itemsPerFile": 10}"#,
            #", "limits": {"maxDuration": "1s"}, "retry": {"attempts": 100, "backoff": "100ms..200ms"}"#
        )
        #expect(try await fleet.plan(3) == 1)
        let answers = try await fleet.work([0])
        let counts = try #require(answers.first?["counts"] as? [String: Int])
        #expect(counts["done"] == 2 && counts["deferred"] == 1)
        #expect(try await fleet.fleet("collect").exit == 5)
        #expect(try listed(fleet).count == 1)
        #expect(fleet.job.files(in: "store/out").allSatisfy { !$0.hasSuffix(".part") })
        let read = try await ReadShards(fleet.job.folder.path("store/out"), pack: "tar")
        #expect(Set(read.groups) == ["000000001", "000000003"])
    }

    @Test(
        "a store that is a whole bucket has its outputs and its shards in it, and lists them by their names"
    )
    func wholeBucket() async throws {
        let store = try LoopbackObjectStore(buckets: [.init("fleet")], credentials: [BucketJob.keys])
        var fleet = try FleetFolder(
            2,
            store: "s3://fleet",
            dataset: #"{"pack": "tar"}"#,
            #", "destination": "s3://fleet""#
        )
        fleet.environment = BucketJob.environment(store)
        #expect(try await fleet.plan(2) == 1)
        _ = try await fleet.work([0])
        let collected = try await fleet.fleet("collect", "--state-file", "state.sqlite")
        #expect(collected.exit == 0, "\(collected.errors)")
        let list = try #require(store.object("collected/shards.txt", in: "fleet")).data
        let shards = store.objects(in: "fleet").filter { $0.hasSuffix(".tar") }
        #expect(String(decoding: list, as: UTF8.self) == shards.map { "s3://fleet/\($0)\n" }.joined())
        #expect(shards.count == 1)
    }

    @Test("shards in a bucket, whose lost attempts leave no uploads behind")
    func bucket() async throws {
        let store = try LoopbackObjectStore(buckets: [.init("fleet")], credentials: [BucketJob.keys])
        let count = 40
        let seen = Mutex<(requests: Int, program: Program?)>((0, nil))
        let pictures = try LoopbackServer.tinyPictures()
        let origin = try LoopbackServer { request in
            let program = seen.withLock { seen in
                seen.requests += 1
                return seen.requests == count / 2 ? seen.program : nil
            }
            program?.signal(SIGKILL)
            return .redirect(to: "\(pictures.address)\(request.path)")
        }
        var fleet = try FleetFolder(
            count,
            origin: origin,
            store: "s3://fleet/job",
            dataset: #"{"pack": "tar", "itemsPerFile": 4}"#
        )
        fleet.environment = BucketJob.environment(store)
        #expect(try await fleet.plan(count) == 1)
        let words = [
            "fleet", "work", "--store", "s3://fleet/job", "--partition", "0", "--scratch", "gone", "--plan",
            try fleet.hash,
        ]
        let lost = try Program("nuke-batch", words, in: fleet.job.folder.path, environment: fleet.environment)
        seen.withLock { $0.program = lost }
        #expect(await lost.wait().exit == 128 + SIGKILL)
        _ = try await fleet.work([0])
        let collected = try await fleet.fleet("collect", "--gc", "--state-file", "state.sqlite")
        #expect(collected.exit == 0, "\(collected.errors)")
        let objects = store.objects(in: "fleet")
        let text = String(
            decoding: try #require(store.object("job/collected/shards.txt", in: "fleet")).data,
            as: UTF8.self
        )
        let shards = text.split(separator: "\n").map { String($0.dropFirst("s3://fleet/".count)) }
        #expect(shards.count == 10 && objects.filter { $0.hasSuffix(".tar") }.sorted() == shards.sorted())
        #expect(objects.allSatisfy { !$0.hasSuffix(".part") })
        #expect(store.uploads.isEmpty)
    }
}
