import Foundation
import Imaging
import LoopbackServer
import TestSupport
import Testing

/// Outputs that someone has moved to where the manifest now wants them: they are adopted, not made again.
@Suite(.timeLimit(.minutes(10))) struct MovedOutputTests {
    private static let small = #"{"name": "small", "format": "png", "path": "s/{stem}.{ext}"}"#
    private static let all = [
        small, #"{"name": "copy", "format": "original", "path": "c/{stem}-{width}.{ext}"}"#,
        #"{"name": "set", "format": "webp", "widths": [4, 64], "path": "w/{stem}-{width}.{ext}"}"#,
    ]
    private let job: JobFolder
    private let server: LoopbackServer

    init() throws {
        job = try JobFolder()
        server = try .tinyPictures()
    }

    private func write(_ outputs: [String] = all, destination: String = "out") throws {
        let urls = (1...3).map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        try job.write(
            """
            "sources": [{"urls": [\(urls)]}], "outputs": [\(outputs.joined(separator: ", "))],
            "destination": "\(destination)"
            """
        )
    }

    private func move(_ name: String, to newName: String) throws {
        try FileManager.default.moveItem(atPath: job.folder.path(name), toPath: job.folder.path(newName))
    }

    /// What a run made and reused; the counts of its last event.
    private func counts(_ words: [String] = []) async throws -> [Int?] {
        let outcome = try await Program.run(
            "nuke-batch",
            ["run", "job.json", "--json"] + words,
            in: job.folder.path
        )
        #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
        let end = try job.end(outcome)
        return [end["made"] as? Int, end["reused"] as? Int]
    }

    private func times(in folder: String) throws -> [String: Date] {
        Dictionary(
            uniqueKeysWithValues: try job.files(in: folder).map { ($0, try job.modified("\(folder)/\($0)")) }
        )
    }

    @Test(
        "a moved destination is adopted without a request, by the manifest or by an option",
        arguments: [true, false]
    )
    func destination(isOption: Bool) async throws {
        try write()
        let first = try await counts()
        #expect(first == [first[0], 0])
        let times = try times(in: "out")
        #expect(times.count == first[0])
        // Neither the cache nor the server is needed.
        try FileManager.default.removeItem(atPath: job.folder.path("cache"))
        let requests = server.requests.count
        try move("out", to: "pics")
        if !isOption { try write(destination: "pics") }
        #expect(try await counts(isOption ? ["-o", "pics"] : []) == [0, first[0]])
        #expect(server.requests.count == requests)
        #expect(try self.times(in: "pics") == times)
        #expect(job.files().isEmpty)
        let verify = ["verify", "job.json"] + (isOption ? ["-o", "pics"] : [])
        #expect(try await Program.run("nuke-batch", verify, in: job.folder.path).exit == 0)
        let again = try await counts(isOption ? ["-o", "pics"] : [])
        #expect(again == [0, 0])
    }

    @Test("a folder that is renamed with its path is adopted; what was copied leaves the old files to prune")
    func path() async throws {
        try write([Self.small])
        #expect(try await counts() == [3, 0])
        try move("out/s", to: "out/thumbs")
        let renamed = Self.small.replacing("s/{stem}", with: "thumbs/{stem}")
        try write([renamed])
        #expect(try await counts() == [0, 3])
        #expect(job.files() == ["thumbs/1.png", "thumbs/2.png", "thumbs/3.png"])
        try FileManager.default.copyItem(
            atPath: job.folder.path("out/thumbs"),
            toPath: job.folder.path("out/s")
        )
        try write([Self.small])
        #expect(try await counts() == [0, 3])
        let prune = try await job.nukeBatch("prune", "job.json", "--delete")
        #expect(prune.exit == 0, "\(prune.errors)")
        #expect(job.files() == ["s/1.png", "s/2.png", "s/3.png"])
        #expect(try await job.nukeBatch("verify", "job.json").exit == 0)
    }

    @Test("only bytes that are recorded are adopted, and only with the same settings")
    func others() async throws {
        try write([Self.small])
        try await job.run()
        let whole = try job.data("out/s/1.png")
        try move("out", to: "pics")
        // One of the same size, one that is cut, and one that is missing.
        var other = whole
        other[other.count - 1] ^= 1
        try other.write(to: URL(fileURLWithPath: job.folder.path("pics/s/1.png")))
        try job.folder.write("cut", to: "pics/s/2.png")
        try write([Self.small], destination: "pics")
        #expect(try await counts() == [2, 1])
        #expect(try job.data("pics/s/1.png") == whole)
        // Moved and changed at once: everything is made.
        try move("pics", to: "out")
        try write([Self.small.replacing(#""format": "png""#, with: #""format": "png", "metadata": "keep""#)])
        #expect(try await counts() == [3, 0])
        #expect(try await job.nukeBatch("verify", "job.json").exit == 0)
    }

    @Test("an original that changed meanwhile, and a link in a file's place, are not adopted")
    func changed() async throws {
        let pictures = try (1...6).map { try TestImages.tiny($0) }
        for number in 1...3 { try job.folder.write(pictures[number - 1], to: "\(number).png") }
        try job.write(
            #""sources": [{"files": "[1-3].png"}], "outputs": [\#(Self.small)], "network": {"fileRoots": ["."]}"#
        )
        #expect(try await counts() == [3, 0])
        try move("out", to: "pics")
        try job.folder.write(pictures[5], to: "1.png")
        try move("pics/s/2.png", to: "elsewhere.png")
        try FileManager.default.createSymbolicLink(
            atPath: job.folder.path("pics/s/2.png"),
            withDestinationPath: "../../elsewhere.png"
        )
        #expect(try await counts(["-o", "pics"]) == [2, 1])
        #expect(try await job.nukeBatch("verify", "job.json", "-o", "pics").exit == 0)
        #expect(try job.image("pics/s/1.png").size == job.image("1.png").size)
    }
}
