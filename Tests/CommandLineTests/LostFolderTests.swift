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

    @Test("a run says that the destination, or a folder in it, is missing or empty")
    func outputs() async throws {
        try write(["small", "large"])
        try await job.run()
        #expect(try await warnings().isEmpty)
        try remove("out/small")
        let small =
            "warning: \(job.folder.path("out"))/small is missing, although 2 outputs are recorded there"
        let first = try await warnings()
        #expect(first.count == 1 && first[0].hasPrefix(small), "\(first)")
        try move("out", to: "old")
        let missing = try await warnings()
        #expect(
            missing.count == 1 && missing[0].contains("/out is missing, although 4 outputs are"),
            "\(missing)"
        )
        try FileManager.default.createDirectory(
            atPath: job.folder.path("out"),
            withIntermediateDirectories: false
        )
        let empty = try await warnings()
        #expect(empty.count == 1 && empty[0].contains("/out is empty, although 4 outputs are"), "\(empty)")
        // The remedies that it names: both folders put back, and made again.
        try remove("out")
        try move("old", to: "out")
        #expect(try await warnings().count == 1)
        #expect(try await job.nukeBatch("verify", "job.json", "--repair").exit == 0)
        #expect(try await warnings().isEmpty)
        #expect(job.files() == ["large/1.png", "large/2.png", "small/1.png", "small/2.png"])
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
