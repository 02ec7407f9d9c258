import Foundation
import LoopbackServer
import SQLite
import Synchronization
import TestSupport
import Testing

/// Promise P9: in any t seconds a host gets at most rate · t + burst requests, and what was learned of it is kept.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PolitenessTests {
    private struct Limit {
        let rate: Double
        let burst: Int
    }

    private static let limits = [(30, 30), (20, 20), (12, 10), (40, 40), (25, 15)].map {
        Limit(rate: Double($0.0), burst: $0.1)
    }
    private static let itemsPerHost = 60

    /// The requests within half a second may arrive together where the machine is busy; what a restart could add is more.
    private static let delay = 0.5

    @Test("five hosts with limits of their own, redirects between them, killed and run again")
    func neverAboveItsLimits() async throws {
        let photo = try TestImages.tiny(1)
        let servers = Mutex<[LoopbackServer]>([])
        for number in Self.limits.indices {
            let server = try LoopbackServer { request in
                // Each third image stands at the next host.
                guard request.path.hasSuffix("0.png") || request.path.hasSuffix("5.png"),
                    request.query.isEmpty
                else { return .data(photo, type: "image/png") }
                let next = servers.withLock { $0[(number + 1) % $0.count].address }
                return .redirect(to: "\(next)\(request.path)?moved=\(number)")
            }
            servers.withLock { $0.append(server) }
        }
        let all = servers.withLock { $0 }
        let folder = try TemporaryFolder()
        try folder.write(Self.manifest(all), to: "job.json")
        for kill in [40, 90, 150] {
            let program = try Program("nuke-batch", ["warm", "job.json"], in: folder.path)
            try await eventually { all.reduce(0, { $0 + $1.requests.count }) >= kill }
            program.signal(SIGKILL)
            _ = await program.wait()
        }
        let last = try await Program.run("nuke-batch", ["warm", "job.json"], in: folder.path)
        #expect(last.exit == 0, "\(last.output)\(last.errors)")
        for (server, limit) in zip(all, Self.limits) {
            let arrivals = server.requests.map(\.arrival)
            #expect(arrivals.count >= Self.itemsPerHost)
            #expect(Self.excess(arrivals, limit) <= 0, "a host with \(limit)")
            // The control: the same requests are too many for a host that allows a third of what came in all.
            let times = arrivals.sorted()
            let seconds = times[0].duration(to: times[times.count - 1]) / .seconds(1)
            let third = Limit(rate: Double(times.count) / seconds / 3, burst: 1)
            #expect(Self.excess(arrivals, third) > 0)
        }
    }

    /// By how many requests the worst window was above rate · t + burst; zero or less if none was.
    private static func excess(_ arrivals: [ContinuousClock.Instant], _ limit: Limit) -> Double {
        let times = arrivals.sorted()
        var worst = -Double.infinity
        for (first, start) in times.enumerated() {
            for (count, end) in times[first...].enumerated() {
                let seconds = start.duration(to: end) / .seconds(1)
                let allowed = limit.rate * (seconds + delay) + Double(limit.burst)
                worst = max(worst, Double(count + 1) - allowed)
            }
        }
        return worst
    }

    private static func manifest(_ servers: [LoopbackServer]) -> String {
        let urls = servers.flatMap { server in
            (0..<itemsPerHost).map { "\"\(server.address)/\($0).png\"" }
        }
        let hosts = zip(servers, limits).map { server, limit in
            "\"127.0.0.1:\(server.port)\": {\"rate\": \"\(Int(limit.rate))/s\", \"burst\": \(limit.burst)}"
        }
        return """
            {"sources": [{"urls": [\(urls.joined(separator: ", "))]}], "cache": {"directory": "cache"},
             "loading": {"hosts": {\(hosts.joined(separator: ", "))}}, "network": {"allow": ["127.0.0.1"]}}
            """
    }

    @Test("what a host bears is known to the next run, and its row is named as the host is")
    func ratesAreKept() async throws {
        let photo = try TestImages.tiny(1)
        let refusals = Mutex(3)
        let server = try LoopbackServer { _ in
            let isRefused = refusals.withLock { left in
                left -= 1
                return left >= 0
            }
            return isRefused ? .tooManyRequests(retryAfter: 0) : .data(photo, type: "image/png")
        }
        let folder = try TemporaryFolder()
        let manifest = { (count: Int) in
            let urls = (0..<count).map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
            return """
                {"sources": [{"urls": [\(urls)]}], "cache": {"directory": "cache"}, "network": {"allow": ["127.0.0.1"]}}
                """
        }
        for count in [8, 16] {
            try folder.write(manifest(count), to: "job.json")
            let outcome = try await Program.run("nuke-batch", ["warm", "job.json"], in: folder.path)
            #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
            let state = try Connection(path: folder.path(".nuke-batch/job.sqlite"), mode: .readOnly)
            let rows = try state.statement("SELECT name, rate FROM host").rows {
                ($0["name"] as String, $0["rate"] as Double?)
            }
            #expect(rows.map(\.0) == ["127.0.0.1:\(server.port)"])
            // 0.85 of 80, 40, 20 or 10 after up to three episodes; a run that knew nothing of it would have left no rate.
            let rate = try #require(rows.first?.1)
            #expect((8...75).contains(rate), "\(rate)")
        }
    }

    @Test("a host that asked to be left alone is, also by the run after a kill; the event says until when")
    func holdsAreKept() async throws {
        let server = try LoopbackServer { _ in .tooManyRequests(retryAfter: 1800) }
        let folder = try TemporaryFolder()
        try folder.write(
            """
            {"sources": [{"urls": ["\(server.address)/a.png", "\(server.address)/b.png"]}],
             "cache": {"directory": "cache"}, "network": {"allow": ["127.0.0.1"]}}
            """,
            to: "job.json"
        )
        var counts: [Int] = []
        for signal in [SIGKILL, SIGTERM] {
            let event = Mutex<String?>(nil)
            let told = DispatchSemaphore(value: 0)
            let program = try Program("nuke-batch", ["warm", "job.json", "--json"], in: folder.path) { line in
                guard line.contains("host_waiting") else { return }
                event.withLock { $0 = line }
                told.signal()
            }
            await told.signalled()
            let line = try #require(event.withLock { $0 })
            let fields = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            )
            #expect(fields["host"] as? String == "127.0.0.1:\(server.port)")
            #expect(fields["reason"] as? String == "retry_after")
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            let until = try style.parse(try #require(fields["until"] as? String))
            #expect((1700...1801).contains(until.timeIntervalSinceNow), "\(line)")
            // The event may come a moment before the host is written down.
            try await Self.waitUntilHeld(folder)
            program.signal(signal)
            _ = await program.wait()
            counts.append(server.requests.count)
        }
        #expect(counts[0] > 0 && counts[0] == counts[1], "\(counts)")
    }

    private static func waitUntilHeld(_ folder: TemporaryFolder) async throws {
        try await eventually {
            let state = try? Connection(path: folder.path(".nuke-batch/job.sqlite"), mode: .readOnly)
            return (try? state?.integer("SELECT max(not_before_ms) FROM host")) ?? 0 > 0
        }
    }
}

extension DispatchSemaphore {
    /// Waits on a thread of its own.
    func signalled() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                self.wait()
                continuation.resume()
            }
        }
    }
}
