import Foundation
import Imaging
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// A watermark whose picture is at a URL.
@Suite(.timeLimit(.minutes(10))) struct WatermarkFromURLTests {
    /// The server's responses for the image, in order; the last one is repeated.
    private final class Answers: Sendable {
        private let left: Mutex<[LoopbackServer.Response]>

        init(_ answers: [LoopbackServer.Response]) {
            left = Mutex(answers)
        }

        func next() -> LoopbackServer.Response {
            left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
    }

    private static func logo() throws -> LoopbackServer.Response {
        let pixels = Data((0..<64).flatMap { [255, UInt8($0 * 4), 90, UInt8(255 - $0)] })
        let png = try ImageEncoder.encode(Image(width: 8, height: 8, rgba: pixels), as: .png())
        return LoopbackServer.Response(body: .data(png))
    }

    private func job(_ picture: String) -> String {
        """
        {"sources": [{"files": "photos/*.{jpg,png}"}], "cache": {"directory": "cache"},
         "outputs": [{"name": "o", "format": "jpeg", "path": "{stem}.{ext}", "processors": [
           {"resize": {"width": 100}}, {"watermark": {"image": "\(picture)"}}]}],
         "network": {"allow": ["127.0.0.1"]}, "retry": {"attempts": 3, "backoff": "1ms..5ms"}}
        """
    }

    private func makeFolder(_ answers: [LoopbackServer.Response]) throws -> (TemporaryFolder, LoopbackServer)
    {
        let answers = Answers(answers)
        let server = try LoopbackServer { _ in answers.next() }
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: Repository.photos.path, toPath: folder.path("photos"))
        try folder.write(job(server.address + "/logo.png"), to: "job.json")
        return (folder, server)
    }

    private func output(_ folder: TemporaryFolder) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: folder.path("out/rocket.jpg")))
    }

    @Test("it is loaded once, tried again after a failure, and gives what the same picture from a file gives")
    func once() async throws {
        let (folder, server) = try makeFolder([.status(500), try Self.logo()])
        let run = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(run.exit == 0, "\(run.output)\(run.errors)")
        #expect(server.requests.count == 2)
        let fromURL = try output(folder)
        let again = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(again.output.hasPrefix("nothing to do"))
        #expect(server.requests.count == 2)

        // Other outputs need it again, and have it from the cache.
        let wider = job(server.address + "/logo.png").replacing("\"width\": 100", with: "\"width\": 90")
        try folder.write(wider, to: "job.json")
        let changed = try await Program.run("nuke-batch", ["run", "job.json", "--offline"], in: folder.path)
        #expect(changed.exit == 0, "\(changed.output)\(changed.errors)")
        #expect(server.requests.count == 2)

        guard case .data(let png) = try Self.logo().body else { return }
        try png.write(to: URL(fileURLWithPath: folder.path("logo.png")))
        try folder.write(job("logo.png"), to: "job.json")
        let file = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(file.exit == 0)
        #expect(try output(folder) == fromURL)
        try folder.write(job("data:image/png;base64," + png.base64EncodedString()), to: "job.json")
        let data = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(data.exit == 0, "\(data.errors)")
        #expect(try output(folder) == fromURL)
    }

    @Test(
        "one that cannot be used ends the run before anything is made, with its place",
        arguments: [
            (LoopbackServer.Response.status(404), 2, "404"),
            (.data(Data("<html>".utf8), type: "text/html"), 2, "not an image"),
            (.status(500), 4, "run again"),
        ]
    )
    func unusable(answer: LoopbackServer.Response, exit: Int32, words: String) async throws {
        let (folder, server) = try makeFolder([answer])
        let run = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(run.exit == exit, "\(run.output)\(run.errors)")
        #expect(
            run.errors.contains(
                "outputs[0].processors[1].watermark.image: the watermark \(server.address)/logo.png"
            )
        )
        #expect(run.errors.contains(words), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
    }
}
