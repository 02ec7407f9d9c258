import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import TestSupport
import Testing

@Suite struct OwnFilesTests {
    private let folder: ManifestFolder

    init() throws {
        folder = try ManifestFolder()
    }

    /// Plans a job twice with a state of this name.
    /// - Returns: The items with the warnings of the first planning, and true if the second found nothing changed.
    private func plan(
        _ glob: String,
        to path: String,
        in destination: String,
        state: String = "job.sqlite"
    ) throws -> (items: [String], warnings: [String], isUnchanged: Bool) {
        let manifest = try folder.read(
            """
            {"sources": [{"files": "\(glob)"}], "destination": "\(destination)", "cache": {"directory": "cache"},
             "outputs": [{"path": "\(path)", "format": "jpeg"}]}
            """
        )
        var options = RunOptions()
        options.state = folder.folder.path(state)
        func plan() throws -> ([String], Planner.Summary, Int64?) {
            let store = try JobStore(path: options.statePath(of: manifest))
            defer { store.close() }
            let summary = try Planner(manifest, options, loaded: LoadedSources()).plan(into: store)
            var items: [String] = []
            try store.reader.forEachItem { items.append(($0.url as NSString).lastPathComponent) }
            return (items, summary, try store.reader.revision()?.revisionID)
        }
        let (items, first, revision) = try plan()
        return (items, first.warnings, try plan().2 == revision)
    }

    @Test("a state among the sources is none of them, nor are the files beside it")
    func state() throws {
        try folder.folder.write("x", to: "photos/1.jpg")
        try folder.folder.write("x", to: "photos/x.inflight")
        let plan = try plan("photos/*", to: "{stem}.jpg", in: "out", state: "photos/x.sqlite")
        #expect(plan.items == ["1.jpg"] && plan.isUnchanged)
    }

    @Test("files below the folder of an output are no sources, also without a record of them")
    func unrecorded() throws {
        for name in ["1.jpg", "small/1.jpg", "small/deep/2.jpg", "1-small.jpg"] {
            try folder.folder.write("x", to: "photos/\(name)")
        }
        let below = try plan("photos/**/*.jpg", to: "small/{dir}/{stem}.jpg", in: "photos")
        #expect(below.items == ["1-small.jpg", "1.jpg"])
        #expect(below.warnings.count == 1 && below.warnings[0].hasPrefix("2 files were left out"))
        // Originals can be in that folder too, if their names differ.
        let beside = try plan("**/*.jpg", to: "photos/{stem}-small.jpg", in: ".", state: "b.sqlite")
        #expect(beside.items == ["1.jpg", "1.jpg", "2.jpg"])
    }

    @Test("the index and the shards of a dataset among the sources are none of them")
    func dataset() throws {
        for name in ["1.jpg", "00003.tar", "00004.tar.part", "x.tar", "sub/00003.tar", "list.csv"] {
            try folder.folder.write("x", to: "photos/\(name)")
        }
        let manifest = try folder.read(
            """
            {"sources": [{"files": "photos/**"}], "destination": "photos", "cache": {"directory": "cache"},
             "dataset": {"pack": "tar", "index": "list.csv"}, "outputs": [{"format": "jpeg"}]}
            """
        )
        let store = try JobStore(path: folder.folder.path("dataset.sqlite"))
        defer { store.close() }
        let planner = Planner(manifest, RunOptions(), loaded: LoadedSources())
        let summary = try planner.plan(into: store)
        var items: [String] = []
        try store.reader.forEachItem { items.append(($0.url as NSString).lastPathComponent) }
        #expect(items == ["1.jpg", "00003.tar", "x.tar"])
        #expect(summary.warnings.contains { $0.hasPrefix("3 files were left out") }, "\(summary.warnings)")
    }

    @Test("outputs that can lie beside the sources are warned of")
    func mixed() throws {
        try folder.folder.write("x", to: "photos/1.jpg")
        let warning = "outputs[0] writes to folders that have sources"
        for (path, destination) in [("{stem}-small.jpg", "photos"), ("photos/{stem}.jpg", ".")] {
            let plan = try plan("photos/*.jpg", to: path, in: destination, state: "\(destination)x.sqlite")
            #expect(plan.items == ["1.jpg"] && plan.warnings.count == 1)
            #expect(plan.warnings.first?.hasPrefix(warning) == true, "\(plan.warnings)")
        }
        #expect(try plan("photos/*.jpg", to: "{stem}.jpg", in: "out", state: "z.sqlite").warnings.isEmpty)
    }
}
