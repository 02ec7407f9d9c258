import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import Synchronization
import TestSupport
import Testing

@Suite struct PlannerTests {
    private func items(_ job: PlannedJob) throws -> [ItemRecord] {
        let store = try job.open()
        defer { store.close() }
        var items: [ItemRecord] = []
        try store.reader.forEachItem { items.append($0) }
        return items
    }

    @Test("what was planned before is not planned again, whatever the order of questions")
    func unchanged() throws {
        var job = try PlannedJob(items: 3)
        #expect(try job.plan().newCounts == nil)
        try job.write(PlannedJob.manifest((1...4).map { "https://a.example/\($0).jpg" }))
        let second = try job.plan()
        #expect(second.warnings.isEmpty && second.newCounts == nil, "one of four is new")
        #expect(try items(job).map(\.ordinal) == [1, 2, 3, 4])
    }

    @Test("the counts are those of a first planning where all items are new")
    func first() throws {
        let folder = try ManifestFolder()
        let manifest = try folder.read(PlannedJob.manifest(["https://a.example/1.jpg", "gopher://a/2"]))
        let options = RunOptions()
        let store = try JobStore(path: options.statePath(of: manifest))
        defer { store.close() }
        let planner = Planner(manifest, options, loaded: LoadedSources())
        let counts = try #require(try planner.plan(into: store).newCounts)
        #expect(counts.total == 2 && counts[.pending] == 1 && counts[.failed] == 1)
        #expect(try store.reader.failures() == ["scheme": 1])
        #expect(try planner.plan(into: store).newCounts == nil)
    }

