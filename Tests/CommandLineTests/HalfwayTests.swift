import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// A job that is interrupted when three fifths of it are done, and run again.
@Suite(.timeLimit(.minutes(10))) struct HalfwayTests {
    private static let count = 1000

    @Test(
        "at most one byte in a hundred, or what was in flight, is fetched twice, and nothing that is finished",
        arguments: [SIGINT, SIGKILL]
    )
    func interrupted(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let images = try (0..<Self.count).map { try TestImages.tiny($0) }
        let served = Mutex((bytes: 0, paths: [String: Int]()))
        let hasEnded = Mutex(false)
        let gate = Gate()
        let server = try LoopbackServer { request in
            guard let number = Int(request.path.dropFirst()), images.indices.contains(number) else {
                return .status(404)
            }
            // However late this test hears of what is finished: the run does not come to its end before, not even by a timeout.
            if !hasEnded.withLock({ $0 }), served.withLock({ $0.paths.count }) >= Self.count * 9 / 10 {
                gate.wait()
                return .status(503)
            }
            served.withLock { served in
                served.bytes += images[number].count
                served.paths[request.path, default: 0] += 1
            }
            return .data(images[number], type: "image/png")
        }
        defer { server.stop() }
        let urls = (0..<Self.count).map { "\(server.url("/\($0)"))\n" }
        try folder.write(urls.joined(), to: "urls.txt")
        try folder.write(
            """
            {"sources": [{"list": "urls.txt"}], "network": {"allow": ["127.0.0.1"]},
             "cache": {"directory": "cache"}, "outputs": [{"format": "original", "path": "{stem}.{ext}"}],
             "loading": {"rate": "5000/s", "burst": 1000, "timeout": "1h", "totalTimeout": "1h"}}
            """,
            to: "job.json"
        )
        let finished = Mutex<Set<String>>([])
        let reached = AsyncStream<Void>.makeStream()
        let first = try Program("nuke-batch", ["run", "job.json", "--json"], in: folder.path) { line in
            guard line.contains("\"item_finished\""), let item = Finished(line) else { return }
            let count = finished.withLock { finished in
                finished.insert(item.url)
                return finished.count
            }
            if count == Self.count * 6 / 10 { reached.continuation.finish() }
        }
        for await _ in reached.stream {}
        first.signal(signal)
        #expect(await first.wait().exit == 128 + signal)
        hasEnded.withLock { $0 = true }
        gate.open()
        let (before, done) = (served.withLock { $0.paths }, finished.withLock { $0 })
        #expect(done.count >= Self.count * 6 / 10 && done.count < Self.count)

        let second = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(second.exit == 0, "\(second.output)\(second.errors)")
        let (bytes, paths) = served.withLock { ($0.bytes, $0.paths) }
        for url in done {
            let path = URL(string: url)?.path ?? ""
            #expect(paths[path] == before[path], "\(url) was finished and asked for again")
        }
        let whole = images.reduce(0) { $0 + $1.count }
        print("halfway: \(bytes - whole) of \(whole) bytes fetched twice")
        // What was in flight is lost, however long the job is: transfers, and by a kill the originals on their way to the disk
        // as well, at most as many as `loading.concurrency`, 16, of each.
        let inFlight = 16 * (images.map(\.count).max() ?? 0)
        let lost = signal == SIGKILL ? 2 * inFlight : max(whole / 100, inFlight)
        #expect(bytes - whole <= lost)
        #expect(paths.count == Self.count)
    }

    /// The item of an event.
    private struct Finished {
        let url: String

        init?(_ line: String) {
            struct Event: Decodable {
                struct Item: Decodable {
                    let url: String
                }

                let item: Item
            }
            guard let event = try? JSONDecoder().decode(Event.self, from: Data(line.utf8)) else { return nil }
            url = event.item.url
        }
    }
}
