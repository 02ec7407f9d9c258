import Files
import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import TestSupport
import Testing

@testable import NukeBatch

/// Trouble with the destination is the machine's; only another output in the way is the item's.
@Suite(.timeLimit(.minutes(10))) struct OutputFileTroubleTests {
    private static let text = #"""
        {"sources": [{"urls": ["https://a.example/1.jpg"]}], "destination": "out",
         "outputs": [
          {"name": "flat", "format": "jpeg", "path": "all/{id}"},
          {"name": "deep", "format": "jpeg", "path": "all/id-1/{id}.jpg"},
          {"name": "late", "format": "jpeg", "path": "all/id-1/{width}"}
         ]}
        """#

    private let job: RunningJob
    private let file: OutputFile

    init() throws {
        job = try RunningJob(Self.text)
        file = try job.outputFile()
    }

    /// Writes the output of this name, and returns its result or the error that stops the run.
    private func write(_ name: String, of item: ClaimedItem) async throws -> Result<OutputRecord, ItemError> {
        let recipe = try #require(try job.manifest.recipes([name]).first)
        let planned = PlannedItem(item, of: job.manifest)
        let output = OutputItem(claimed: item, planned: planned, original: original())
        let rendering = Rendering(outputs: [rendered(recipe)], facts: nil)
        let results: [OutputRecord]
        do throws(ItemError) {
            results = try await file.write(rendering, of: output)
        } catch {
            return .failure(error)
        }
        return .success(try #require(results.first))
    }

    private func claim(_ count: Int) async throws -> [ClaimedItem] {
        try await job.claim(hosts: Array(repeating: "a.example", count: count))
    }

    private func trouble(_ result: Result<OutputRecord, ItemError>) throws -> String {
        guard case .failure(let error) = result else {
            Issue.record("\(result)")
            return ""
        }
        #expect(error.handling == .local)
        return error.message
    }

    @Test("a stray file where a folder is needed is the machine's trouble")
    func strayFile() async throws {
        let item = try #require(try await claim(1).first)
        try job.files.folder.write("stray", to: "out/all")
        let message = try trouble(try await write("flat", of: item))
        #expect(message.contains("/out/all") && message.contains("a file stands where a folder is needed"))
    }

    @Test("a stray folder where the file would be is the machine's trouble")
    func strayFolder() async throws {
        let item = try #require(try await claim(1).first)
        try job.files.folder.write("stray", to: "out/all/id-1/stray")
        let message = try trouble(try await write("flat", of: item))
        #expect(message.contains("/out/all/id-1") && message.contains("a folder has the name of the file"))
    }

    @Test(
        "a file of another item where a folder is needed is a collision, recorded or not",
        arguments: [false, true]
    )
    func otherFile(isRecorded: Bool) async throws {
        let items = try await claim(2)
        let flat = try await write("flat", of: items[0]).get()
        #expect(flat.path == "all/id-1")
        if isRecorded { try await record(flat, of: items[0]) }
        for name in ["deep", "late"] {
            let blocked = try await write(name, of: items[1]).get()
            #expect(blocked.failure?.code == "collision")
        }
    }

    @Test(
        "a folder of another item where the file would be is a collision, recorded or not",
        arguments: [false, true]
    )
    func otherFolder(isRecorded: Bool) async throws {
        let items = try await claim(2)
        let deep = try await write("deep", of: items[1]).get()
        #expect(deep.path == "all/id-1/id-2.jpg")
        if isRecorded { try await record(deep, of: items[1]) }
        #expect(try await write("flat", of: items[0]).get().failure?.code == "collision")
    }

    @Test("a destination that was renamed, replaced or removed stops the run", arguments: [0, 1, 2])
    func displaced(way: Int) async throws {
        let item = try #require(try await claim(1).first)
        let path = job.manifest.destination.description
        if way == 0 {
            try FileManager.default.removeItem(atPath: path)
        } else {
            try FileManager.default.moveItem(atPath: path, toPath: path + "-old")
            if way == 2 { try job.files.folder.write("new", to: "out/new") }
        }
        let message = try trouble(try await write("flat", of: item))
        #expect(message.contains("the destination \(path) was renamed, removed or replaced"))
    }

    /// Records `output` as that of a current recipe, and releases the item's claims.
    private func record(_ output: OutputRecord, of item: ClaimedItem) async throws {
        try await job.store.record(outcome(item, [output]).result(attempt: nil), of: item)
        let planning = try job.store.beginPlanning(manifestSHA256: "m")
        try planning.add(
            (1...2).map { number in
                NewItem(
                    ordinal: number,
                    url: "https://a.example/\(number).jpg",
                    id: "id-\(number)",
                    host: "a.example"
                ) { $0.location = "urls.txt:\(number)" }
            }
        )
        _ = try planning.finish(
            lists: "l",
            recipes: [OutputRecipe(source: 0, output: output.name, recipe: output.recipe)]
        )
        file.release(item)
    }
}