    @Test("a list that has changed is read again, also if only its time has")
    func changedList() throws {
        let folder = try ManifestFolder()
        let path = try folder.folder.write("https://a.example/1.jpg\n", to: "urls.txt")
        let text = #"{"sources": [{"list": "urls.txt"}], "cache": {"directory": "cache"}}"#
        let manifest = try folder.read(text)
        let store = try JobStore(path: RunOptions().statePath(of: manifest))
        defer { store.close() }
        let planner = Planner(manifest, RunOptions(), loaded: LoadedSources())
        _ = try planner.plan(into: store)
        let first = try #require(try store.reader.revision())
        try folder.folder.write("https://a.example/1.jpg\nhttps://a.example/2.jpg\n", to: "urls.txt")
        _ = try planner.plan(into: store)
        let second = try #require(try store.reader.revision())
        #expect(first.items == 1 && second.items == 2 && second.lists != first.lists)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 7)],
            ofItemAtPath: path
        )
        _ = try planner.plan(into: store)
        let third = try #require(try store.reader.revision())
        #expect(third.items == 2 && third.lists != second.lists)
    }

    @Test("equal rows are one item and are counted, also when nothing is planned anew")
    func duplicates() async throws {
        let url = "https://a.example/1.jpg"
        let job = try PlannedJob(PlannedJob.manifest([url, url, url]))
        let store = try job.open()
        #expect(try store.reader.counts().total == 1 && store.reader.revision()?.duplicates == 2)
        store.close()
        let forecast = try await Forecast(manifest: job.manifest)
        #expect(forecast.items == 1 && forecast.duplicates == 2)
    }

    /// Two items with one path, for an output with this policy.
    private func colliding(_ policy: String) -> String {
        PlannedJob.manifest(["https://a.example/1.jpg", "https://a.example/2.jpg"])
            .replacing(#""path": "small/{index}.{ext}""#, with: #""path": "small/one.{ext}", \#(policy)"#)
    }

    @Test("two items with one path are wrong input that names both rows, where the manifest says so")
    func collision() throws {
        let error = #expect(throws: RunError.self) {
            try PlannedJob(colliding(#""onCollision": "error""#))
        }
        #expect(error?.exit == .wrongInput)
        #expect(
            error?.description
                == "sources[0].urls[0] and sources[0].urls[1] would both write small/one.jpg: "
                + "add {index} or {id} to outputs[0].path"
        )
    }

    @Test(
        "of two items with one path, the first in the manifest has it; the other one fails or is skipped",
        arguments: [(#""existing": "replace""#, false), (#""onCollision": "first""#, true)]
    )
    func firstHasPath(policy: String, isSkipped: Bool) async throws {
        var job = try PlannedJob(items: 1)
        try job.write(colliding(policy))
        let warnings = try job.plan().warnings
        let end = isSkipped ? "skipped" : "failed as collision"
        #expect(
            warnings == [
                "1 output \(end), since an earlier row has the same path: sources[0].urls[0] and sources[0].urls[1] "
                    + "would both write small/one.jpg: add {index} or {id} to outputs[0].path"
            ]
        )
        try await job.run { _, item in
            guard item.ordinal == 2 else { return #expect(item.collisions.isEmpty) }
            let collision = try #require(item.collisions.first)
            #expect(collision.output == "small" && collision.path == "small/one.jpg")
            #expect(collision.owner == "sources[0].urls[0]" && collision.isSkipped == isSkipped)
        }
        let forecast = try await Forecast(manifest: job.manifest)
        #expect(forecast.outputs.make == 1, "the other one is not made")
    }

    @Test("the remedy for equal paths is a variable that the path does not have")
    func remedy() throws {
        let text = PlannedJob.manifest([]).replacing(
            "[]",
            with: """
                [{"url": "https://a.example/1.jpg", "id": "a"}, {"url": "https://a.example/2.jpg", "id": "a"}]
                """
        ).replacing("{index}", with: "{id}")
        var job = try PlannedJob(items: 1)
        try job.write(text)
        #expect(try job.plan().warnings.first?.hasSuffix(": add {index} to outputs[0].path") == true)
    }

    @Test("paths that differ only in case are a warning, and bad rows collide with nothing")
    func caseWarning() throws {
        var job = try PlannedJob(items: 1)
        try job.write(
            PlannedJob.manifest(["https://a.example/A.jpg", "https://a.example/a.jpg", "gopher://a/A.jpg"])
                .replacing("small/{index}.{ext}", with: "small/{stem}.{ext}")
        )
        let warnings = try job.plan().warnings
        #expect(
            warnings == [
                "sources[0].urls[0] and sources[0].urls[1] write paths that differ only in case or Unicode form: small/a.jpg"
            ]
        )
    }

    @Test("a manifest without items is warned of each time")
    func empty() throws {
        let folder = try ManifestFolder()
        try folder.folder.write("# nothing\n", to: "urls.txt")
        let manifest = try folder.read(#"{"sources": [{"list": "urls.txt"}]}"#)
        let store = try JobStore(path: RunOptions().statePath(of: manifest))
        defer { store.close() }
        let planner = Planner(manifest, RunOptions(), loaded: LoadedSources())
        for _ in 1...2 { #expect(try planner.plan(into: store).warnings == ["the manifest has no items"]) }
    }

    @Test("a changed output, destination or set of facts plans anew; the same settings do not")
    func digest() throws {
        let urls = ["https://a.example/1.jpg"]
        let same = PlannedJob.manifest(urls)
        var job = try PlannedJob(same)
        func revision() throws -> Int64? {
            let store = try job.open()
            defer { store.close() }
            return try store.reader.revision()?.revisionID
        }
        var last = try revision()
        for (text, isNew) in [
            (same, false), (same.replacing("\"jpeg\"", with: "\"png\""), true),
            (same.replacing("\"out\"", with: "\"elsewhere\""), true),
            (PlannedJob.manifest(urls, more: #", "facts": ["size"]"#), true),
            (PlannedJob.manifest(urls, more: #", "facts": ["size"]"#), false),
        ] {
            try job.write(text)
            try job.plan()
            let now = try revision()
            #expect((now != last) == isNew, "\(text)")
            last = now
        }
        job.options.isWarming = true
        try job.plan()
        #expect(try revision() != last, "warming makes no outputs")
    }

    @Test("the row of a claimed item is the planned one, for the paths of its outputs")
    func claimed() async throws {
        let folder = try ManifestFolder()
        try folder.folder.write(
            "url,id,colour,priority\nhttps://a.example/1.jpg,sku,red,high\n",
            to: "urls.csv"
        )
        let manifest = try folder.read(
            #"{"sources": [{"list": "urls.csv", "headers": {"X-A": "b"}}], "cache": {"directory": "cache"}}"#
        )
        let store = try JobStore(path: RunOptions().statePath(of: manifest))
        defer { store.close() }
        _ = try Planner(manifest, RunOptions(), loaded: LoadedSources()).plan(into: store)
        _ = try store.beginRun(version: "1")
        let item = try #require(try await store.claim(limit: 1).first)
        let planned = PlannedItem(item, of: manifest)
        #expect(planned.url == "https://a.example/1.jpg" && planned.target == planned.url)
        #expect(planned.id == "sku" && planned.variables == ["colour": "red"])
        #expect(planned.headers == ["X-A": "b"] && planned.priority == .high)
        #expect(planned.index == 1 && planned.location == "urls.csv:2" && planned.source == 0)
    }

    @Test("a planning that is stopped leaves the previous plan in force, and the next one is whole")
    func stopped() throws {
        let folder = try ManifestFolder()
        func plan(_ count: Int, stopsAfter limit: Int = .max) throws -> (isComplete: Bool, items: Int) {
            let manifest = try folder.read(
                PlannedJob.manifest((1...count).map { "https://a.example/\($0).jpg" })
            )
            let store = try JobStore(path: RunOptions().statePath(of: manifest))
            defer { store.close() }
            let rows = Mutex(0)
            let planner = Planner(manifest, RunOptions(), loaded: LoadedSources()) {
                rows.withLock { rows in
                    rows += 1
                    return rows > limit
                }
            }
            return (try planner.plan(into: store).isComplete, try store.reader.counts().total)
        }
        #expect(try plan(5, stopsAfter: 2) == (false, 0))
        #expect(try plan(3) == (true, 3))
        // Some thousand rows are added by then: stops are asked for between chunks.
        #expect(try plan(4000, stopsAfter: 6) == (false, 3))
        #expect(try plan(4000) == (true, 4000))
    }

    @Test("a planning is stopped while rows with one path are looked for, and in folders")
    func stoppedElsewhere() throws {
        let folder = try ManifestFolder()
        try folder.folder.write("x", to: "photos/1.jpg")
        let urls = #"{"urls": ["https://a.example/1.jpg", "https://a.example/2.jpg"]}"#
        let output = #""outputs": [{"path": "same.jpg", "format": "jpeg"}]"#
        for (name, source, limit) in [("rows", urls, 2), ("files", #"{"files": "photos/*"}"#, 0)] {
            let manifest = try folder.read("{\"sources\": [\(source)], \(output)}")
            var options = RunOptions()
            options.state = folder.folder.path("\(name).sqlite")
            let store = try JobStore(path: options.statePath(of: manifest))
            defer { store.close() }
            let questions = Mutex(0)
            let stopping = Planner(manifest, options, loaded: LoadedSources()) {
                questions.withLock { questions in
                    questions += 1
                    return questions > limit
                }
            }
            #expect(try !stopping.plan(into: store).isComplete, "\(name)")
            let whole = Planner(manifest, options, loaded: LoadedSources())
            #expect(try whole.plan(into: store).isComplete, "\(name)")
        }
    }
}
