import Files
import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Objects of a bucket as a source, through the real program.
@Suite(.timeLimit(.minutes(10))) struct ObjectListingTests {
    @Test("a listing's objects are items in the order of their keys, which are taken as they are")
    func items() async throws {
        let job = try ObjectStoreJob(#"{"objects": "s3://shop/photos/**/*.jpg"}"#)
        let keys = [
            "photos/a b+c%20.jpg", "photos/x/1.JPG", "photos/x/é=&?#.jpg", "photos/x/日本.jpg",
        ]
        for key in keys.reversed() + ["photos/x/", "photos/notes.txt", "other/1.jpg"] { try job.put(key) }
        job.store.put(Data(), key: "photos/y.jpg/", bucket: ObjectStoreJob.bucket)
        try await job.run()
        let items = try await job.job.items()
        #expect(items.map { $0["url"] as? String } == keys.map { "s3://shop/\($0)" })
        #expect(
            job.job.files() == ["a b+c%20.jpg", "x/1.jpg", "x/é=&?#.jpg", "x/日本.jpg"]
                || job.job.files().count == keys.count
        )
    }

    @Test("an unchanged bucket is listed and asked for nothing else, and changed objects are loaded again")
    func again() async throws {
        let job = try ObjectStoreJob(
            #"{"objects": "s3://shop/photos/"}"#,
            #", "cache": {"directory": "cache", "revalidate": "always"}"#
        )
        for key in ["photos/a.jpg", "photos/b.jpg", "photos/x/c.jpg"] { try job.put(key) }
        let first = try await job.operations { try await job.run() }
        #expect(first.sorted().last == "ListObjectsV2" && first.count == 4)
        #expect(try await job.operations { try await job.run() } == ["ListObjectsV2"])
        #expect(try await job.operations { try await job.run("--revalidate") } == ["ListObjectsV2"])

        let before = try job.job.data("out/a.jpg")
        try job.put("photos/a.jpg", photo: "hubble_deep_field.jpg")
        let changed = try await job.operations { try await job.run() }
        #expect(changed == ["ListObjectsV2", "GetObject photos/a.jpg"])
        #expect(try job.job.data("out/a.jpg") != before)
        #expect(try await job.operations { try await job.run() } == ["ListObjectsV2"])

        job.store.put(try Repository.photo("rocket.jpg"), key: "photos/d.jpg", bucket: ObjectStoreJob.bucket)
        let plan = try await job.nukeBatch("plan", "job.json", "--json")
        #expect(plan.output.contains(#""new":1"#), "\(plan.output)")
        #expect(
            try await job.operations { try await job.run() } == ["ListObjectsV2", "GetObject photos/d.jpg"]
        )
    }

    @Test("the log tells of each request of a listing and of a list, without secrets")
    func log() async throws {
        let job = try ObjectStoreJob(#"{"objects": "s3://shop/photos/"}, {"list": "s3://shop/urls.txt"}"#)
        try job.put("photos/a.jpg")
        job.store.put(Data("s3://shop/photos/a.jpg\n".utf8), key: "urls.txt", bucket: ObjectStoreJob.bucket)
        try await job.run()
        let log = try await job.nukeBatch("log", "job.json", "--json")
        let requests = try log.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let sent = requests.map { "\($0["method"] ?? "") \($0["url"] ?? "")" }
        #expect(sent.count == job.store.operations.count && sent.count == 4, "\(sent)")
        #expect(
            sent.contains { $0.hasPrefix("GET \(job.store.endpoint)/shop") && $0.contains("list-type") }
        )
        #expect(sent.contains("HEAD \(job.store.endpoint)/shop/urls.txt"))
        #expect(
            requests.allSatisfy { $0["error"] is NSNull && $0["status"] != nil && $0["run"] as? Int == 1 }
        )
        #expect(!log.output.contains("AKIDTEST") && !log.output.contains("se/cr+et"))
    }

    @Test("the forecast counts as to revalidate what the run asks for, and no unchanged object")
    func forecast() async throws {
        let job = try ObjectStoreJob()
        func write(width: Int) throws {
            try job.job.write(
                """
                "sources": [{"objects": "s3://shop/photos/"}], "cache": {"directory": "cache", "revalidate": "always"},
                "outputs": [{"processors": [{"resize": {"width": \(width)}}], "path": "{dir}/{stem}.{ext}"}]
                """
            )
        }
        func originals() async throws -> [String: Any] {
            let plan = try await job.nukeBatch("plan", "job.json", "--json")
            let json = try JSONSerialization.jsonObject(with: Data(plan.output.utf8)) as? [String: Any]
            return try #require(json?["originals"] as? [String: Any], "\(plan.output)\(plan.errors)")
        }
        for key in ["photos/a.jpg", "photos/b.jpg"] { try job.put(key) }
        try write(width: 8)
        #expect(try await originals()["load"] as? Int == 2)
        try await job.run()
        try write(width: 9)
        let unchanged = try await originals()
        #expect(unchanged["revalidate"] as? Int == 0 && unchanged["use"] as? Int == 2, "\(unchanged)")
        #expect(try await job.operations { try await job.run() } == ["ListObjectsV2"])
        try write(width: 10)
        try job.put("photos/a.jpg", photo: "hubble_deep_field.jpg")
        let changed = try await originals()
        #expect(changed["revalidate"] as? Int == 1 && changed["use"] as? Int == 1, "\(changed)")
        let asked = try await job.operations { try await job.run() }
        #expect(asked == ["ListObjectsV2", "GetObject photos/a.jpg"])
    }

    @Test("a job that never rechecks its originals loads a changed object all the same")
    func neverRevalidated() async throws {
        let job = try ObjectStoreJob()
        try job.put("photos/a.jpg")
        try await job.run()
        let before = try job.job.data("out/a.jpg")
        try job.put("photos/a.jpg", photo: "hubble_deep_field.jpg")
        try await job.run()
        #expect(try job.job.data("out/a.jpg") != before)
    }

    @Test("an archived object fails by name until it is restored, and what was made of it stays")
    func archived() async throws {
        let job = try ObjectStoreJob()
        try job.put("photos/a.jpg")
        try await job.run()
        try job.put("photos/a.jpg", headers: ["x-amz-storage-class": "GLACIER"])
        try job.put("photos/b.jpg", headers: ["x-amz-storage-class": "DEEP_ARCHIVE"])
        try await job.run(exit: 1)
        let message = try await job.job.items().last?["message"] as? String
        #expect(message?.contains("storage class DEEP_ARCHIVE: restore it") == true)
        #expect(try await job.job.errors() == ["-", "archived"])
        #expect(job.job.files() == ["a.jpg"])
        try job.put("photos/b.jpg")
        try await job.run()
        #expect(job.job.files() == ["a.jpg", "b.jpg"])
    }

    @Test(
        "an empty listing is a warning; a missing bucket, wrong keys and a refusal are exit 2, a dead store is exit 4"
    )
    func failures() async throws {
        let job = try ObjectStoreJob()
        let empty = try await job.run()
        let told = empty.output + empty.errors
        #expect(told.contains("the manifest has no items"))
        #expect(told.contains("sources[0].objects selects nothing of s3://shop/photos/: check"), "\(told)")
        job.store.fault = { _ in .error(status: 403, code: "AccessDenied") }
        let denied = try await job.run(exit: 2)
        #expect(denied.errors.contains("cannot list s3://shop/") && denied.errors.contains("permissions"))
        job.store.fault = { _ in nil }
        try job.write(#"{"objects": "s3://elsewhere/"}"#)
        #expect(try await job.run(exit: 2).errors.contains("check the bucket's name"))
        job.store.credentials = []
        #expect(try await job.run(exit: 2).errors.contains("check the access key"))
        try job.write(#"{"objects": "s3://shop/"}"#, #", "network": {"schemes": ["https"]}"#)
        #expect(try await job.run(exit: 2).errors.contains("add it to network.schemes"))
    }

    @Test("offline, the last plan stays in force; without one the run is refused, and nothing is asked")
    func offline() async throws {
        let job = try ObjectStoreJob()
        for key in ["photos/a.jpg", "photos/b.jpg"] { try job.put(key) }
        let refused = try await job.operations { try await job.run("--offline", exit: 2) }
        #expect(refused == [])
        try await job.run("--limit", "1", exit: 5)
        let loaded = try await job.operations { try await job.run("--offline", exit: 1) }
        #expect(loaded == [])
        #expect(try await job.job.errors() == ["-", "offline"])
    }

    @Test("partitions share a listing's items between them")
    func partitions() async throws {
        let job = try ObjectStoreJob()
        for number in 1...8 { try job.put("photos/\(number).jpg") }
        let loaded = try await job.operations {
            try await job.run("--shard", "1/2")
            try await job.run("--shard", "2/2")
        }
        #expect(loaded.filter { $0 == "ListObjectsV2" }.count == 2)
        #expect(Set(loaded).count == 9 && loaded.count == 10)
    }

    @Test("a run that is stopped while it lists ends at once, and changes nothing")
    func stopped() async throws {
        let job = try ObjectStoreJob()
        try job.put("photos/a.jpg")
        try await job.stop()
        try await job.run()
        #expect(job.job.files() == ["a.jpg"])
    }

    @Test("a storm of refusals and resets slows a listing down, and loses nothing")
    func storm() async throws {
        let job = try ObjectStoreJob()
        let keys = (100..<130).map { "photos/\($0).jpg" }
        for key in keys { try job.put(key) }
        job.store.fault = { operation in
            operation.kind == .listObjects && operation.number < 4
                ? [.slowDown, .resetInsideResponse, .emptyPage][operation.number - 1] : nil
        }
        try await job.run()
        #expect(job.job.files().count == keys.count)
    }

    @Test("outputs that lie beside their sources in a bucket are never sources of the next run")
    func besideSources() async throws {
        let job = try ObjectStoreJob()
        for key in ["photos/a.jpg", "photos/x/b.jpg"] { try job.put(key) }
        try job.job.write(
            """
            "sources": [{"objects": "s3://shop/photos/x/"}, {"objects": "s3://shop/photos/*.jpg"}],
            "outputs": [{"processors": [{"resize": {"width": 8}}], "format": "jpeg", "path": "{dir}/{stem}-8.jpg"}],
            "destination": "s3://shop/photos"
            """
        )
        let first = try await job.run()
        #expect((first.output + first.errors).contains("writes to folders that have sources"))
        let keys = job.store.objects(in: ObjectStoreJob.bucket)
        #expect(keys.count == 4, "\(keys)")
        let again = try await job.operations { try await job.run() }
        #expect(Set(again) == ["ListObjectsV2"])
        #expect(job.store.objects(in: ObjectStoreJob.bucket) == keys)
        #expect(try await job.job.items().count == 2)
    }

    @Test(
        "a listing that fails halfway names its source and plans nothing, and the next run plans everything"
    )
    func diesWhileListing() async throws {
        let job = try ObjectStoreJob()
        for number in 0..<2500 {
            job.store.put(Data([1]), key: "photos/\(10_000 + number).jpg", bucket: ObjectStoreJob.bucket)
        }
        for (code, exit): (String, Int32) in [("AccessDenied", 2), ("InternalError", 4)] {
            let status = exit == 2 ? 403 : 500
            job.store.fault = { operation in
                (operation.parameter("start-after") ?? "") > "photos/11500"
                    ? .error(status: status, code: code) : nil
            }
            let failed = try await job.run("--limit", "1", exit: exit)
            #expect(failed.errors.contains("sources[0].objects: cannot list s3://shop/"), "\(failed.errors)")
        }
        job.store.fault = { _ in nil }
        let loaded = try await job.operations {
            _ = try await job.nukeBatch("run", "job.json", "--limit", "1")
        }
        #expect(
            loaded.filter { $0 == "ListObjectsV2" }.count >= 3
                && loaded.contains("GetObject photos/10000.jpg")
        )
        let plan = try await job.nukeBatch("plan", "job.json", "--json")
        #expect(plan.output.contains(#""items":2500"#) && plan.output.contains(#""new":0"#), "\(plan.output)")
    }

    @Test("a list in a bucket is streamed, and read again only if its entity tag changes")
    func list() async throws {
        let job = try ObjectStoreJob(
            #"{"list": "s3://shop/lists/urls.csv.gz", "columns": {"url": "image", "id": "sku"}}"#
        )
        for key in ["photos/a.jpg", "photos/b.jpg"] { try job.put(key) }
        func putList(_ rows: [String]) async throws {
            try job.job.folder.write("sku,image\n" + rows.joined(separator: "\n") + "\n", to: "urls.csv")
            let zipped = try await Program(path: "/bin/gzip", ["-f", "urls.csv"], in: job.job.folder.path)
                .wait()
            #expect(zipped.exit == 0)
            job.store.put(
                try job.job.data("urls.csv.gz"),
                key: "lists/urls.csv.gz",
                bucket: ObjectStoreJob.bucket
            )
        }
        let missing = try await job.run(exit: 2)
        #expect(missing.errors.contains("cannot read s3://shop/lists/urls.csv.gz"))
        try await putList(["a-1,s3://shop/photos/a.jpg"])
        let list = "Object lists/urls.csv.gz"
        let first = try await job.operations { try await job.run() }
        #expect(first == ["Head" + list, "Get" + list, "GetObject photos/a.jpg"])
        #expect(try await job.operations { try await job.run() } == ["Head" + list])
        try await putList(["a-1,s3://shop/photos/a.jpg", "b-2,s3://shop/photos/b.jpg"])
        let second = try await job.operations { try await job.run() }
        #expect(second == ["Head" + list, "Get" + list, "GetObject photos/b.jpg"])
        #expect(try await job.job.items().map { $0["id"] as? String } == ["a-1", "b-2"])
    }

    @Test("a list of several pieces is whole in spite of resets, and one that changes meanwhile is refused")
    func longList() async throws {
        let job = try ObjectStoreJob(#"{"list": "s3://shop/urls.txt"}"#)
        try job.put("photos/a.jpg")
        let comment = "# " + String(repeating: "x", count: 998) + "\n"
        let text = String(repeating: comment, count: 9000) + "s3://shop/photos/a.jpg\n"
        job.store.put(Data(text.utf8), key: "urls.txt", bucket: ObjectStoreJob.bucket)
        job.store.fault = { operation in
            operation.key == "urls.txt" && operation.kind == .getObject && operation.number % 2 == 1
                ? .resetInsideResponse : nil
        }
        try await job.run()
        #expect(job.job.files() == ["photos/a.jpg"])
        let store = job.store
        store.put(Data(text.utf8) + Data("#".utf8), key: "urls.txt", bucket: ObjectStoreJob.bucket)
        store.fault = { operation in
            if operation.kind == .getObject {
                store.put(Data("# other".utf8), key: "urls.txt", bucket: ObjectStoreJob.bucket)
            }
            return nil
        }
        let changed = try await job.run(exit: 1).output
        #expect(changed.contains("changed while it was read; the run works on the last plan"), "\(changed)")
    }

    @Test("an inventory takes the place of a listing, and its digests are checked")
    func inventory() async throws {
        let job = try ObjectStoreJob(
            #"{"objects": "s3://shop/inventory/manifest.json", "exclude": "drafts"}"#
        )
        let keys = ["photos/a b+c.jpg", "photos/é.jpg"]
        for key in keys { try job.put(key) }
        let etags = keys.map {
            (job.store.object($0, in: ObjectStoreJob.bucket)?.etag ?? "").replacing("\"", with: "")
        }
        let rows = [
            #""shop","photos/a+b%2Bc.jpg","true","false","9","\#(etags[0])","STANDARD""#,
            #""shop","photos/%C3%A9.jpg","true","false","9","\#(etags[1])","STANDARD""#,
            #""shop","photos/old.jpg","false","false","9","x","STANDARD""#,
            #""shop","photos/gone.jpg","true","true","","","""#,
            #""shop","photos/","true","false","0","x","STANDARD""#,
            #""shop","photos/notes.txt","true","false","9","x","STANDARD""#,
            #""shop","drafts/d.jpg","true","false","9","x","STANDARD""#,
            #""shop","photos/z.jpg","true","false","9","x","GLACIER""#,
        ]
        try job.job.folder.write(rows.joined(separator: "\n") + "\n", to: "part.csv")
        #expect(try await Program(path: "/bin/gzip", ["part.csv"], in: job.job.folder.path).wait().exit == 0)
        let part = try job.job.data("part.csv.gz")
        func putManifest(md5: String, format: String = "CSV") {
            let text = """
                {"sourceBucket": "shop", "destinationBucket": "arn:aws:s3:::shop", "version": "2016-11-30",
                 "fileFormat": "\(format)", "fileSchema": "Bucket, Key, IsLatest, IsDeleteMarker, Size, ETag, StorageClass",
                 "files": [{"key": "inventory/data/part.csv.gz", "size": \(part.count), "MD5checksum": "\(md5)"}]}
                """
            job.store.put(Data(text.utf8), key: "inventory/manifest.json", bucket: ObjectStoreJob.bucket)
        }
        job.store.put(part, key: "inventory/data/part.csv.gz", bucket: ObjectStoreJob.bucket)
        putManifest(md5: String(repeating: "0", count: 32))
        #expect(try await job.run(exit: 2).errors.contains("does not have the MD5"))
        putManifest(md5: Digest.md5.hex(of: part), format: "ORC")
        #expect(try await job.run(exit: 2).errors.contains("an inventory in ORC, which is not supported"))
        putManifest(md5: Digest.md5.hex(of: part))
        let first = try await job.operations { try await job.run(exit: 1) }
        #expect(!first.contains("ListObjectsV2") && first.contains("GetObject photos/é.jpg"))
        #expect(
            try await job.job.items().map { $0["url"] as? String }
                == (keys + ["photos/z.jpg"]).map { "s3://shop/\($0)" }
        )
        #expect(try await job.job.errors() == ["-", "-", "archived"])

        // The listing tells the same of each object, so that nothing is loaded again.
        try job.write(#"{"objects": "s3://shop/photos/"}"#)
        #expect(try await job.operations { try await job.run() } == ["ListObjectsV2"])
    }

    @Test("a folder or a pattern of a bucket is a source on the command line")
    func argument() async throws {
        let job = try ObjectStoreJob()
        for key in ["photos/a.jpg", "photos/x/b.jpg", "other.jpg"] { try job.put(key) }
        let outcome = try await job.nukeBatch("resize", "s3://shop/photos/", "--width", "8", "-o", "small")
        #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
        #expect(job.job.files(in: "small").filter { $0.hasSuffix(".jpg") }.count == 2)
        let draft = try await job.operations {
            let outcome = try await job.nukeBatch("init", "s3://shop/photos/*.jpg", "-o", "made.json")
            #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
        }
        #expect(draft == [])
        let text = String(decoding: try job.job.data("made.json"), as: UTF8.self)
        #expect(text.contains(#""objects": "s3://shop/photos/*.jpg""#), "\(text)")
    }
}
