import Files
import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Lists and inventories in Parquet that are objects of a bucket.
@Suite(.timeLimit(.minutes(10))) struct ParquetObjectTests {
    private let job: ObjectStoreJob

    init() throws {
        job = try ObjectStoreJob()
        for key in ["photos/a.jpg", "photos/b.jpg", "photos/c.jpg"] { try job.put(key) }
    }

    /// Stores the table that the Python expression `columns` describes, and returns its bytes.
    @discardableResult
    private func table(_ columns: String, at key: String, options: String = "") async throws -> Data {
        let script = "pq.write_table(pa.table(\(columns)), sys.argv[1]\(options))"
        let done = try await ParquetInstallation.run(script, ["table"], in: job.job.folder.path)
        try #require(done.exit == 0, "\(done.errors)")
        let data = try job.job.data("table")
        job.store.put(data, key: key, bucket: ObjectStoreJob.bucket)
        return data
    }

    private func write(_ list: String, columns: String = "", path: String = "{id}.{ext}") throws {
        try job.job.write(
            """
            "sources": [{"list": "\(list)"\(columns)}],
            "outputs": [{"processors": [{"resize": {"width": 8}}], "format": "png", "path": "\(path)"}]
            """
        )
    }

    private func nukeBatch(
        _ words: String...,
        exit: Int32 = 0,
        environment: [String: String] = ParquetInstallation.environment,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Program.Outcome {
        let all = job.environment.merging(environment) { $1 }
        let outcome = try await Program.run("nuke-batch", words, in: job.job.folder.path, environment: all)
        #expect(outcome.exit == exit, "\(outcome.output)\(outcome.errors)", sourceLocation: location)
        return outcome
    }

    @Test("a list in a bucket is copied and read, and is fetched again only if its entity tag changes")
    func list() async throws {
        try await table(
            #"{"image": ["s3://shop/photos/a.jpg", None, "s3://shop/photos/b.jpg"], "sku": [7, 8, 9]}"#,
            at: "lists/urls.parquet"
        )
        try write("s3://shop/lists/urls.parquet", columns: #", "columns": {"url": "image", "id": "sku"}"#)
        let first = try await job.operations { _ = try await nukeBatch("run", "job.json", exit: 1) }
        #expect(first.prefix(2) == ["HeadObject lists/urls.parquet", "GetObject lists/urls.parquet"])
        #expect(first.dropFirst(2).sorted() == ["GetObject photos/a.jpg", "GetObject photos/b.jpg"])
        #expect(job.job.files() == ["7.png", "9.png"])
        let items = try ToldJob.objects(try await nukeBatch("export", "job.json", "--json"))
        #expect(
            items.map { $0["location"] as? String } == (1...3).map { "s3://shop/lists/urls.parquet:\($0)" }
        )
        #expect(try await job.job.errors() == ["-", "bad_url", "-"])

        let again = try await job.operations { _ = try await nukeBatch("run", "job.json", exit: 1) }
        #expect(again == ["HeadObject lists/urls.parquet"])
        try await table(#"{"image": ["s3://shop/photos/c.jpg"], "sku": [10]}"#, at: "lists/urls.parquet")
        let plan = try await nukeBatch("plan", "job.json", "--json")
        #expect(plan.output.contains(#""new":1"#), "\(plan.output)")
        _ = try await nukeBatch("run", "job.json")
        #expect(job.job.files().contains("10.png"))
        let beside = try FileManager.default.contentsOfDirectory(atPath: job.job.folder.path(".nuke-batch"))
        #expect(beside.allSatisfy { $0.hasPrefix("job.") && !$0.hasPrefix("job.sitemaps") }, "\(beside)")
    }

    @Test("the objects that a glob matches are read in the order of their keys, one copy at a time")
    func globs() async throws {
        for (number, name) in ["b", "a", "c"].enumerated() {
            try await table(
                #"{"url": ["s3://shop/photos/\#(name).jpg"], "id": ["\#(name)"]}"#,
                at: "train-0000\(number)-of-00003.parquet"
            )
        }
        try await table(#"{"url": ["s3://shop/photos/a.jpg"]}"#, at: "test-00000-of-00001.parquet")
        try write("s3://shop/train-*-of-00003.parquet")
        let first = try await job.operations { _ = try await nukeBatch("run", "job.json") }
        let parts = (0..<3).map { "GetObject train-0000\($0)-of-00003.parquet" }
        #expect(first.filter { $0.hasSuffix(".parquet") } == parts, "\(first)")
        let items = try ToldJob.objects(try await nukeBatch("export", "job.json", "--json"))
        #expect(items.map { $0["id"] as? String } == ["b", "a", "c"])
        #expect(
            items.map { $0["location"] as? String }
                == (0..<3).map { "s3://shop/train-0000\($0)-of-00003.parquet:1" }
        )
        let again = try await job.operations { _ = try await nukeBatch("run", "job.json") }
        #expect(again == ["ListObjectsV2"])
        try await table(
            #"{"url": ["s3://shop/photos/c.jpg"], "id": ["d"]}"#,
            at: "train-00001-of-00003.parquet"
        )
        _ = try await nukeBatch("run", "job.json")
        #expect(job.job.files().contains("d.png"))
        try write("s3://shop/other-*.parquet")
        let none = try await nukeBatch("run", "job.json", exit: 2)
        #expect(none.errors.contains("s3://shop/other-*.parquet: matches no object"), "\(none.errors)")
    }

    @Test("everything that is wrong with a list in a bucket is named, and nothing is planned")
    func wrong() async throws {
        let name = "s3://shop/lists/urls.parquet"
        try write(name)
        for command in ["validate", "plan", "run"] {
            let gone = try await nukeBatch(
                command,
                "job.json",
                exit: 2,
                environment: ["PATH": "/nowhere", "NUKE_BATCH_PARQUET": ""]
            )
            #expect(
                (gone.output + gone.errors).contains(
                    "\(name): Parquet needs nuke-batch-parquet, which is not installed"
                ),
                "\(gone.output)\(gone.errors)"
            )
        }
        #expect(job.store.operations.isEmpty)
        let missing = try await nukeBatch("run", "job.json", exit: 2)
        #expect(missing.errors.contains("cannot read \(name)"), "\(missing.errors)")
        let whole = try await table(
            #"{"link": ["s3://shop/photos/%d.jpg" % n for n in range(400000)]}"#,
            at: "lists/urls.parquet",
            options: ", compression='none', use_dictionary=False"
        )
        #expect(whole.count > 8 << 20)
        let column = try await nukeBatch("run", "job.json", exit: 2)
        #expect(column.errors.contains(#"\#(name): has no column "url", only "link""#), "\(column.errors)")
        try write(name, columns: #", "columns": {"url": "link"}"#)
        for length in [0, 4, whole.count / 2, whole.count - 1] {
            job.store.put(whole.prefix(length), key: "lists/urls.parquet", bucket: ObjectStoreJob.bucket)
            let cut = try await nukeBatch("run", "job.json", exit: 2)
            #expect(
                cut.errors.contains("\(name): the Parquet data is damaged or truncated"),
                "\(length): \(cut.errors)"
            )
        }
        let store = job.store
        store.put(whole, key: "lists/urls.parquet", bucket: ObjectStoreJob.bucket)
        store.fault = { operation in
            if operation.kind == .getObject {
                store.put(whole + Data([0]), key: "lists/urls.parquet", bucket: ObjectStoreJob.bucket)
            }
            return nil
        }
        let changed = try await nukeBatch("run", "job.json", exit: 2)
        #expect(changed.errors.contains("it was changed while it was read"), "\(changed.errors)")
        store.fault = { _ in .error(status: 403, code: "AccessDenied") }
        let denied = try await nukeBatch("run", "job.json", exit: 2)
        #expect(denied.errors.contains("cannot read \(name)"), "\(denied.errors)")
        store.fault = { _ in nil }
        #expect(job.job.files().isEmpty)
    }

    @Test("resets and refusals while a list is copied cost nothing but time")
    func storm() async throws {
        try await table(
            #"{"url": ["s3://shop/photos/a.jpg"] * 300000, "id": ["%032d" % n for n in range(300000)]}"#,
            at: "urls.parquet",
            options: ", compression='none', use_dictionary=False"
        )
        try write("s3://shop/urls.parquet")
        job.store.fault = { operation in
            guard operation.key == "urls.parquet", operation.kind == .getObject else { return nil }
            return [1: .resetInsideResponse, 2: .slowDown, 4: .resetBefore][operation.number]
        }
        let plan = try await nukeBatch("plan", "job.json")
        #expect(plan.lines.first == "300000 items", "\(plan.output)")
    }

    @Test("a run that is stopped while it copies a list ends at once, and plans nothing")
    func stopped() async throws {
        try await table(#"{"url": ["s3://shop/photos/a.jpg"], "id": ["a"]}"#, at: "urls.parquet")
        try write("s3://shop/urls.parquet")
        try await job.stop(environment: ParquetInstallation.environment) { $0.kind == .getObject }
        _ = try await nukeBatch("run", "job.json")
        #expect(job.job.files() == ["a.png"])
    }

    @Test("an inventory in Parquet tells what one in CSV and a listing tell; its keys are as they are")
    func inventory() async throws {
        let keys = ["photos/a b+c%20.jpg", "photos/a.jpg", "photos/b.jpg", "photos/c.jpg", "photos/é.jpg"]
        for key in [keys[0], keys[4]] { try job.put(key) }
        let etags = keys.map {
            (job.store.object($0, in: ObjectStoreJob.bucket)?.etag ?? "").replacing("\"", with: "")
        }
        let rows = zip(keys, etags).map { #"("shop", "\#($0)", True, False, 9, "\#($1)", "STANDARD")"# }
        let others = [
            #"("shop", "photos/old.jpg", False, False, 9, "x", "STANDARD")"#,
            #"("shop", "photos/gone.jpg", True, True, None, None, None)"#,
            #"("shop", "photos/z.jpg", True, False, 9, "x", "GLACIER")"#,
        ]
        // The schema of the Amazon S3 User Guide, with a column that nobody needs.
        let names =
            #"["bucket", "key", "is_latest", "is_delete_marker", "size", "e_tag", "storage_class"]"#
        let part = try await table(
            #"dict(zip(\#(names), map(list, zip(\#((rows + others).joined(separator: ", ")))))) | "#
                + #"{"last_modified_date": pa.array([0] * \#(rows.count + 3), pa.timestamp("ms", "UTC"))}"#,
            at: "inventory/data/part.parquet"
        )
        func putManifest(format: String, md5: String) {
            let text = """
                {"sourceBucket": "shop", "destinationBucket": "arn:aws:s3:::shop", "version": "2016-11-30",
                 "fileFormat": "\(format)", "fileSchema": "message s3.inventory { required binary bucket (UTF8); }",
                 "files": [{"key": "inventory/data/part.parquet", "size": \(part.count), "MD5checksum": "\(md5)"}]}
                """
            job.store.put(Data(text.utf8), key: "inventory/manifest.json", bucket: ObjectStoreJob.bucket)
        }
        try job.write(#"{"objects": "s3://shop/inventory/manifest.json"}"#)
        putManifest(format: "ORC", md5: Digest.md5.hex(of: part))
        let orc = try await nukeBatch("run", "job.json", exit: 2)
        #expect(orc.errors.contains("an inventory in ORC, which is not supported"), "\(orc.errors)")
        putManifest(format: "Parquet", md5: String(repeating: "0", count: 32))
        let damaged = try await nukeBatch("run", "job.json", exit: 2)
        #expect(damaged.errors.contains("does not have the MD5"), "\(damaged.errors)")
        putManifest(format: "Parquet", md5: Digest.md5.hex(of: part))
        let gone = try await nukeBatch(
            "run",
            "job.json",
            exit: 2,
            environment: ["PATH": "/nowhere", "NUKE_BATCH_PARQUET": ""]
        )
        #expect(gone.errors.contains("run pipx install nuke-batch-parquet"), "\(gone.errors)")

        let first = try await job.operations { _ = try await nukeBatch("run", "job.json", exit: 1) }
        #expect(!first.contains("ListObjectsV2") && first.contains("GetObject photos/é.jpg"))
        let urls = try await job.job.items().map { $0["url"] as? String }
        #expect(urls == (keys + ["photos/z.jpg"]).map { "s3://shop/\($0)" })
        #expect(try await job.job.errors() == ["-", "-", "-", "-", "-", "archived"])
        // The listing tells the same of each object, so that nothing is loaded again.
        try job.write(#"{"objects": "s3://shop/photos/"}"#)
        #expect(try await job.operations { _ = try await nukeBatch("run", "job.json") } == ["ListObjectsV2"])
    }

    @Test("doctor lists the folder of a list in several objects")
    func doctor() async throws {
        try await table(#"{"url": ["s3://shop/photos/a.jpg"], "id": ["a"]}"#, at: "lists/day-1.parquet")
        try write("s3://shop/lists/day-*.parquet")
        let told = try await nukeBatch("doctor", "job.json")
        #expect(told.output.contains("s3://shop/lists/day- can be listed"), "\(told.output)")
    }

    @Test("an export is written to a bucket as it is to a file")
    func export() async throws {
        try await table(#"{"url": ["s3://shop/photos/a.jpg"], "id": ["a"]}"#, at: "urls.parquet")
        try write("s3://shop/urls.parquet")
        _ = try await nukeBatch("run", "job.json")
        _ = try await nukeBatch("export", "job.json", "--parquet", "export.parquet")
        _ = try await nukeBatch("export", "job.json", "--parquet", "s3://shop/exports/items.parquet")
        let object = try #require(job.store.object("exports/items.parquet", in: ObjectStoreJob.bucket))
        #expect(object.headers["content-type"] == "application/vnd.apache.parquet")
        #expect(try object.data == job.job.data("export.parquet"))
        let bucket = try await nukeBatch("export", "job.json", "--parquet", "s3://shop", exit: 2)
        #expect(bucket.errors.contains("--parquet names no object: write s3://bucket/key"))
        job.store.fault = { _ in .error(status: 403, code: "AccessDenied") }
        let denied = try await nukeBatch("export", "job.json", "--parquet", "s3://shop/x.parquet", exit: 4)
        #expect(denied.errors.contains("cannot write s3://shop/x.parquet"), "\(denied.errors)")
    }

    @Test("an inventory in Parquet that is no Parquet, or lacks a column, is named")
    func wrongInventories() async throws {
        try job.write(#"{"objects": "s3://shop/inventory/manifest.json"}"#)
        let cases = [
            (#"{"key": ["a.jpg"], "e_tag": ["x"]}"#, #"has no column "bucket""#),
            (#"{"bucket": ["shop"], "key": ["a.jpg"]}"#, "does not tell when an object changes"),
            (#"{"bucket": ["other"], "key": ["a.jpg"], "e_tag": ["x"]}"#, "is of another bucket than shop"),
        ]
        func check(_ part: Data, _ told: String) async throws {
            let text = """
                {"sourceBucket": "shop", "fileFormat": "Parquet", "fileSchema": "",
                 "files": [{"key": "part.parquet", "MD5checksum": "\(Digest.md5.hex(of: part))"}]}
                """
            job.store.put(Data(text.utf8), key: "inventory/manifest.json", bucket: ObjectStoreJob.bucket)
            job.store.put(part, key: "part.parquet", bucket: ObjectStoreJob.bucket)
            let run = try await nukeBatch("run", "job.json", exit: 2)
            #expect(run.errors.contains("part.parquet") && run.errors.contains(told), "\(run.errors)")
        }
        for (columns, told) in cases { try await check(try await table(columns, at: "part.parquet"), told) }
        try await check(Data("no Parquet".utf8), "the Parquet data is damaged or truncated")
    }
}
