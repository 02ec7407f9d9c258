import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A destination that is gone: between runs it is told, during a run it stops the run.
@Suite(.timeLimit(.minutes(10))) struct LostFolderTests {
    private let job: JobFolder
    private let server: LoopbackServer
    /// Requests of names with "held" wait for it.
    private let gate = Gate()

    init() throws {
        job = try JobFolder()
        let gate = gate
        let pictures = try (1...2).map { try TestImages.tiny($0) }
        server = try LoopbackServer { request in
            if request.path.contains("held") { gate.wait() }
            return .data(pictures[request.path.contains("2") ? 1 : 0], type: "image/png")
        }
    }

    private func write(_ outputs: [String], second: String = "2.png") throws {
        let urls = ["1.png", second].map { "\"\(server.address)/\($0)\"" }.joined(separator: ", ")
        let outputs = outputs.map { #"{"name": "\#($0)", "format": "png", "path": "\#($0)/{index}.{ext}"}"# }
        try job.write(
            #""sources": [{"urls": [\#(urls)]}], "outputs": [\#(outputs.joined(separator: ", "))]"#
        )
    }

    private func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: job.folder.path(name))
    }

    private func move(_ name: String, to newName: String) throws {
        try FileManager.default.moveItem(
            atPath: job.folder.path(name),
            toPath: job.folder.path(newName)
        )
    }

    /// The warnings of a run that ends with exit 0.
    private func warnings() async throws -> [String] {
        try await job.run("--quiet").lines.filter { $0.hasPrefix("warning: ") }
    }

    @Test("outputs that are gone, or are not as they were written, are made again")
    func outputs() async throws {
        try write(["small", "large"])
        try await job.run()
        let all = ["large/1.png", "large/2.png", "small/1.png", "small/2.png"]
        #expect(try await warnings().isEmpty)
        try remove("out/small")
        #expect(try await job.plan()["reasons"].map { "\($0)" }?.contains("missing") == true)
        let first = try await warnings()
        #expect(first.count == 1 && first[0].hasPrefix("warning: 2 outputs are missing in"), "\(first)")
        #expect(job.files() == all)
        #expect(try await warnings().isEmpty)
        // One that was cut, one that is empty, one in whose place a link is, and one in whose place a folder was is put back.
        let whole = try job.data("out/small/1.png")
        try job.folder.write("cut", to: "out/small/1.png")
        try job.folder.write("", to: "out/large/1.png")
        try remove("out/large/2.png")
        try FileManager.default.createSymbolicLink(
            atPath: job.folder.path("out/large/2.png"),
            withDestinationPath: "1.png"
        )
        #expect(try await warnings().count == 1)
        #expect(try job.data("out/small/1.png") == whole)
        #expect(try await job.nukeBatch("verify", "job.json").exit == 0)
        // Few are made again even if none is there.
        try remove("out")
        #expect(try await warnings().count == 1)
        #expect(job.files() == all)
        try remove("out/small")
        #expect(try await job.run("--quiet", "--skip-check").output.isEmpty)
        #expect(job.files() == ["large/1.png", "large/2.png"])
    }

    @Test("a destination without any of many outputs is not mounted: nothing is made") func unmounted()
        async throws
    {
        let urls = (1...21).map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        try job.write(
            #""sources": [{"urls": [\#(urls)]}], "outputs": [{"format": "png", "path": "{index}.{ext}"}]"#
        )
        try await job.run()
        try move("out", to: "old")
        for isThere in [false, true] {
            if isThere {
                try FileManager.default.createDirectory(
                    atPath: job.folder.path("out"),
                    withIntermediateDirectories: false
                )
            }
            let run = try await job.run(exit: 4)
            #expect(run.errors.contains("none of the 21 recorded outputs is in \(job.folder.path("out"))"))
            #expect(try await job.nukeBatch("plan", "job.json").exit == 4)
            #expect(job.files().isEmpty)
        }
        // Its remedies.
        try remove("out")
        try move("old", to: "out")
        #expect(try await job.run("--quiet").output.isEmpty)
        try remove("out")
        let advised = "nuke-batch verify --repair job.json"
        #expect(try await job.run(exit: 4).errors.contains("make all of them again with \(advised)"))
        #expect(try await job.shell(advised).exit == 0)
        #expect(job.files().count == 21)
    }

    @Test("a destination that is renamed and replaced during a run stops it, and loses nothing")
    func replaced() async throws {
        defer { gate.open() }
        try write(["small"], second: "2-held.png")
        let program = try Program("nuke-batch", ["run", "job.json"], in: job.folder.path)
        try await eventually { job.files() == ["small/1.png"] }
        try move("out", to: "old")
        try FileManager.default.createDirectory(
            atPath: job.folder.path("out"),
            withIntermediateDirectories: false
        )
        gate.open()
        let outcome = await program.wait()
        #expect(outcome.exit == 4, "\(outcome.output)\(outcome.errors)")
        #expect(
            outcome.output.contains("out was renamed, removed or replaced during the run"),
            "\(outcome.output)"
        )
        #expect(try await job.items().last?["state"] as? String == "pending")
        #expect(try await job.items().last?["attempts"] as? Int == 0)
        #expect(job.files().isEmpty)
        try remove("out")
        try move("old", to: "out")
        try await job.run()
        #expect(job.files() == ["small/1.png", "small/2.png"])
        #expect(try await job.nukeBatch("verify", "job.json").exit == 0)
    }
}
