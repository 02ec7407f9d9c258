import Foundation
import Imaging
import LoopbackServer
import SQLite
import Synchronization
import TestSupport
import Testing

/// Promises P1 to P4: `kill -9` at random moments, then a plain `run`.
@Suite(.serialized, .timeLimit(.minutes(10))) struct KillTests {
    private static let imageCount = 1200
    private static let kills = 32

    @Test("32 kills over 1,200 images: nothing lost, nothing done twice, no litter")
    func kills() async throws {
        let seed = SeededGenerator.seed(of: "kill test")
        var random = SeededGenerator(seed: seed)
        let images = try TestImages.distinctJPEGs(count: Self.imageCount)
        let tripwire = Tripwire()
        let supply = LimitedSupply(limit: Self.imageCount * 9 / 10)
        let server = try LoopbackServer { request in
            tripwire.count()
            guard supply.answers(request.path) else { return .status(503) }
            let name = request.path.split(separator: "/").last ?? ""
            guard let number = Int(name.prefix { $0.isNumber }), images.indices.contains(number) else {
                return .status(404)
            }
            return LoopbackServer.Response(body: .data(images[number]))
        }
        let folder = try TemporaryFolder()
        try folder.write(Self.manifest(server.address), to: "job.json")

        var acknowledged: Set<String> = []
        var requestsBeforeAcknowledgement: [String: Int] = [:]
        var finished = false
        for number in 0..<Self.kills where !finished {
            // A third of the kills each: at the n-th request, at the n-th acknowledgement, at a moment of the clock.
            let kind = number % 3
            let moment = Int.random(in: 1...(kind == 1 ? 40 : 8), using: &random)
            let heard = Heard()
            let program = try Program("nuke-batch", ["run", "job.json", "--json"], in: folder.path) { line in
                heard.add(line)
                if kind == 1, heard.finishedCount >= moment { heard.kill() }
            }
            heard.killer = { program.signal(SIGKILL) }
            supply.run { program.signal(SIGKILL) }
            if kind == 0 { tripwire.set(after: moment) { program.signal(SIGKILL) } }
            if kind == 2 {
                let delay = Double.random(in: 0...0.06, using: &random)
                DispatchQueue.global().asyncAfter(deadline: .now() + delay) { program.signal(SIGKILL) }
            }
            let outcome = await program.wait()
            tripwire.disarm()
            supply.endRun()
            #expect(outcome.exit == 128 + SIGKILL || outcome.exit == 0, "run \(number): \(outcome.errors)")
            finished = outcome.exit == 0
            let requested = Self.requestCounts(server)
            for url in heard.finished where acknowledged.insert(url).inserted {
                requestsBeforeAcknowledgement[url] = requested[url] ?? 0
            }
        }
        #expect(!finished)
        supply.lift()

        let last = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(last.exit == 0, "\(last.output)\(last.errors)")
        let requested = Self.requestCounts(server)
        for (url, count) in requestsBeforeAcknowledgement {
            #expect(requested[url] == count, "\(url) was requested again after it was acknowledged")
        }
        let duplicates = server.requests.count - Self.imageCount
        print(
            "kill test: \(acknowledged.count) acknowledged before the last run, \(duplicates) requests repeated"
        )
        // Transfers and originals on their way to the disk, at most 16 of each at a kill.
        #expect(duplicates <= 2 * 16 * Self.kills)
        try await Self.checkResults(folder)
        try Self.checkNoLitter(folder)
    }

    private static func checkResults(_ folder: TemporaryFolder) async throws {
        let listing = try await Program.run("nuke-batch", ["items", "job.json", "--json"], in: folder.path)
        #expect(listing.lines.count == imageCount)
        for line in listing.lines {
            let item = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(item["state"] as? String == "done")
            let outputs = try #require(item["outputs"] as? [[String: Any]])
            #expect(outputs.count == 2)
            for output in outputs {
                let path = try #require(output["path"] as? String)
                let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("out/" + path)))
                #expect(output["bytes"] as? Int == bytes.count)
                let image = try ImageDecoder.decode(bytes)
                #expect(output["width"] as? Int == image.size.width)
            }
        }
        for database in ["job-state/.nuke-batch/job.sqlite", ".nuke-batch/job.sqlite", "cache/index.sqlite"] {
            let path = folder.path(database)
            guard FileManager.default.fileExists(atPath: path) else { continue }
            let connection = try Connection(path: path, mode: .readOnly)
            let answer: String? = try connection.statement("PRAGMA integrity_check").scalar()
            #expect(answer == "ok", "\(database): \(answer ?? "")")
        }
    }

    private static func checkNoLitter(_ folder: TemporaryFolder) throws {
        let all = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap {
            $0 as? String
        }
        #expect(all.filter { $0.hasSuffix(".tmp") || $0.contains(".nb-") || $0.contains("-writing") }.isEmpty)
        let outputs = all.filter { $0.hasPrefix("out/") && ($0.hasSuffix(".jpg") || $0.hasSuffix(".webp")) }
        #expect(outputs.count == 2 * imageCount)
    }

    private static func requestCounts(_ server: LoopbackServer) -> [String: Int] {
        var counts: [String: Int] = [:]
        for request in server.requests { counts[server.address + request.path, default: 0] += 1 }
        return counts
    }

    private static func manifest(_ address: String) -> String {
        let urls = (0..<imageCount).map { "\"\(address)/\($0).jpg\"" }.joined(separator: ",\n")
        return """
            {"sources": [{"urls": [\(urls)]}],
             "outputs": [
               {"name": "small", "processors": [{"resize": {"width": 160, "height": 160}}], "format": "jpeg"},
               {"name": "web", "processors": [{"resize": {"width": 240, "height": 240}}], "format": "webp"}],
             "cache": {"directory": "cache"}, "network": {"allow": ["127.0.0.1"]},
             "loading": {"rate": "5000/s", "burst": 100}}
            """
    }
}

/// Kills at the n-th request from now.
private final class Tripwire: Sendable {
    private let state = Mutex<(left: Int, action: (@Sendable () -> Void)?)>((0, nil))

    func set(after count: Int, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0 = (count, action) }
    }

    func disarm() {
        state.withLock { $0 = (0, nil) }
    }

    func count() {
        let action = state.withLock { state -> (@Sendable () -> Void)? in
            state.left -= 1
            guard state.left == 0 else { return nil }
            return state.action
        }
        action?()
    }
}

/// The URLs that a run has acknowledged as finished.
private final class Heard: Sendable {
    private let urls = Mutex<[String]>([])
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    var finished: [String] { urls.withLock { $0 } }
    var finishedCount: Int { urls.withLock { $0.count } }
    var killer: (@Sendable () -> Void)? {
        get { action.withLock { $0 } }
        set { action.withLock { $0 = newValue } }
    }

    func kill() {
        killer?()
    }

    func add(_ line: String) {
        guard let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            event["event"] as? String == "item_finished", let item = event["item"] as? [String: Any],
            let url = item["url"] as? String
        else { return }
        urls.withLock { $0.append(url) }
    }
}
