import Files
import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import TestSupport
import Testing

@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct OutputFileTests {
    private static let text = #"""
        {"sources": [{"urls": ["https://a.example/1.jpg"]}], "destination": "out",
         "outputs": [
          {"name": "small", "format": "jpeg", "path": "small/{index}.{ext}"},
          {"name": "kept", "format": "jpeg", "path": "kept/{id}.{ext}", "existing": "keep"},
          {"name": "late", "format": "jpeg", "path": "late/{width}.{ext}"}
         ]}
        """#

    private let job: RunningJob
    private let file: OutputFile

    init() throws {
        job = try RunningJob(Self.text)
        file = try job.outputFile()
    }

    private func write(_ outputs: [RenderedOutput], of item: ClaimedItem) async throws -> [OutputRecord] {
        let planned = PlannedItem(item, of: job.manifest)
        let item = OutputItem(claimed: item, planned: planned, original: original())
        return try await file.write(Rendering(outputs: outputs, facts: nil), of: item)
    }

    private func claim(_ count: Int = 1) async throws -> [ClaimedItem] {
        try await job.claim(hosts: Array(repeating: "a.example", count: count))
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try file.destination.read(path), as: UTF8.self)
    }

    @Test("an output is written under its path, and recorded with all that is known of it")
    func made() async throws {
        let item = try #require(try await claim().first)
        let recipe = try #require(try job.manifest.recipes(["small"]).first)
        let result = try #require(try await write([rendered(recipe, "bytes")], of: item).first)
        #expect(try text("small/1.jpg") == "bytes")
        let expected = OutputRecord(name: "small", recipe: recipe.digest, state: .done) {
            $0.path = "small/1.jpg"
            $0.spec = recipe.specification(originalSHA256: original().sha256)
            $0.bytes = 5
            $0.sha256 = Digest.sha256.hex(of: "bytes")
            $0.width = 3
            $0.height = 2
            $0.format = "jpeg"
            $0.encoder = "encoder 1"
        }
        #expect(result == expected)
        // Written over by a later run, it has the new bytes.
        file.release(item)
        _ = try await write([rendered(recipe, "other")], of: item)
        #expect(try text("small/1.jpg") == "other")
        #expect(try file.destination.folder("small").names() == ["1.jpg"])
    }

    @Test("what was skipped and what failed has its place among the outputs")
    func places() async throws {
        let item = try #require(try await claim().first)
        let recipes = try job.manifest.recipes(["small", "kept", "late"])
        let outputs = [
            RenderedOutput(recipe: recipes[2], result: .failed(itemError("limits", "too large"))),
            rendered(recipes[0]),
            RenderedOutput(recipe: recipes[1], result: .skipped("of type gif")),
        ]
        let results = try await write(outputs, of: item)
        #expect(results.map(\.name) == ["late", "small", "kept"])
        #expect(results.map(\.state) == [.failed, .done, .skipped])
        #expect(results.map(\.reason) == ["limits: too large", nil, "of type gif"])
        #expect(results[0].failure == RecordedError(code: "limits", message: "too large"))
        #expect(results.map(\.path) == [nil, "small/1.jpg", nil])
    }

    @Test("a file of somebody else is kept or replaced, as the manifest says")
    func existing() async throws {
        let item = try #require(try await claim().first)
        try job.files.folder.write("theirs", to: "out/kept/id-1.jpg")
        try job.files.folder.write("theirs", to: "out/small/1.jpg")
        let outputs = try job.manifest.recipes(["kept", "small"]).map { rendered($0, "ours") }
        let results = try await write(outputs, of: item)
        #expect(results.map(\.state) == [.skipped, .done])
        #expect(results[0].reason == OutputRecord.exists && results[0].path == nil)
        #expect(try text("kept/id-1.jpg") == "theirs")
        #expect(try text("small/1.jpg") == "ours")
    }

    @Test("a file that the item has written itself is not kept")
    func own() async throws {
        let item = try #require(try await claim().first)
        let recipe = try #require(try job.manifest.recipes(["kept"]).first)
        let first = try await write([rendered(recipe, "first")], of: item)
        #expect(first[0].state == .done)
        try await job.store.record(outcome(item, first).result(attempt: nil), of: item)
        file.release(item)
        _ = try job.store.requeueFinished()
        let again = try #require(try await job.store.claim(limit: 1).first)
        let second = try await write([rendered(recipe, "second")], of: again)
        #expect(second[0].state == .done)
        #expect(try text("kept/id-1.jpg") == "second")
    }

    @Test(
        "neither is one that the job has written for another item, or was about to record, unless somebody changed it"
    )
    func ownOfAnother() async throws {
        let items = try await claim(3)
        let recipe = try #require(try job.manifest.recipes(["kept"]).first)
        for (item, path) in zip(items, ["kept/id-2.jpg", "kept/id-3.jpg", "kept/id-1.jpg"]) {
            var made = output("kept", path: path, sha256: Digest.sha256.hex(of: "ours"))
            made.recipe = recipe.digest
            try job.files.folder.write(item.ordinal == 3 ? "them" : "ours", to: "out/\(path)")
            if item.ordinal == 2 {
                try await file.claims.announce(made, of: item.itemID)
            } else {
                try await job.store.record(outcome(item, [made]).result(attempt: nil), of: item)
            }
        }
        var results: [OutputRecord] = []
        for item in items { results += try await write([rendered(recipe, "new")], of: item) }
        #expect(results.map(\.state) == [.skipped, .done, .done])
        #expect(try ["1", "2", "3"].map { try text("kept/id-\($0).jpg") } == ["them", "new", "new"])
        #expect(
            try await job.store.filesWritten(to: "kept/id-3.jpg").contains { $0.sha256 == results[2].sha256 }
        )
    }

    @Test("items with other bytes for the same path collide until the first one is released")
    func collision() async throws {
        let items = try await claim(3)
        let recipe = try #require(try job.manifest.recipes(["late"]).first)
        #expect(try await write([rendered(recipe, "one", width: 7)], of: items[0])[0].path == "late/7.jpg")
        let same = try await write([rendered(recipe, "one", width: 7)], of: items[1])
        #expect(same[0].state == .done)
        let other = try await write([rendered(recipe, "two", width: 7)], of: items[2])
        #expect(other[0].state == .failed && other[0].failure?.code == "collision")
        #expect(try text("late/7.jpg") == "one")
        #expect(try await write([rendered(recipe, "two", width: 8)], of: items[2])[0].path == "late/8.jpg")
        file.release(items[0])
        file.release(items[1])
        let free = try await write([rendered(recipe, "two", width: 7)], of: items[2])
        #expect(free[0].state == .done)
        #expect(try text("late/7.jpg") == "two")
    }

    @Test("an output whose own folder is a symbolic link fails alone")
    func blocked() async throws {
        let item = try #require(try await claim().first)
        try FileManager.default.createSymbolicLink(
            atPath: job.manifest.destination.description + "/small",
            withDestinationPath: "/"
        )
        let outputs = try job.manifest.recipes(["small", "kept"]).map { rendered($0) }
        let results = try await write(outputs, of: item)
        #expect(results.map(\.state) == [.failed, .done])
        #expect(results[0].failure?.code == "processing")
        #expect(results[0].failure?.message.contains("out") == true)
        #expect(try text("kept/id-1.jpg") == "rendered")
    }

    @Test("outputs that exist are used again, each by itself")
    func split() async throws {
        let item = try #require(try await claim().first)
        let recipes = try job.manifest.recipes(["small", "kept", "late"])
        var known = try await write([rendered(recipes[0]), rendered(recipes[2])], of: item)
        let (missing, reused) = file.split(recipes, known: known, original: original())
        #expect(missing.map(\.output.name) == ["kept"])
        #expect(reused == known)
        known[0].spec = "of other bytes"
        let changed = file.split(recipes, known: known, original: original())
        #expect(changed.missing.map(\.output.name) == ["small", "kept"])
        #expect(changed.reused == [known[1]])
    }
}
