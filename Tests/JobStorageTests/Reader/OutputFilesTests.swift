import Files
import JobStorage
import SQLite
import TestSupport
import Testing

/// The files that the state knows: wanted, orphaned and shared ones.
@Suite(.timeLimit(.minutes(10))) struct OutputFilesTests {
    private let large = OutputRecipe(source: 0, output: "large", recipe: "width 1024")

    /// Four items that are done, each with a small and a large output.
    private func finishedJob() async throws -> (TestJob, JobStore) {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...4).map { row($0) }, recipes: [small, large])
        _ = try store.beginRun(version: "1")
        try await store.finishAll([small, large])
        return (job, store)
    }

    private func wanted(_ store: JobStore) throws -> [String] {
        var paths: [String] = []
        var page = try store.reader.files()
        while let last = page.last {
            paths += page.map(\.path)
            page = try store.reader.files(after: last)
        }
        return paths
    }

    /// The outputs that a run would make and keep, and orphaned ones.
    private func counts(_ store: JobStore) throws -> [Int] {
        let counts = try store.reader.outputCounts()
        return [counts.make, counts.keep, counts.prune]
    }

    @Test("each wanted file comes once, with its size and hash")
    func files() async throws {
        let (_, store) = try await finishedJob()
        #expect(
            try wanted(store) == (1...4).flatMap { ["large/\($0).jpg", "small/\($0).jpg"] }
        )
        let first = try store.reader.files().first
        #expect(first?.url == row(1).url && first?.name == "large" && first?.bytes == 4000)
        #expect(first?.sha256 == String(repeating: "a1", count: 32))
        #expect(first?.isShared == true && first?.shardOffset == nil)
        try store.plan([row(1), row(2)], recipes: [small])
        #expect(try wanted(store) == ["small/1.jpg", "small/2.jpg"])
        try store.plan([row(1)], recipes: [OutputRecipe(source: 0, output: "small", recipe: "width 1")])
        #expect(try wanted(store).isEmpty, "a file of another recipe is about to be replaced")
    }

    @Test("files over several pages come once each")
    func pages() async throws {
        let store = try TestJob().open()
        try store.plan((1...1100).map { row($0) }, recipes: [small, large])
        _ = try store.beginRun(version: "1")
        try await store.finishAll([small, large])
        let paths = try wanted(store)
        #expect(paths.count == 2200 && Set(paths).count == 2200)
    }

    @Test("each written file comes once, over several pages, also one that is orphaned")
    func written() async throws {
        let store = try TestJob().open()
        try store.plan((1...5100).map { row($0) }, recipes: [small, large])
        _ = try store.beginRun(version: "1")
        try await store.finishAll([small, large])
        try store.plan([row(1)], recipes: [small])
        var paths: [String] = []
        try store.reader.forEachFile { path, sha256 in
            paths.append(path)
            if sha256 != String(repeating: "a1", count: 32) { Issue.record("\(path): \(sha256)") }
        }
        #expect(paths.count == 10_200 && Set(paths).count == 10_200)
        #expect(try store.reader.clashingPaths(limit: 1).isEmpty)
    }

    @Test("orphaned files are those of items and outputs that left the manifest")
    func orphans() async throws {
        let (job, store) = try await finishedJob()
        #expect(try store.reader.unwantedFiles().isEmpty)
        try store.plan((1...3).map { row($0) }, recipes: [large])
        let orphans = try store.reader.unwantedFiles()
        #expect(orphans.map(\.path) == ["large/4.jpg"] + (1...4).map { "small/\($0).jpg" })
        #expect(orphans.allSatisfy { !$0.isShared })
        #expect(try counts(store) == [0, 3, 5])

        try store.forget(Array(orphans.prefix(2)))
        #expect(try store.reader.unwantedFiles().map(\.path) == (2...4).map { "small/\($0).jpg" })
        // A file that is wanted again in the meantime is not forgotten.
        try store.plan((1...4).map { row($0) }, recipes: [small, large])
        try store.forget(orphans)
        #expect(try job.integer("SELECT count(*) FROM output WHERE path = 'small/2.jpg'") == 1)
    }

    @Test("a file that another output now uses is orphaned but shared")
    func shared() async throws {
        let store = try TestJob().open()
        try store.plan([row(1), row(2)])
        _ = try store.beginRun(version: "1")
        for item in try await store.claim(limit: 2) {
            var result = done(item)
            result.outputs[0].path = "small/same.jpg"
            try await store.record(result, of: item)
        }
        try store.plan([row(2)])
        let orphan = try #require(try store.reader.unwantedFiles().first)
        #expect(orphan.path == "small/same.jpg" && orphan.isShared)
    }

    @Test("the former file of an output that moved is orphaned until it is forgotten")
    func leftovers() async throws {
        let (job, store) = try await finishedJob()
        try store.requeueFinished()
        let item = try #require(try await store.claim(limit: 1).first)
        var result = done(item, [small, large])
        result.outputs[0].path = "elsewhere/1.jpg"
        try await store.record(result, of: item)
        let orphans = try store.reader.unwantedFiles()
        #expect(orphans.map(\.path) == ["small/1.jpg"] && orphans.map(\.bytes) == [4000])
        #expect(try store.reader.outputCounts().prune == 1)
        try store.forget(orphans)
        #expect(try store.reader.unwantedFiles().isEmpty)
        #expect(try job.integer("SELECT count(*) FROM leftover") == 0)
        #expect(try job.integer("SELECT count(*) FROM output") == 8)
    }

    @Test(
        "an output that fails keeps its file while the manifest asks for it, unless another row has the path"
    )
    func failed() async throws {
        let (job, store) = try await finishedJob()
        try store.requeueFinished()
        for (item, reason) in zip(
            try await store.claim(limit: 3),
            ["processing: no", "collision: taken", nil]
        ) {
            var result = done(item, [small, large])
            result.outputs[0] = OutputRecord(
                name: "small",
                recipe: small.recipe,
                state: reason == nil ? .skipped : .failed,
                reason: reason ?? "when"
            )
            try await store.record(result, of: item)
        }
        #expect(try store.reader.unwantedFiles().map(\.path) == ["small/2.jpg", "small/3.jpg"])
        #expect(try store.reader.outputCounts().prune == 2)
        #expect(
            try store.reader.wantedPaths(among: [BytePath("small/1.jpg"), BytePath("small/2.jpg")]) == [
                BytePath("small/1.jpg")
            ]
        )
        try store.plan((2...4).map { row($0) }, recipes: [small, large])
        #expect(try store.reader.unwantedFiles().map(\.path).contains("small/1.jpg"))
        try store.plan((1...4).map { row($0) }, recipes: [small, large])
        // Made again, it is no leftover.
        try store.requeueFinished()
        for item in try await store.claim(limit: 4) {
            try await store.record(done(item, [small, large]), of: item)
        }
        #expect(try job.integer("SELECT count(*) FROM leftover") == 0)
    }

    @Test(
        "a file that was announced is known and wanted until it is recorded, and orphaned once its item leaves"
    )
    func announced() async throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan([row(1), row(2)])
        _ = try store.beginRun(version: "1")
        let items = try await store.claim(limit: 2)
        for item in items {
            let made = try #require(done(item).outputs.first)
            #expect(try await store.filesWritten(to: made.path ?? "").isEmpty)
            try await store.announce(made, of: item.itemID)
            let written = try await store.filesWritten(to: made.path ?? "")
            #expect(written.map(\.bytes) == [4000] && written.map(\.sha256) == [made.sha256])
        }
        var known: [String] = []
        try store.reader.forEachOutputPath { known.append($0) }
        #expect(known.sorted() == ["small/1.jpg", "small/2.jpg"])
        #expect(try store.reader.unwantedFiles().isEmpty)
        try await store.record(done(items[0]), of: items[0])
        #expect(try job.integer("SELECT count(*) FROM leftover") == 1)
        #expect(try await store.filesWritten(to: "small/1.jpg").count == 1, "of the record")
        try store.endRun(exit: 4)
        try store.plan([row(1)])
        let orphans = try store.reader.unwantedFiles()
        #expect(orphans.map(\.path) == ["small/2.jpg"] && orphans.map(\.bytes) == [4000])
    }

    @Test("outputs are counted by what a run would do, also with unequal sources")
    func outputCounts() async throws {
        let (_, store) = try await finishedJob()
        #expect(try counts(store) == [0, 8, 0])
        try store.plan((1...6).map { row($0) }, recipes: [small, large])
        #expect(try counts(store) == [4, 8, 0])
        try store.requeueFinished()
        #expect(try counts(store) == [4, 8, 0])

        let other = OutputRecipe(source: 1, output: "other", recipe: "width 5")
        try store.plan((1...6).map { row($0) } + [row(7, source: 1)], recipes: [small, large, other])
        #expect(try counts(store) == [5, 8, 0])
    }

    @Test("a path is taken by a finished, listed output with other bytes, of another item")
    func collisions() async throws {
        let (_, store) = try await finishedJob()
        let hash = String(repeating: "a1", count: 32)
        let other = String(repeating: "b2", count: 32)
        let items = try store.reader.items()
        func isTaken(_ path: String, _ sha256: String, by item: Int) async throws -> Bool {
            let id = items[item].itemID
            return try await store.hasOutput(at: path, otherThan: sha256, notOf: id, making: ["small"])
        }
        #expect(try await isTaken("small/1.jpg", other, by: 1))
        #expect(try await !isTaken("small/1.jpg", hash, by: 1), "equal bytes share a file")
        #expect(try await !isTaken("small/1.jpg", other, by: 0), "it is the item's own")
        let isTakenForOther = try await store.hasOutput(
            at: "small/1.jpg",
            otherThan: other,
            notOf: items[0].itemID,
            making: ["large"]
        )
        #expect(isTakenForOther, "it is another output's of the item")
        let isTakenByOld = try await store.hasOutput(
            at: "small/1.jpg",
            otherThan: other,
            notOf: items[0].itemID,
            making: ["large", "small"]
        )
        #expect(!isTakenByOld, "the item makes that output anew")
        #expect(try await !isTaken("small/9.jpg", other, by: 0))
        try store.plan((2...4).map { row($0) }, recipes: [small, large])
        #expect(try await !isTaken("small/1.jpg", other, by: 1), "the item left the manifest")
        try store.plan((2...4).map { row($0) }, recipes: [large])
        #expect(try await !isTaken("small/2.jpg", other, by: 3), "the output left the manifest")
    }

    @Test("a path is crossed by another item's file among its folders, or below it")
    func crossings() async throws {
        let (_, store) = try await finishedJob()
        let items = try store.reader.items()
        func isCrossed(_ path: String, by item: Int) async throws -> Bool {
            try await store.hasOutput(across: path, notOf: items[item].itemID)
        }
        #expect(try await isCrossed("small/1.jpg/a/b.jpg", by: 1))
        #expect(try await isCrossed("small/1.jpg/b.jpg", by: 1))
        #expect(try await isCrossed("small", by: 1))
        #expect(try await !isCrossed("small/1.jpg", by: 1), "equal paths are no crossing")
        #expect(try await !isCrossed("small/1.jpg/b.jpg", by: 0), "it is the item's own")
        #expect(try await !isCrossed("small/1.jp", by: 1))
        #expect(try await !isCrossed("small/1.jpg0", by: 1))
        #expect(try await !isCrossed("smal", by: 1))
        try store.plan((2...4).map { row($0) }, recipes: [small, large])
        #expect(try await !isCrossed("small/1.jpg/b.jpg", by: 1), "the item left the manifest")
    }
}
