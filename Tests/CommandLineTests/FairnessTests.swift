import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A host that stalls keeps its own items waiting, and nobody else's: five of them could hold all of the 16 transfers.
@Suite(.timeLimit(.minutes(10))) struct FairnessTests {
    @Test("while hosts stall, every item of a quick one is done", arguments: [1, 2, 5])
    func stalledHosts(count: Int) async throws {
        let photo = try TestImages.tiny(1)
        let gate = DispatchSemaphore(value: 0)
        let stalled = try (0..<count).map { _ in
            try LoopbackServer { _ in
                gate.wait()
                return .data(photo, type: "image/png")
            }
        }
        let quick = try LoopbackServer { _ in .data(photo, type: "image/png") }
        // The stalled hosts' items come first, and are more than a run holds at once.
        let urls = (stalled.map { ($0, 700) } + [(quick, 300)]).flatMap { server, count in
            (0..<count).map { "\(server.address)/\($0).png" }
        }
        let folder = try TemporaryFolder()
        try folder.write(urls.joined(separator: "\n"), to: "urls.txt")
        try folder.write(
            """
            {"sources": [{"list": "urls.txt"}], "cache": {"directory": "cache"},
             "loading": {"rate": "1000/s"}, "network": {"allow": ["127.0.0.1"]}}
            """,
            to: "job.json"
        )
        let finished = DispatchSemaphore(value: 0)
        let program = try Program("nuke-batch", ["warm", "job.json", "--json"], in: folder.path) { line in
            if line.contains("item_finished") { finished.signal() }
        }
        for _ in 0..<300 { await finished.signalled() }
        #expect(quick.requests.count == 300)
        #expect(stalled.allSatisfy { $0.requests.count <= 6 })
        program.signal(SIGKILL)
        _ = await program.wait()
        for _ in 0..<6 * count { gate.signal() }
    }
}
