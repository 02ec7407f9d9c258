import Files
import Foundation
import JobFixtures
import JobManifest
import JobStorage
import ObjectStorage
import TestSupport
import Testing

@testable import JobPlanning

/// Objects in the bucket of the destination that the job has written itself.
@Suite struct OwnObjectsTests {
    private let folder: ManifestFolder

    init() throws {
        folder = try ManifestFolder()
    }

    /// Plans the objects with these keys.
    /// - Returns: The keys that are items, and the warnings.
    private func plan(
        _ keys: [String],
        of pattern: String,
        to path: String,
        in destination: String,
        recorded: [String] = [],
        more: String = ""
    ) throws -> (items: [String], warnings: [String]) {
        let manifest = try folder.read(
            """
            {"sources": [{"objects": "\(pattern)"}], "destination": "\(destination)", "cache": {"directory": "cache"},
             "outputs": [{"path": "\(path)", "format": "jpeg"}]\(more)}
            """
        )
        guard case .objects(let selection) = try #require(manifest.sources.first).kind else {
            return ([], [])
        }
        var matcher = ObjectMatcher(selection, bucket: "b", own: manifest.ownPrefix(in: "b", of: selection))
        let bucket = ListedBucket(
            bucket: "b",
            objects: try ListedObjects(in: Folder(path: folder.folder.path))
        )
        let selected = keys.sorted().map { ObjectPage.Entry(key: $0, facts: ObjectFacts(size: 1, etag: "e")) }
            .filter { matcher.selects($0) }
        let others = selected.filter { !matcher.isOwn($0.key) }
        bucket.leaveOut(selected.count - others.count)
        bucket.objects.add([try bucket.objects.store(others)])
        bucket.objects.end(.success(keys.count))
        var loaded = LoadedSources()
        loaded.objects[0] = [bucket]
        let store = try JobStore(path: folder.folder.path("\(UUID().uuidString).sqlite"))
        defer { store.close() }
        let summary = try Planner(manifest, RunOptions(), loaded: loaded).plan(into: store)
        var items: [String] = []
        try store.reader.forEachItem { items.append(String($0.url.dropFirst("s3://b/".count))) }
        return (items, summary.warnings)
    }

    @Test("everything in the destination is the job's own, if the sources lie around it or beside it")
    func around() throws {
        let keys = ["photos/a.jpg", "photos/out/a.jpg", "photos/out/x/b.jpg", "photos/outer.jpg"]
        for (destination, pattern) in [
            ("s3://b/photos/out", "s3://b/photos/"), ("s3://b/photos/out", "s3://b/**/*.jpg"),
            ("s3://b/photos/out", "s3://b/photos/out*/**/*.jpg"),
        ] {
            let plan = try plan(keys, of: pattern, to: "{stem}.jpg", in: destination)
            let expected = pattern.contains("*/**") ? [] : ["photos/a.jpg", "photos/outer.jpg"]
            #expect(plan.items == expected, "\(pattern)")
            #expect(plan.warnings.contains { $0.hasPrefix("2 files were left out") }, "\(plan.warnings)")
        }
        let elsewhere = try plan(keys, of: "s3://b/photos/", to: "{stem}.jpg", in: "s3://c/photos/out")
        #expect(elsewhere.items.count == 4, "the control: another bucket")
    }

    @Test("sources in the destination are sources, and outputs in a folder of their own are not")
    func inside() throws {
        let keys = [
            "photos/out/x/a.jpg", "photos/out/x/small/a.jpg", "photos/out/small/a.jpg",
            "photos/out/index.json",
        ]
        let beside = try plan(
            keys,
            of: "s3://b/photos/out/x/**",
            to: "small/{index}.jpg",
            in: "s3://b/photos/out"
        )
        #expect(
            beside.items == ["photos/out/x/a.jpg", "photos/out/x/small/a.jpg"] && beside.warnings.isEmpty
        )
        let within = try plan(
            keys,
            of: "s3://b/photos/out/x/**",
            to: "x/small/{stem}.jpg",
            in: "s3://b/photos/out"
        )
        #expect(within.items == ["photos/out/x/a.jpg"])
        #expect(within.warnings.contains { $0.hasPrefix("1 file was left out") }, "\(within.warnings)")
        let whole = try plan(keys, of: "s3://b/**/*.jpg", to: "photos/out/small/{stem}.jpg", in: "s3://b")
        #expect(
            whole.items == ["photos/out/x/a.jpg", "photos/out/x/small/a.jpg"],
            "the whole bucket is both"
        )
    }

    @Test("markup, the index and shards in the folder of the sources are no sources")
    func others() throws {
        let keys = ["x/00001.tar", "x/a.jpg", "x/list.csv", "x/y/00001.tar"]
        let plan = try plan(
            keys,
            of: "s3://b/x/**",
            to: "{stem}.jpg",
            in: "s3://b/x",
            more: #", "dataset": {"pack": "tar", "index": "list.csv"}"#
        )
        #expect(plan.items == ["x/a.jpg", "x/y/00001.tar"])
    }

    @Test("outputs that can lie beside the sources are warned of, since only the state tells them apart")
    func mixed() throws {
        let plan = try plan(["x/a.jpg"], of: "s3://b/x/", to: "{dir}/{stem}-small.jpg", in: "s3://b/x")
        #expect(plan.items == ["x/a.jpg"])
        #expect(plan.warnings.first?.contains("writes to folders that have sources") == true)
    }
}
